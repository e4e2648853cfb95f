/*
 * Forged native traces: a part of a good file is changed before it is packed, and all checksums,
 * sizes and positions are adjusted. Only the contents of the part are wrong.
 */
#ifndef RUBATO_TESTS_RBT_FORGE_H
#define RUBATO_TESTS_RBT_FORGE_H

#include "frontend/input/rbt/rbt_bytes.h"

typedef enum {
    FORGE_FRAME,    /* the first frame of thread blocks */
    FORGE_PAGE,     /* the page of blocks */
    FORGE_LAUNCHES, /* the page of launches */
    FORGE_CODE,     /* code of the first kernel */
    FORGE_ROOT,
    FORGE_NOTHING,
} forge_part_t;

/* The unpacked bytes of a part of path. Owned by the caller. */
rbt_buf_t rbt_forge_part(const char *path, forge_part_t part);

/*
 * Writes path, which has one page of blocks and one of launches, to copy, with these bytes for the
 * part. Positions of pages and code in other parts are adjusted.
 */
void rbt_forge(const char *path, const char *copy, forge_part_t part, const rbt_buf_t *bytes);

/* Copies path so that everything but its header comes after a hole of this many bytes. */
void rbt_forge_hole(const char *path, const char *copy, uint64_t hole);

#endif
