#include "sim/core/hash_map.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { FIRST_SLOTS = 64 };

hash_slot_t hash_map_no_slot;

void hash_map_free(hash_map_t *m)
{
    free(m->slots);
    *m = (hash_map_t){0};
}

void hash_map_clear(hash_map_t *m)
{
    if (m->n > 0)
        memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
    m->n = 0;
}

static void put(hash_map_t *m, hash_slot_t entry)
{
    size_t at = entry.hash & (m->n_slots - 1);
    while (m->slots[at].entry != 0)
        at = (at + 1) & (m->n_slots - 1);
    m->slots[at] = entry;
}

static void grow(hash_map_t *m)
{
    const hash_map_t old = *m;
    m->n_slots = old.n_slots == 0 ? FIRST_SLOTS : 2 * old.n_slots;
    m->slots = rb_calloc(m->n_slots, sizeof(*m->slots));
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].entry != 0)
            put(m, old.slots[i]);
    free(old.slots);
}

void hash_map_add(hash_map_t *m, uint64_t hash, uint32_t number)
{
    if (2 * (m->n + 1) > m->n_slots)
        grow(m);
    put(m, (hash_slot_t){.entry = number + 1, .hash = hash_map_fold(hash)});
    m->n++;
}
