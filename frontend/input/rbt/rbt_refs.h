/*
 * What the coding of addresses knows about the past of a frame, kept alike by the writer and the
 * reader: for each record of a shape the one at the same place of the warp that had the shape
 * last, and for each static instruction its last record.
 *
 * A record is predicted to look like its reference (same stride, or same distances between lanes)
 * and to begin
 *   where the reference begins, moved as far as the last record of this instruction was moved from
 *     its own reference (kept apart for the first piece of a block), if the shape was there before;
 *   else, at the first execution in a piece, where that of the piece before it was, moved as far as
 *     it was moved then;
 *   else behind the execution before it, as far as that one lies behind its own predecessor.
 * Addresses that have nothing to do with each other, such as those of a gather, are best stored as
 * distances from a floor of the instruction, which is near the beginning of what it indexes.
 */
#ifndef RUBATO_RBT_REFS_H
#define RUBATO_RBT_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/stream.h"

enum { RBT_NO_LANES = -1 };

/* How a record is stored: bits of its mode. 0 is as predicted, and only counted. */
enum {
    RBT_LAYOUT_MASK = 3,
    RBT_LAYOUT_SAME = 0,   /* like the reference */
    RBT_LAYOUT_STRIDE = 1, /* affine, stride follows */
    RBT_LAYOUT_DELTAS = 2, /* differences to the lane before follow */
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
    int32_t lanes; /* number of its lane distances, kept for later; or RBT_NO_LANES */
    bool affine;
} rbt_ref_t;

/* Distances of the lanes of a mask from the first active one; others are undefined. */
typedef struct {
    int64_t from_first[32];
} rbt_lanes_t;

/* The past of a static instruction. */
typedef struct {
    rbt_ref_t last;
    uint64_t step;              /* between the last two executions */
    uint64_t first, first_step; /* first execution of the last piece; from the piece before */
    uint64_t moved[2];          /* [0]: in the first piece of a block */
    uint64_t floor;             /* below the unrelated addresses that it accessed; 0 at first */
    uint64_t aim;               /* of the writer: the floor, had all records had one */
    uint32_t piece;             /* number of the piece that executed it last */
} rbt_slot_t;

/* The past of a frame. Zeroed at its beginning. */
typedef struct {
    rbt_slot_t *slots; /* owned: one for each instruction with addresses that was met */
    size_t n_slots, cap_slots;
    rbt_lanes_t *lanes; /* owned */
    size_t n_lanes, cap_lanes;
    rbt_ref_t *refs; /* owned: those of all shapes */
    size_t n_refs, cap_refs;
    uint32_t *slot_of; /* owned: by static instruction, slot + 1 in a frame of this stamp */
    uint32_t *stamp_of;
    size_t n_code;
    uint32_t stamp;
} rbt_refs_t;

void rbt_refs_free(rbt_refs_t *r);

/* Forgets everything; instructions are numbered below n_code. */
void rbt_refs_reset(rbt_refs_t *r, size_t n_code);

/* Slot of a static instruction. Slots move. */
uint32_t rbt_refs_slot(rbt_refs_t *r, uint32_t inst);

/* Begins n records of a shape; returns the number of the first. */
size_t rbt_refs_add(rbt_refs_t *r, size_t n);

/* A set of lane distances. They move. */
int32_t rbt_refs_add_lanes(rbt_refs_t *r);

/* Where a record is predicted to begin. seen: its shape was there before. */
static inline uint64_t rbt_predict(const rbt_ref_t *ref, const rbt_slot_t *s, bool seen,
                                   unsigned ctx, uint32_t piece)
{
    if (seen)
        return ref->base + s->moved[ctx];
    return s->piece == piece ? s->last.base + s->step : s->first + s->first_step;
}

/*
 * Remembers now as the record at ref. By value: read back at once from where its parts were written
 * one by one, it would make the processor wait.
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
