/*
 * What a walk without time needs to know of runs of static instructions (trace_run_t): their memory
 * instructions and their lines of code, found once for each run of a launch.
 */
#ifndef RUBATO_GPU_TOUCH_CODE_H
#define RUBATO_GPU_TOUCH_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/isa/stream.h"
#include "sim/mem/l2_tags.h"

/* A memory instruction, which has an address record wherever a lane is active. */
typedef struct {
    uint8_t space; /* mem_space_t */
    uint8_t kind;  /* l2_touch_kind_t */
    uint8_t width;
    bool cached; /* a load or store that uses the L1 */
} touch_op_t;

typedef struct {
    const inst_t *first; /* key, with count; NULL: empty */
    uint32_t count;
    uint32_t op, n_ops;     /* in touch_code_t.op */
    uint32_t line, n_lines; /* first line of code in the function, bytes; lines, 0: it jumps */
    uint32_t touched;       /* the walk's: when it touched the lines last */
} touch_run_t;

/* The line of code of an instruction in its function. */
static inline uint32_t touch_code_line(const inst_t *inst)
{
    return inst->pc & ~(uint32_t)(LINE_BYTES - 1);
}

/* The memory instructions of warps of one shape (warp_stream_t), in order, where a lane is active.
 * They are collected when a shape is seen again. */
enum { TOUCH_SHAPES = 256 /* remembered, by the low bits of their numbers */ };
typedef struct {
    uint64_t number; /* 0: empty */
    bool collected;
    uint32_t touched; /* the walk's: when it touched the lines of code last */
    uint32_t users;   /* the walk's: warps that use it; it is not replaced meanwhile */
    touch_op_t *op;   /* owned */
    size_t n_ops, cap_ops;
} touch_shape_t;

/* The code of an open launch. Zeroed at the beginning. */
typedef struct {
    touch_run_t *run; /* owned; hash table of 1 << bits */
    unsigned bits;
    size_t n_runs;
    touch_op_t *op; /* owned; of runs */
    size_t n_ops, cap_ops;
    touch_shape_t shape[TOUCH_SHAPES];
} touch_code_t;

void touch_code_free(touch_code_t *c);

/* Adds a run that is not known. */
touch_run_t *touch_code_add(touch_code_t *c, const trace_run_t *run);

/* Remembers a shape that is new, or collects its memory instructions if it was seen. NULL: new, or
 * there is no place for it. */
touch_shape_t *touch_code_learn(touch_code_t *c, const warp_stream_t *warp);

/* The shape of a warp; NULL: it is unknown or new. Valid until the next call, or while it has
 * users. */
static inline touch_shape_t *touch_code_shape(touch_code_t *c, const warp_stream_t *warp)
{
    touch_shape_t *s = &c->shape[warp->shape % TOUCH_SHAPES];
    if (s->number == warp->shape && s->collected)
        return s;
    return warp->shape == 0 ? NULL : touch_code_learn(c, warp);
}

static inline size_t touch_code_hash(const touch_code_t *c, const inst_t *first, uint32_t count)
{
    const uint64_t key = (uint64_t)(uintptr_t)first ^ (uint64_t)count << 44;
    return (size_t)(key * 0x9E3779B97F4A7C15u >> (64 - c->bits));
}

/* Valid until the next call. */
static inline touch_run_t *touch_code_run(touch_code_t *c, const trace_run_t *run)
{
    if (c->run == NULL)
        return touch_code_add(c, run);
    size_t i = touch_code_hash(c, run->first, run->count);
    for (; c->run[i].first != NULL; i = (i + 1) & (((size_t)1 << c->bits) - 1))
        if (c->run[i].first == run->first && c->run[i].count == run->count)
            return &c->run[i];
    return touch_code_add(c, run);
}

#endif
