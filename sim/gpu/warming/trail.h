/*
 * What launches that were walked without time leave behind in the SMs: the code and the pages that
 * they used. Launches are noted in any order; applying them brings the instruction caches of the
 * SMs and GPCs, the TLBs and the MMU to where the launches, in the order of the trace, would have
 * left them. What these held before stays beneath.
 *
 * Which block runs on which SM is not known without time. A launch with fewer blocks than SMs uses
 * the first ones of the placement order; otherwise all SMs are assumed to use all of its code and
 * pages.
 */
#ifndef RUBATO_GPU_TRAIL_H
#define RUBATO_GPU_TRAIL_H

#include <stddef.h>

#include "sim/core/engine/msg.h"
#include "sim/gpu/source/trace_source.h"

struct gpu;

typedef struct {
    uint64_t address; /* of a line of code or of a page */
    uint64_t when;    /* order of use */
    uint32_t sms;     /* used by the first SMs of the placement order: how many */
    bool code;
    uint8_t sub_cores; /* code: executed by this many sub-cores; 0: only fetched ahead */
} trail_item_t;

/* Direct-mapped: what the launch has noted lately. */
enum { TRAIL_CODE = 256, TRAIL_PAGES = 64 };

typedef struct {
    trail_item_t *item; /* owned */
    size_t n, cap;
    uint32_t n_sms, n_sub_cores, ahead; /* of the chip; lines that are fetched ahead */
    uint64_t page;                      /* bytes */
    /* The launch that is being noted. */
    size_t begun; /* its first item */
    uint64_t when;
    uint32_t sms;
    uint8_t sub_cores;
    uint64_t seen_code[TRAIL_CODE], seen_page[TRAIL_PAGES];
} trail_t;

void trail_init(trail_t *t, const struct gpu *g);
void trail_free(trail_t *t);

/* Begins and ends the notes of launch `position`; trail_drop() forgets them instead. */
void trail_begin(trail_t *t, uint64_t position, const launch_info_t *info);
void trail_end(trail_t *t);
void trail_drop(trail_t *t);

/* trail_copy() copies the notes of the last launch, relative to position 0; trail_repeat() adds such notes as
 * those of another launch at `position`. The caller frees *items. */
size_t trail_copy(const trail_t *t, trail_item_t **items);
/* Makes such notes of another chip those of a launch on this one. */
void trail_adapt(const trail_t *t, const launch_info_t *info, trail_item_t *items, size_t n);
void trail_repeat(trail_t *t, uint64_t position, const trail_item_t *items, size_t n);

/* For the two below. */
void trail_add(trail_t *t, uint64_t address, bool code);

/* The launch executes a line of code, or accesses an address. */
static inline void trail_code(trail_t *t, uint64_t line)
{
    uint64_t *seen = &t->seen_code[line / LINE_BYTES % TRAIL_CODE];
    if (*seen != line)
        trail_add(t, line, true);
    *seen = line;
}

static inline void trail_page(trail_t *t, uint64_t address)
{
    const uint64_t page = address & ~(t->page - 1);
    uint64_t *seen = &t->seen_page[page / t->page % TRAIL_PAGES];
    if (*seen != page)
        trail_add(t, page, false);
    *seen = page;
}

/* Brings the SMs, the GPCs' code caches and the MMU of an idle chip to where the launches would have
 * left them. The trail is empty afterwards. */
void trail_apply(trail_t *t, struct gpu *g);

#endif
