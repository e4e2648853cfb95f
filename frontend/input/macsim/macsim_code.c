#include "frontend/input/macsim/macsim_code.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { ENTRIES_MAX = 1 << 20 };

void macsim_code_init(macsim_code_t *c, uint64_t base, unsigned arch)
{
    *c = (macsim_code_t){.base = base, .arch = arch};
}

void macsim_code_free(macsim_code_t *c)
{
    for (size_t i = 0; i < c->n_pages; i++)
        free(c->pages[i]);
    free(c->pages);
    free(c->entries);
    hash_map_free(&c->map);
    *c = (macsim_code_t){0};
}

static macsim_key_t make_key(const macsim_record_t *record, unsigned width)
{
    macsim_key_t key;

    memset(&key, 0, sizeof(key));
    key.pc = record->inst_addr;
    memcpy(key.src, record->src, sizeof(key.src));
    key.dst = record->dst[0];
    key.opcode = record->opcode;
    key.num_read_regs = record->num_read_regs;
    key.num_dest_regs = record->num_dest_regs;
    key.width = (uint8_t)width;
    return key;
}

/* Hashes the whole key: in damaged files, different instructions may share a pc. */
static uint64_t hash_of(const macsim_key_t *key)
{
    uint64_t word[sizeof(*key) / sizeof(uint64_t)], h = 0;

    memcpy(word, key, sizeof(*key));
    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
        h = (h ^ word[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* The page with room for the next entry. */
static macsim_page_t *next_page(macsim_code_t *c)
{
    if (c->n / MACSIM_PAGE == c->n_pages) {
        rb_grow(&c->pages, &c->cap_pages, c->n_pages + 1, sizeof(c->pages[0]));
        c->pages[c->n_pages++] = rb_calloc_aligned(1, sizeof(*c->pages[0]));
    }
    return c->pages[c->n / MACSIM_PAGE];
}

static rb_code_t add_entry(macsim_code_t *c, const macsim_record_t *record, const macsim_key_t *key,
                           rb_err_t *err)
{
    if (c->n == ENTRIES_MAX)
        return rb_fail(err, RB_TRACE,
                       "more than %d different instructions: this is not one kernel's code",
                       ENTRIES_MAX);
    macsim_page_t *page = next_page(c);
    inst_t *inst = &page->inst[c->n % MACSIM_PAGE];

    *inst = (inst_t){.pc = (uint32_t)(record->inst_addr - c->base)};
    RB_TRY(macsim_decode(record, c->arch, key->width, inst, page->text[c->n % MACSIM_PAGE], err));
    rb_grow(&c->entries, &c->cap, c->n + 1, sizeof(c->entries[0]));
    c->entries[c->n++] = (macsim_entry_t){.key = *key, .inst = inst};
    hash_map_add(&c->map, hash_of(key), (uint32_t)(c->n - 1));
    return RB_OK;
}

rb_code_t macsim_code_find(macsim_code_t *c, const macsim_record_t *record, unsigned width,
                           uint32_t guess, uint32_t *number, rb_err_t *err)
{
    macsim_key_t key = make_key(record, width);

    if (guess < c->n && memcmp(&c->entries[guess].key, &key, sizeof(key)) == 0) {
        *number = guess;
        return RB_OK;
    }
    for (hash_walk_t w = hash_map_walk(&c->map, hash_of(&key)); hash_walk_next(&w);)
        if (memcmp(&c->entries[w.number].key, &key, sizeof(key)) == 0) {
            *number = w.number;
            return RB_OK;
        }
    *number = (uint32_t)c->n;
    return add_entry(c, record, &key, err);
}

const char *macsim_code_text(const macsim_code_t *c, const inst_t *inst)
{
    for (size_t i = 0; i < c->n_pages; i++) {
        uintptr_t offset = (uintptr_t)inst - (uintptr_t)c->pages[i]->inst;

        if (offset < sizeof(c->pages[i]->inst))
            return c->pages[i]->text[offset / sizeof(*inst)];
    }
    return NULL;
}
