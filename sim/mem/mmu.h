/*
 * Memory management unit of the chip: one shard. It answers SMs whose TLBs miss: after mmu.lookup
 * cycles if it has walked the page table for the entry before, otherwise mmu.walk cycles later.
 * Walks for different entries run in parallel, without limit. A request for an entry that is being
 * walked is answered at the end of that walk.
 */
#ifndef RUBATO_MEM_MMU_H
#define RUBATO_MEM_MMU_H

#include <stdio.h>

#include "sim/core/engine/engine.h"
#include "sim/mem/mem_params.h"

typedef struct mmu mmu_t;

extern const shard_ops_t mmu_shard_ops;

/* entry_bytes: bytes that an entry covers, a power of two; sm_shard: shard of each SM. Both
 * pointers are borrowed. */
mmu_t *mmu_create(const mmu_spec_t *spec, uint32_t entry_bytes, const uint16_t *sm_shard);
void mmu_destroy(mmu_t *m);

/* Marks an entry as walked, without time. */
void mmu_learn(mmu_t *m, uint64_t entry);

/* Forgets all entries. Only on an idle chip. */
void mmu_forget(mmu_t *m);

/* Checkpoint of an idle MMU. 0, or -1 with errno. */
int mmu_save(const mmu_t *m, FILE *out);
int mmu_load(mmu_t *m, FILE *in);

#endif
