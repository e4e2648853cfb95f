/*
 * What the open launches of a file share. Index pages of blocks: a page describes the blocks of many
 * small launches; the last one that was read stays, so that it is not read again for each of them.
 * Unpackers: they are large, and small launches are opened and closed by the thousand.
 */
#ifndef RUBATO_RBT_PAGES_H
#define RUBATO_RBT_PAGES_H

#include <pthread.h>

#include "frontend/input/rbt/read/rbt_index_get.h"

typedef struct {
    rbt_page_t page;
    size_t number;  /* in the file */
    unsigned users; /* guarded by the lock below; freed without any */
} rbt_shared_page_t;

enum { RBT_SPARE_UNPACKERS = 4 };

typedef struct {
    pthread_mutex_t lock;
    rbt_shared_page_t *last; /* is one of its users; NULL: none */
    rbt_unpacker_t *spare[RBT_SPARE_UNPACKERS];
    unsigned n_spare;
} rbt_pages_t;

void rbt_pages_init(rbt_pages_t *p);
void rbt_pages_free(rbt_pages_t *p);

/* Page `number` of the file, for rbt_pages_give(). From any thread with its own unpacker. Errors as
 * of rbt_page_read(). */
RB_CHECKED rb_code_t rbt_pages_take(rbt_pages_t *p, const rbt_file_t *f, size_t number,
                                    rbt_unpacker_t *unpacker, rbt_shared_page_t **out,
                                    rb_err_t *err);

/* An unpacker for one thread, to be given back; NULL: no memory. */
rbt_unpacker_t *rbt_pages_take_unpacker(rbt_pages_t *p);
void rbt_pages_give_unpacker(rbt_pages_t *p, rbt_unpacker_t *unpacker);

/* page may be NULL. */
void rbt_pages_give(rbt_pages_t *p, rbt_shared_page_t *page);

#endif
