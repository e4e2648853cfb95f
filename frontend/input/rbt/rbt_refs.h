/*
 * The history of a frame that predicts address records; writer and reader keep the same one. It
 * holds, for each record of a shape, the record at the same place of the last warp with this shape
 * (the reference), and for each static instruction its last record.
 *
 * A record is predicted to look like its reference (same stride, or same distances between lanes).
 * Its start is predicted as follows:
 *   if the shape occurred before: the reference's start, plus the distance by which the last record
 *     of this instruction was moved from its own reference (separate for the first piece of a
 *     block);
 *   else, at the first execution in a piece: the first execution in the previous piece, plus the
 *     last distance between two such executions;
 *   else: the previous execution, plus its distance from the one before it.
 * Unrelated addresses, such as those of a gather, are best stored as distances from a floor of the
 * instruction, which is near the start of the array that it indexes.
 */
#ifndef RUBATO_RBT_REFS_H
#define RUBATO_RBT_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/stream.h"

enum { RBT_NO_LANES = -1 };

/* How a record is stored: bits of its mode. Mode 0 means as predicted; such records are only
 * counted. */
enum {
    RBT_LAYOUT_MASK = 3,
    RBT_LAYOUT_SAME = 0,   /* like the reference */
    RBT_LAYOUT_STRIDE = 1, /* affine, stride follows */
    RBT_LAYOUT_DELTAS = 2, /* differences to the previous lane follow */
    RBT_LAYOUT_LANES = 3,  /* differences to the same lane of the reference follow */
    RBT_MODE_BASE = 4,     /* difference to the predicted address of the first lane follows */
    RBT_MODE_FLOOR = 8,    /* with layout 0: distances from the instruction's floor follow, and with
                              RBT_MODE_BASE before them by how much the floor moves */
    RBT_MODE_COUNT = 16,
};

/* The last record at some place. */
typedef struct {
    uint64_t base; /* address of the first active lane */
    uint32_t mask; /* 0: there was none */
    int32_t stride;
    int32_t lanes; /* number of its stored lane distances, or RBT_NO_LANES */
    bool affine;
} rbt_ref_t;

/* Longest record of 32 lanes whose distances fit 32 bits. */
enum { RBT_NEAR_WORDS = 2 + 32 / 2 };

/* Distances of the lanes of a mask from its first active lane; values of other lanes are undefined. */
typedef struct {
    int64_t from_first[32];
    /* The reader's: the record that it made of them last, for records with the same lanes. */
    uint64_t record[RBT_NEAR_WORDS];
    uint32_t n_words; /* of it; 0: there is none */
} rbt_lanes_t;

/* The history of a static instruction. */
typedef struct {
    rbt_ref_t last;
    uint64_t step;              /* distance between the last two executions */
    uint64_t first, first_step; /* address of the first execution in the last piece; its distance
                                 * from that of the piece before */
    uint64_t moved[2];          /* how far the last record was moved from its reference; [0]: in the
                                 * first piece of a block */
    uint64_t floor;             /* a bound below the unrelated addresses accessed so far; 0 at
                                 * first */
    uint64_t aim;               /* only the writer's: the floor if all records had used one */
    uint32_t piece;             /* number of the piece that executed it last */
} rbt_slot_t;

/* The history of a frame. Zeroed at its beginning. */
typedef struct {
    rbt_slot_t *slots; /* owned; one for each instruction with addresses that occurred */
    size_t n_slots, cap_slots;
    rbt_lanes_t *lanes; /* owned */
    size_t n_lanes, cap_lanes;
    rbt_ref_t *refs; /* owned; of all shapes */
    size_t n_refs, cap_refs;
    uint32_t *slot_of; /* owned; slot by static instruction, valid if stamp_of holds the current
                        * stamp */
    uint32_t *stamp_of;
    size_t n_code;
    uint32_t stamp;
} rbt_refs_t;

void rbt_refs_free(rbt_refs_t *r);

/* Forgets everything; instructions have numbers below n_code. */
void rbt_refs_reset(rbt_refs_t *r, size_t n_code);

/* Slot of a static instruction. Pointers to slots become invalid. */
uint32_t rbt_refs_slot(rbt_refs_t *r, uint32_t inst);

/* Adds n records of a new shape; returns the number of the first. */
size_t rbt_refs_add(rbt_refs_t *r, size_t n);

/* Adds a set of lane distances; returns its number. Pointers to sets become invalid. */
int32_t rbt_refs_add_lanes(rbt_refs_t *r);

/* The predicted start of a record. seen: its shape occurred earlier. */
static inline uint64_t rbt_predict(const rbt_ref_t *ref, const rbt_slot_t *s, bool seen,
                                   unsigned ctx, uint32_t piece)
{
    if (seen)
        return ref->base + s->moved[ctx];
    return s->piece == piece ? s->last.base + s->step : s->first + s->first_step;
}

/*
 * Stores now as the last record at ref. It is passed by value: reading back a struct right after
 * writing its parts one by one would stall the processor (store forwarding).
 */
static inline void rbt_remember(rbt_ref_t *ref, rbt_ref_t now, rbt_slot_t *s, bool seen,
                                unsigned ctx, uint32_t piece)
{
    if (seen)
        s->moved[ctx] = now.base - ref->base;
    if (s->piece == piece) {
        s->step = now.base - s->last.base;
    } else {
        s->first_step = s->last.mask != 0 ? now.base - s->first : 0;
        s->first = now.base;
        s->piece = piece;
    }
    *ref = now;
    s->last = now;
}

#endif
