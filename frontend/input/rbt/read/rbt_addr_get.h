/* Decodes what rbt_addr_put.h wrote. */
#ifndef RUBATO_RBT_ADDR_GET_H
#define RUBATO_RBT_ADDR_GET_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/rbt_refs.h"

typedef struct {
    rbt_refs_t refs;
    rbt_in_t *cols;     /* borrowed: RBT_COL_COUNT columns */
    uint64_t predicted; /* records left that match their prediction */
    uint32_t piece;
    unsigned ctx;
    bool seen;
    bool bad; /* the data is inconsistent */
} rbt_addr_get_t;

/* Begins the records of a frame. */
void rbt_addr_get_begin(rbt_addr_get_t *g);

/* Writes the next record, for the lanes of mask, to out (room for ADDR_RECORD_MAX); returns its
 * length in words. */
size_t rbt_addr_get(rbt_addr_get_t *g, uint32_t mask, size_t ref, uint32_t slot, uint64_t *out);

/*
 * Does the work of n calls of rbt_addr_get() for the records ref, ref + 1, ... if all are affine
 * and match their prediction; otherwise returns false and changes nothing. out has room for two
 * words per record. slots and masks are those of the records.
 */
bool rbt_addr_get_all(rbt_addr_get_t *g, size_t n, size_t ref, const uint32_t *slots,
                      const uint32_t *masks, uint64_t *out);

#endif
