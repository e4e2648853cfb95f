/*
 * Tables of counts per instruction (inst_counts.h) of one launch. Each thread of the host has one, so
 * that threads share nothing and an SM does not have a table of its own. All use the same numbers of
 * instructions; these depend on the threads, the sums do not.
 */
#ifndef RUBATO_SM_INST_TABLE_H
#define RUBATO_SM_INST_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "sim/core/hash_map.h"
#include "sim/isa/isa.h"
#include "sim/sm/inst_counts.h"

/* An instruction of the launch. */
typedef struct {
    const inst_t *inst; /* borrowed from the launch; NULL: what belongs to no instruction */
    uint32_t pc;
} inst_site_t;

/* Numbers are below it; further instructions count as none. */
enum { INST_SITES_MAX = 1 << 24 };

/* The numbers of the instructions. Number 0 is what belongs to no instruction. */
typedef struct {
    pthread_mutex_t lock;
    inst_site_t *site; /* owned */
    size_t n, cap;
    hash_map_t by_pc;
} inst_sites_t;

void inst_sites_init(inst_sites_t *s);
void inst_sites_free(inst_sites_t *s);

/* Forgets all instructions. The tables must be cleared, too. */
void inst_sites_clear(inst_sites_t *s);

/* Cycles that warps waited at one instruction for another. */
typedef struct {
    uint32_t site, other;
    uint64_t cycles;
    bool longer; /* long_scoreboard, not short_scoreboard */
} inst_wait_t;

enum { INST_TABLE_STEP = 16 }; /* bytes of an instruction */

typedef struct {
    inst_sites_t *sites; /* borrowed */
    uint32_t *map; /* owned; numbers by pc / INST_TABLE_STEP; 0: not known to this thread yet */
    size_t n_map;
    inst_counts_t *counts; /* owned; by number */
    size_t n_counts;
    inst_wait_t *waits; /* owned */
    size_t n_waits, cap_waits;
    hash_map_t wait_map;
} inst_table_t;

void inst_table_init(inst_table_t *t, inst_sites_t *sites);
void inst_table_free(inst_table_t *t);

/* Sets all counts to 0 and forgets the numbers. */
void inst_table_clear(inst_table_t *t);

/* Adds the counts and waits of another table with the same numbers. */
void inst_table_add(inst_table_t *t, const inst_table_t *other);

/* Slow path of inst_table_site(). */
uint32_t inst_table_find(inst_table_t *t, const inst_t *inst);

/* The number of an instruction. */
static inline uint32_t inst_table_site(inst_table_t *t, const inst_t *inst)
{
    const uint32_t at = inst->pc / INST_TABLE_STEP;
    if (at < t->n_map && inst->pc % INST_TABLE_STEP == 0 && t->map[at] != 0)
        return t->map[at];
    return inst_table_find(t, inst);
}

/* Makes room for the counts of instruction `site`. */
void inst_table_grow(inst_table_t *t, uint32_t site);

static inline inst_counts_t *inst_table_counts(inst_table_t *t, uint32_t site)
{
    if (site >= t->n_counts)
        inst_table_grow(t, site);
    return &t->counts[site];
}

/* A warp waited at instruction `site` for the result or the sources of `other` (0: unknown). */
void inst_table_wait(inst_table_t *t, uint32_t site, uint32_t other, bool longer, uint64_t cycles);

#endif
