/*
 * Finds entries by a hash of their keys. The caller keeps the entries, numbers them from 0, and compares
 * keys, for several may share a hash:
 *
 *     for (hash_walk_t w = hash_map_walk(&map, hash); hash_walk_next(&w);)
 *         if (same_key(&entries[w.number], key))
 *             return w.number;
 *     hash_map_add(&map, hash, n);
 *
 * Open addressing with linear probing; at most half of the slots are used. A map of zeros is empty.
 */
#ifndef RUBATO_HASH_MAP_H
#define RUBATO_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t entry; /* its number + 1; 0: the slot is free */
    uint32_t hash;  /* folded */
} hash_slot_t;

typedef struct {
    hash_slot_t *slots; /* owned */
    size_t n_slots;     /* 0 or a power of two */
    size_t n;           /* entries */
} hash_map_t;

typedef struct {
    hash_slot_t *slot; /* that of the entry */
    hash_slot_t *slots;
    size_t mask, at;
    uint32_t hash, number;
} hash_walk_t;

/* Stands for the slots of an empty map; never written. */
extern hash_slot_t hash_map_no_slot;

void hash_map_free(hash_map_t *m);

/* Removes all entries; keeps the memory. */
void hash_map_clear(hash_map_t *m);

/* Adds an entry. Its number is below UINT32_MAX. */
void hash_map_add(hash_map_t *m, uint64_t hash, uint32_t number);

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): spreads adjacent keys. */
static inline uint32_t hash_map_fold(uint64_t hash)
{
    return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

/* Begins a walk over the entries with this hash. Adding an entry ends it. */
static inline hash_walk_t hash_map_walk(const hash_map_t *m, uint64_t hash)
{
    const uint32_t folded = hash_map_fold(hash);
    if (m->n_slots == 0)
        return (hash_walk_t){.slots = &hash_map_no_slot, .hash = folded};
    return (hash_walk_t){.slots = m->slots, .mask = m->n_slots - 1, .at = folded, .hash = folded};
}

/* Sets number to that of the next entry; false at the end. */
static inline bool hash_walk_next(hash_walk_t *w)
{
    for (;; w->at++) {
        w->slot = &w->slots[w->at & w->mask];
        if (w->slot->entry == 0)
            return false;
        if (w->slot->hash == w->hash) {
            w->number = w->slot->entry - 1;
            w->at++;
            return true;
        }
    }
}

#endif
