/*
 * The static code of a kernel while its trace is written: distinct instructions and basic blocks,
 * collected as they occur.
 */
#ifndef RUBATO_RBT_COLLECT_H
#define RUBATO_RBT_COLLECT_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/write/rbt_writer.h"

typedef struct {
    inst_t inst;
    size_t text_at; /* offset in texts */
    uint32_t text_len;
    uint32_t file; /* number + 1; 0: the source line is unknown */
    uint32_t line;
    bool has_text;
} rbt_static_t;

typedef struct {
    size_t at; /* its instructions: ids[at .. at + n) */
    uint32_t n;
} rbt_collected_bb_t;

/* A hash table with open addressing; a slot holds number + 1. */
typedef struct {
    uint32_t *slots; /* owned */
    size_t n_slots;  /* a power of two */
} rbt_hash_t;

/* There is a free slot. */
static inline void rbt_hash_put(rbt_hash_t *m, uint64_t hash, size_t number)
{
    size_t slot = hash & (m->n_slots - 1);

    while (m->slots[slot] != 0)
        slot = (slot + 1) & (m->n_slots - 1);
    m->slots[slot] = (uint32_t)number + 1;
}

typedef struct {
    rbt_static_t *insts; /* owned; in order of first use */
    size_t n_insts, cap_insts;
    rbt_buf_t texts;
    rbt_collected_bb_t *bbs; /* owned */
    size_t n_bbs, cap_bbs;
    uint32_t *ids; /* owned */
    size_t n_ids, cap_ids;
    rbt_hash_t inst_map, bb_map;
    char **files; /* owned; paths of the source */
    size_t n_files, cap_files;
} rbt_collect_t;

void rbt_collect_init(rbt_collect_t *c);
void rbt_collect_free(rbt_collect_t *c);

/* Number of an instruction with this text (NULL: none); adds it if it is new. */
uint32_t rbt_collect_inst(rbt_collect_t *c, const inst_t *inst, const char *text, uint32_t len);

/* Sets the source line of an instruction. */
void rbt_collect_line(rbt_collect_t *c, uint32_t number, const source_line_t *line);

/* Number of the basic block of these n instructions; adds it if it is new. */
uint32_t rbt_collect_bb(rbt_collect_t *c, const uint32_t *ids, uint32_t n);

/* Appends the code in the layout that rbt_code.h describes. */
void rbt_collect_encode(const rbt_collect_t *c, rbt_buf_t *out);

/* Maps instruction pointers of the open launch to instruction numbers. Cleared at each launch. */
typedef struct {
    const inst_t **keys; /* owned */
    uint32_t *values;    /* owned */
    size_t n, n_slots;
} rbt_pointers_t;

void rbt_pointers_clear(rbt_pointers_t *m);
void rbt_pointers_free(rbt_pointers_t *m);
void rbt_pointers_add(rbt_pointers_t *m, const inst_t *inst, uint32_t id);

static inline size_t rbt_pointers_slot(const rbt_pointers_t *m, const inst_t *inst)
{
    return ((uintptr_t)inst * 0x9e3779b97f4a7c15u >> 20) & (m->n_slots - 1);
}

/* Returns UINT32_MAX if inst has not been added. */
static inline uint32_t rbt_pointers_find(const rbt_pointers_t *m, const inst_t *inst)
{
    if (m->n_slots == 0)
        return UINT32_MAX;
    for (size_t slot = rbt_pointers_slot(m, inst);; slot = (slot + 1) & (m->n_slots - 1)) {
        if (m->keys[slot] == inst)
            return m->values[slot];
        if (m->keys[slot] == NULL)
            return UINT32_MAX;
    }
}

#endif
