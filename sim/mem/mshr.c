#include "sim/mem/mshr.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

void mshr_init(mshr_t *m, uint32_t size)
{
    *m = (mshr_t){.size = size};
    RB_INVARIANT(size < UINT16_MAX, "l2: %u MSHRs", size);
    m->entry = rb_model_calloc(size, sizeof(*m->entry));
    for (uint32_t i = 0; i < size; i++)
        m->entry[i].head = i + 1 < size ? i + 2 : 0;
    m->free_entry = 1;
    m->chunks = tag_table_chunks(size);
    m->table = rb_model_calloc(m->chunks, sizeof(*m->table));
}

void mshr_free(mshr_t *m)
{
    rb_model_free(m->entry);
    rb_model_free(m->table);
    rb_model_free(m->waiting);
    memset(m, 0, sizeof(*m));
}

static bool entry_is(const void *entries, uint32_t i, uint64_t line)
{
    return ((const mshr_entry_t *)entries)[i].key.line == line;
}

void mshr_prefetch(const mshr_t *m, cache_key_t key)
{
    __builtin_prefetch(&m->table[tag_table_home(key.tag, m->chunks)]);
}

mshr_entry_t *mshr_find(mshr_t *m, cache_key_t key)
{
    uint32_t i =
        tag_table_find(m->table, m->chunks, key.tag, key.line, entry_is, m->entry, m->size);
    return i == m->size ? NULL : &m->entry[i];
}

mshr_entry_t *mshr_add(mshr_t *m, cache_key_t key, uint64_t line)
{
    RB_INVARIANT(m->used < m->size, "l2: no MSHR left");
    uint32_t i = m->free_entry;
    mshr_entry_t *e = &m->entry[i - 1];
    m->free_entry = e->head;
    m->used++;
    *e = (mshr_entry_t){.key = key, .line = line};
    tag_table_put(m->table, m->chunks, key.tag, (uint16_t)(i - 1));
    return e;
}

void mshr_forget_absent(mshr_t *m)
{
    for (uint32_t i = 0; m->used > 0 && i < m->size; i++)
        m->entry[i].absent = false;
}

void mshr_remove(mshr_t *m, mshr_entry_t *e)
{
    RB_INVARIANT(e->n_waiting == 0, "l2: MSHR of line 0x%llx freed with %u requests waiting",
                 (unsigned long long)e->line, e->n_waiting);
    uint32_t i = mshr_index(m, e);
    tag_table_take(m->table, m->chunks, e->key.tag, (uint16_t)i);
    e->head = m->free_entry;
    m->free_entry = i + 1;
    m->used--;
}

void mshr_wait(mshr_t *m, mshr_entry_t *e, const mem_msg_t *r, uint8_t missing)
{
    const mshr_wait_t wait = {.txn = r->txn,
                              .sm = r->sm,
                              .op = r->op,
                              .src = r->src,
                              .sectors = r->sectors,
                              .missing = missing,
                              .conflict = r->conflict,
                              .words = r->words};
    if (e->n_waiting++ == 0) {
        e->first = wait;
        return;
    }
    uint32_t n = m->free_waiting;
    if (n != 0) {
        m->free_waiting = m->waiting[n - 1].next;
    } else {
        rb_model_grow(&m->waiting, &m->cap_waiting, m->n_waiting + 1, sizeof(*m->waiting));
        n = (uint32_t)++m->n_waiting;
    }
    m->waiting[n - 1] = wait;
    if (e->head == 0)
        e->head = n;
    else
        m->waiting[e->tail - 1].next = n;
    e->tail = n;
}

void mshr_drop_served(mshr_t *m, mshr_entry_t *e)
{
    uint32_t i = e->head, left = e->first.missing != 0;
    e->head = e->tail = 0;
    while (i != 0) {
        mshr_wait_t *w = &m->waiting[i - 1];
        uint32_t next = w->next;
        if (w->missing == 0) {
            w->next = m->free_waiting;
            m->free_waiting = i;
        } else {
            left++;
            w->next = 0;
            if (e->head == 0)
                e->head = i;
            else
                m->waiting[e->tail - 1].next = i;
            e->tail = i;
        }
        i = next;
    }
    e->n_waiting = (uint16_t)left;
}
