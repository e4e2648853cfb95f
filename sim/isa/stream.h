/*
 * The dynamic instruction stream of a block, as a trace_source delivers it and an SM executes it.
 *
 * A warp is a sequence of runs; a run is a number of consecutive static instructions executed with
 * one active mask. The addresses of a warp's memory instructions are in a separate stream, in
 * order: one record for each dynamic instruction with in->space != MEM_NONE, in->width != 0 and at
 * least one active lane.
 */
#ifndef RUBATO_ISA_STREAM_H
#define RUBATO_ISA_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/inst.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed offsets are read as an array");

/* count consecutive instructions, starting at first, all executed with mask. */
typedef struct {
    const inst_t *first; /* borrowed from the launch's static code */
    uint32_t mask;       /* active lanes; 0: predicated off (still issued) */
    uint16_t count;      /* 1 .. 65535 */
    uint16_t reserved;
} trace_run_t;

/*
 * Addresses of one dynamic memory instruction, as a sequence of 64-bit words:
 *   word 0: bits 0-1 form (addr_form_t), bits 2-7 number of active lanes, bits 32-63 stride (i32)
 *   ADDR_AFFINE: word 1 = address of the first active lane; k-th active lane at base + k * stride
 *   ADDR_LIST:   words 1 .. n: one address per active lane, in lane order
 *   ADDR_DELTA:  word 1 = base; then ceil(n / 2) words of packed i32 offsets from base, lane order
 *   ADDR_ROWS:   affine in two levels, as the rows of a tile: word 1 = base; word 2: bits 0-31 distance of
 *                rows (i32), bits 32-63 lanes of a row; k-th active lane at base + (k / lanes) * distance +
 *                (k % lanes) * stride
 */
typedef enum { ADDR_AFFINE, ADDR_LIST, ADDR_DELTA, ADDR_ROWS } addr_form_t;

static inline addr_form_t addr_form(const uint64_t *rec)
{
    return (addr_form_t)(rec[0] & 3u);
}

static inline unsigned addr_lanes(const uint64_t *rec)
{
    return (unsigned)(rec[0] >> 2 & 63u);
}

static inline int32_t addr_stride(const uint64_t *rec)
{
    return (int32_t)(uint32_t)(rec[0] >> 32);
}

static inline uint64_t addr_header(addr_form_t form, unsigned lanes, int32_t stride)
{
    return (uint64_t)form | (uint64_t)lanes << 2 | (uint64_t)(uint32_t)stride << 32;
}

/* Words of a record, header included. */
static inline size_t addr_words(const uint64_t *rec)
{
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return 2;
    case ADDR_LIST:
        return 1 + addr_lanes(rec);
    case ADDR_ROWS:
        return 3;
    default:
        return 2 + (addr_lanes(rec) + 1) / 2;
    }
}

/* Of an ADDR_ROWS record: lanes of a row, and the distance of rows. */
static inline unsigned addr_row(const uint64_t *rec)
{
    return (unsigned)(rec[2] >> 32);
}

static inline int32_t addr_row_distance(const uint64_t *rec)
{
    return (int32_t)(uint32_t)rec[2];
}

/* The longest record: a header and 32 addresses. */
enum { ADDR_RECORD_MAX = 33 };

/* Whether n (1 .. 32) addresses have equal steps that fit an affine record. */
bool addr_is_affine(const uint64_t *addr, unsigned n, int32_t *stride);

/* Shortens an ADDR_DELTA record whose lanes lie in two rows or more. Returns its length in words. */
size_t addr_find_rows(uint64_t *rec);

/* The offsets of an ADDR_DELTA or ADDR_ROWS record from its base (room for 32), in lane order. */
void addr_offsets(const uint64_t *rec, int32_t *offset);

/* Writes the shortest record of n (1 .. 32) lane addresses and returns its length in words. */
size_t addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec);

/* Unpacks a record into addr (room for 32), in lane order; returns how many. */
unsigned addr_unpack(const uint64_t *rec, uint64_t *addr);

struct stream_pieces;

/* Runs and addresses of a warp: all of them, or one piece of a long warp (stream_store.h). */
typedef struct {
    const trace_run_t *runs;
    const uint64_t *addrs;
    uint32_t n_runs;
    uint32_t n_addr_words;
    uint64_t n_insts;             /* warp instructions of the whole warp: sum of the runs' counts */
    uint64_t shape;               /* equal numbers within an open launch: equal runs; 0: unknown */
    struct stream_pieces *pieces; /* NULL: runs and addrs are the whole warp */
} warp_stream_t;

/* Sets runs and addrs to the first or the next piece of a warp; false if there is none. Readers of
 * a warp that may be long loop over its pieces:
 *   for (bool some = stream_first(w); some; some = stream_next(w))
 * A piece is valid until the next call for the warp. */
bool stream_first_piece(warp_stream_t *w);
bool stream_next_piece(warp_stream_t *w);

static inline bool stream_first(warp_stream_t *w)
{
    return w->pieces == NULL ? w->n_runs > 0 : stream_first_piece(w);
}

static inline bool stream_next(warp_stream_t *w)
{
    return w->pieces != NULL && stream_next_piece(w);
}

/* A word that a warp waits for: it goes on when the word has been written so often in this launch
 * (word_counts.h), or, WAIT_UNTIL_FREE, when the lock that the word holds is free. */
typedef struct {
    uint64_t word; /* address, a multiple of 4; of shared memory in the generic window */
    uint32_t writes;
    uint32_t reserved;
} wait_word_t;

#define WAIT_UNTIL_FREE UINT32_MAX

/*
 * A wait: instructions [begin, begin + test) of a warp read words and decide; while one of these is
 * not as the wait asks, the warp executes the next `tail` instructions and begins again. When all are,
 * it goes on behind the tail. What the words hold depends on time, and so does how often a warp
 * polls: the trace has it once, and the model repeats it.
 */
typedef struct {
    uint64_t begin; /* place in the warp, from 0 */
    uint32_t warp;
    uint16_t test, tail;
    uint32_t pc;         /* of its first instruction, which reads */
    uint32_t first_word; /* in trace_block_t.wait_words; n_words may be 0: it ends at once */
    uint32_t n_words;
    uint32_t polls; /* of the emulator; 0 without words: no wait, but atomics that fail */
} stream_wait_t;

/* Which writes a launch counts. */
enum { WATCH_GLOBAL = 1, WATCH_SHARED = 2 };

/* A decoded block. warps[w].n_runs is 0 if the trace has no such warp. */
typedef struct trace_block {
    uint64_t index; /* position in stored order, 0, 1, ... */
    uint32_t id[3]; /* blockIdx */
    uint32_t n_warps;
    warp_stream_t *warps;
    uint64_t n_insts; /* warp instructions of the block */
    uint32_t watch;   /* WATCH_* */
    uint32_t n_waits;
    const stream_wait_t *waits; /* by warp and begin */
    const wait_word_t *wait_words;
} trace_block_t;

#endif
