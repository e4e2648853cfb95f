/*
 * The static code of a kernel while its trace is written: distinct instructions and basic blocks,
 * collected as they occur.
 */
#ifndef RUBATO_RBT_COLLECT_H
#define RUBATO_RBT_COLLECT_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "sim/core/hash_map.h"

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

typedef struct {
    rbt_static_t *insts; /* owned; in order of first use */
    size_t n_insts, cap_insts;
    rbt_buf_t texts;
    rbt_collected_bb_t *bbs; /* owned */
    size_t n_bbs, cap_bbs;
    uint32_t *ids; /* owned */
    size_t n_ids, cap_ids;
    hash_map_t inst_map, bb_map;
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
    hash_map_t map;
    struct rbt_pointer {
        const inst_t *inst;
        uint32_t id;
    } * pairs; /* owned */
    size_t n, cap;
} rbt_pointers_t;

void rbt_pointers_clear(rbt_pointers_t *m);
void rbt_pointers_free(rbt_pointers_t *m);
void rbt_pointers_add(rbt_pointers_t *m, const inst_t *inst, uint32_t id);

/* Returns UINT32_MAX if inst has not been added. */
static inline uint32_t rbt_pointers_find(const rbt_pointers_t *m, const inst_t *inst)
{
    for (hash_walk_t w = hash_map_walk(&m->map, (uintptr_t)inst); hash_walk_next(&w);)
        if (m->pairs[w.number].inst == inst)
            return m->pairs[w.number].id;
    return UINT32_MAX;
}

#endif
