#include "frontend/input/rbt/read/rbt_digest.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "sim/core/mix64.h"

static void add_bytes(uint64_t *digest, const uint8_t *p, size_t n)
{
    *digest = mix64(*digest ^ rbt_checksum(p, n)) + MIX64_STEP;
}

/* What blocks do not hold of a launch, without what tells it from its equals. */
static uint64_t digest_of_row(const rbt_launch_row_t *r)
{
    rbt_launch_row_t row = *r;
    uint64_t digest = 0;
    row.id = row.trace_id = row.stream = row.weight = 0;
    add_bytes(&digest, (const uint8_t *)&row, sizeof(row));
    return digest;
}

/* Adds a frame: the lengths of its columns and their bytes, but the position of the launch, which is the
 * first number of the first column. */
static bool add_frame(uint64_t *digest, const rbt_buf_t *bytes)
{
    enum { LENGTHS = RBT_COL_COUNT * sizeof(uint32_t) };
    if (bytes->n < LENGTHS)
        return false;
    rbt_in_t in = {.at = bytes->p + LENGTHS, .end = bytes->p + bytes->n};
    (void)rbt_get_varint(&in);
    add_bytes(digest, bytes->p + sizeof(uint32_t), LENGTHS - sizeof(uint32_t));
    add_bytes(digest, in.at, (size_t)(in.end - in.at));
    return !in.bad;
}

/* Adds the frames of the launch's blocks from `block` of the page on. Returns the page's end, as a
 * number of blocks of the launch. */
static rb_code_t add_page(trace_launch_t *l, uint64_t *block, rbt_buf_t *bytes, uint64_t *digest,
                          rb_err_t *err)
{
    const uint64_t first = l->first_block + *block;
    RB_TRY(rbt_launch_load_page(l, rbt_file_block_page(l->file, first), err));
    const rbt_page_t *p = &l->page->page;
    const uint64_t page_first = l->file->block_pages[l->page->number].first_block;
    const uint64_t end = l->first_block + l->n_blocks - page_first;
    for (size_t i = rbt_launch_frame_of(p, first - page_first); i < p->n_frames; i++) {
        const rbt_frame_ref_t *f = &p->frames[i];
        if (f->first_block >= end && f->n_blocks > 0)
            break;
        RB_TRY(rbt_file_read(l->file, &f->place, RBT_FRAME_BYTES, "frame of thread blocks",
                             l->unpacker, bytes, err));
        if (!add_frame(digest, bytes))
            return rbt_file_fail(l->file, f->place.offset, "frame of thread blocks",
                                 "a column ends early", err);
    }
    *block = page_first + p->n_blocks - l->first_block;
    return RB_OK;
}

rb_code_t rbt_launch_digest(trace_launch_t *l, uint64_t *out, rb_err_t *err)
{
    rbt_buf_t bytes = {0};
    uint64_t digest = digest_of_row(&l->launch.row);
    rb_code_t rc = RB_OK;
    for (uint64_t block = 0; rc == RB_OK && block < l->n_blocks;)
        rc = add_page(l, &block, &bytes, &digest, err);
    free(bytes.p);
    *out = digest;
    return rc;
}
