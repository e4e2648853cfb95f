#include "sim/mem/mshr.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

void mshr_init(mshr_t *m, uint32_t size)
{
    *m = (mshr_t){.size = size};
    m->entry = rb_calloc(size, sizeof(*m->entry));
    for (uint32_t i = 0; i < size; i++)
        m->entry[i].next_free = i + 1 < size ? i + 2 : 0;
    m->free_entry = 1;
    uint32_t bits = 1;
    while (1u << bits < 2 * size)
        bits++;
    m->table_mask = (1u << bits) - 1;
    m->table_shift = 64 - bits;
    m->table = rb_calloc((size_t)m->table_mask + 1, sizeof(*m->table));
}

void mshr_free(mshr_t *m)
{
    free(m->entry);
    free(m->table);
    free(m->waiting);
    memset(m, 0, sizeof(*m));
}

static inline uint32_t key_home(const mshr_t *m, uint64_t key)
{
    return (uint32_t)((key / LINE_BYTES) * 0x9E3779B97F4A7C15u >> m->table_shift);
}

/* Bucket of a key, or the empty one at which the search for it ends. */
static inline uint32_t table_find(const mshr_t *m, uint64_t key)
{
    uint32_t b = key_home(m, key);
    while (m->table[b] != 0 && m->entry[m->table[b] - 1].key != key)
        b = (b + 1) & m->table_mask;
    return b;
}

mshr_entry_t *mshr_find(mshr_t *m, uint64_t key)
{
    uint32_t i = m->table[table_find(m, key)];
    return i == 0 ? NULL : &m->entry[i - 1];
}

mshr_entry_t *mshr_add(mshr_t *m, uint64_t key, uint64_t line)
{
    RB_INVARIANT(m->used < m->size, "l2: no MSHR left");
    uint32_t i = m->free_entry;
    mshr_entry_t *e = &m->entry[i - 1];
    m->free_entry = e->next_free;
    m->used++;
    *e = (mshr_entry_t){.key = key, .line = line};
    m->table[table_find(m, key)] = i;
    return e;
}

void mshr_remove(mshr_t *m, mshr_entry_t *e)
{
    RB_INVARIANT(e->n_waiting == 0, "l2: MSHR of line 0x%llx freed with %u requests waiting",
                 (unsigned long long)e->line, e->n_waiting);
    uint32_t gap = table_find(m, e->key), b = gap;
    for (;;) {
        b = (b + 1) & m->table_mask;
        if (m->table[b] == 0)
            break;
        uint32_t home = key_home(m, m->entry[m->table[b] - 1].key);
        if (((b - home) & m->table_mask) >= ((b - gap) & m->table_mask)) {
            m->table[gap] = m->table[b];
            gap = b;
        }
    }
    m->table[gap] = 0;
    e->next_free = m->free_entry;
    m->free_entry = mshr_index(m, e) + 1;
    m->used--;
}

void mshr_wait(mshr_t *m, mshr_entry_t *e, const mem_msg_t *r, uint8_t missing)
{
    uint32_t n = m->free_waiting;
    if (n != 0) {
        m->free_waiting = m->waiting[n - 1].next;
    } else {
        rb_grow(&m->waiting, &m->cap_waiting, m->n_waiting + 1, sizeof(*m->waiting));
        n = (uint32_t)++m->n_waiting;
    }
    m->waiting[n - 1] = (mshr_wait_t){.txn = r->txn,
                                      .sm = r->sm,
                                      .op = r->op,
                                      .src = r->src,
                                      .sectors = r->sectors,
                                      .missing = missing,
                                      .conflict = r->conflict};
    if (e->head == 0)
        e->head = n;
    else
        m->waiting[e->tail - 1].next = n;
    e->tail = n;
    e->n_waiting++;
}

void mshr_drop_served(mshr_t *m, mshr_entry_t *e)
{
    uint32_t i = e->head;
    e->head = e->tail = 0;
    while (i != 0) {
        mshr_wait_t *w = &m->waiting[i - 1];
        uint32_t next = w->next;
        if (w->missing == 0) {
            w->next = m->free_waiting;
            m->free_waiting = i;
            e->n_waiting--;
        } else {
            w->next = 0;
            if (e->head == 0)
                e->head = i;
            else
                m->waiting[e->tail - 1].next = i;
            e->tail = i;
        }
        i = next;
    }
}
