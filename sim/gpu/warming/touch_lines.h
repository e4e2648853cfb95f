/*
 * The lines that a warp's access to global memory touches, for walks without time. The same lines
 * as those of coalesce.h in the same order, but without what only timing needs.
 */
#ifndef RUBATO_GPU_TOUCH_LINES_H
#define RUBATO_GPU_TOUCH_LINES_H

#include "sim/sm/memory/coalesce.h"

/* Slots of a hash table of lines; more make it less likely that two lines meet. */
enum { TOUCH_SLOTS = 1024, GATHER_BITS = 13, GATHER_SLOTS = 1 << GATHER_BITS };

/* Zeroed at the beginning, then used for one instruction after the other. */
typedef struct {
    uint32_t n;
    uint64_t line[COALESCE_MAX_LINES];
    uint8_t sectors[COALESCE_MAX_LINES];
    uint8_t full[COALESCE_MAX_LINES]; /* writes: sectors of which all bytes are written */
    uint32_t bytes[COALESCE_MAX_LINES][SECTORS_PER_LINE]; /* writes: masks of the other sectors */
    coalesced_t all;                                      /* room for the model's own function */
    uint8_t seen[TOUCH_SLOTS];  /* round in which a line of the slot was seen */
    uint8_t place[TOUCH_SLOTS]; /* place of the line that was seen last */
    uint8_t round;              /* one for each instruction */
    uint8_t met[GATHER_SLOTS];  /* gathers: the same with more slots */
    uint8_t gathers;
} touch_lines_t;

/* The lines of an address record of accesses of width bytes. */
void touch_lines(touch_lines_t *out, const uint64_t *rec, unsigned width, bool write);

#endif
