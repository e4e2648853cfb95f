/*
 * What the blocks of a trace hold that is possible, but rarely what a program did: a tracer or a
 * conversion that lost something leaves it. Counted per block once it is decoded, by runs, so that it costs
 * little per instruction.
 */
#ifndef RUBATO_ISA_STREAM_DOUBTS_H
#define RUBATO_ISA_STREAM_DOUBTS_H

#include "sim/isa/stream.h"

/* X(name, what, of): a count, its text in a warning, and the count of which it is a part. */
#define STREAM_DOUBTS_MAP(X)                                                                       \
    X(null_accesses, "accesses of global memory go to address 0 or just above it", accesses)       \
    X(unaligned_accesses, "memory accesses are not aligned to their width", accesses)              \
    X(empty_blocks, "blocks have no instructions", blocks)                                         \
    X(missing_warps, "warps have no instructions, though others of their blocks have some", warps) \
    X(unended_warps, "warps do not end with EXIT", warps)                                          \
    X(uneven_blocks, "blocks have warps that reach more barriers than others", blocks)

#define STREAM_DOUBT_FIELD_(name, what, of) uint64_t name;
#define STREAM_DOUBT_ENUM_(name, what, of)  STREAM_DOUBT_##name,
enum { STREAM_DOUBTS_MAP(STREAM_DOUBT_ENUM_) STREAM_DOUBT_COUNT };

/* accesses, warps, blocks: how many were looked at. warps: with instructions, or missing. */
typedef struct {
    uint64_t accesses, warps, blocks;
    STREAM_DOUBTS_MAP(STREAM_DOUBT_FIELD_)
} stream_doubts_t;

enum { STREAM_DOUBTS_FIELDS = sizeof(stream_doubts_t) / sizeof(uint64_t) };

/* Runs seen last, so that their instructions are not looked at again. Zero at the start; valid while the
 * launch is open. */
enum { STREAM_RUNS_KEPT = 128, STREAM_RUN_ACCESSES = 20 };

typedef struct {
    const inst_t *first;
    uint16_t count;    /* of the run that was asked for */
    uint16_t covered;  /* instructions described, 1 .. count */
    uint16_t barriers; /* that wait */
    uint8_t n;         /* accesses */
    bool exits;        /* the last described instruction is an EXIT */
    uint8_t
        access[STREAM_RUN_ACCESSES]; /* bytes that must be aligned - 1, and STREAM_MAY_BE_NULL */
} stream_run_facts_t;

typedef struct {
    stream_run_facts_t kept[STREAM_RUNS_KEPT];
} stream_doubts_memo_t;

/* Adds what is found in a block. Walks over the pieces of long warps. */
void stream_doubts_block(stream_doubts_t *d, stream_doubts_memo_t *memo, const trace_block_t *b);

void stream_doubts_add(stream_doubts_t *to, const stream_doubts_t *from);

/* The count with this number (STREAM_DOUBT_...), the count it is a part of, its name and text. */
typedef struct {
    const char *name, *what;
    uint64_t n, of;
} stream_doubt_t;

stream_doubt_t stream_doubt(const stream_doubts_t *d, unsigned number);

#endif
