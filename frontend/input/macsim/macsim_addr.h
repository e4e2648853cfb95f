/* Derives addresses of lanes from the lines that a memory instruction touched (rules: macsim.h). */
#ifndef RUBATO_MACSIM_ADDR_H
#define RUBATO_MACSIM_ADDR_H

#include "frontend/input/macsim/macsim_record.h"

/* The records of one memory instruction. */
typedef struct {
    macsim_record_t first;
    uint8_t further_size; /* mem_access_size of the second record */
    bool flagged;         /* the further records are marked as such: each one is a line */
    uint64_t *addrs;      /* owned; mem_addr of each record */
    size_t n, cap;
} macsim_access_t;

enum { MACSIM_LINE = 128, MACSIM_RECORDS_MAX = 1 << 16 };

/* Whether a record continues the access: same instruction, same mask. */
bool macsim_access_continues(const macsim_access_t *a, const macsim_record_t *record);

/* Bytes per lane: 1, 2, 4, 8 or 16; 4 if unknown. */
unsigned macsim_access_width(const macsim_access_t *a);

/*
 * Addresses of the lanes in first.active_mask (not 0), in lane order. first_lane: a single record
 * holds the address of the first lane, not of a line.
 */
void macsim_access_lanes(const macsim_access_t *a, unsigned width, bool first_lane,
                         uint64_t addr[32]);

/*
 * Whether a single record shows that its tracer writes the first lane's address: the address is not
 * that of a line, or the lanes do not fit into one line.
 */
bool macsim_access_is_first_lane(const macsim_access_t *a);

#endif
