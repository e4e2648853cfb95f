/*
 * The open launch while it is written. Its blocks go into frames and into the index page that
 * describes them, and their counts into its row. Frames and pages are written when full; a page may
 * describe blocks of several launches.
 */
#ifndef RUBATO_RBT_LAUNCH_PUT_H
#define RUBATO_RBT_LAUNCH_PUT_H

#include "frontend/input/rbt/write/rbt_index_put.h"
#include "frontend/input/rbt/write/rbt_writer.h"

typedef struct {
    rbt_pack_t *pack;     /* borrowed: where frames and pages go */
    rbt_root_put_t *root; /* borrowed; holds kernels and pages */
    launch_info_t info;
    rbt_launch_row_t row;
    uint64_t number;     /* position of the launch in the file, from 0 */
    uint64_t *bb_counts; /* owned; executions per basic block */
    size_t cap_bb_counts;
    rbt_walk_t walk;
    rbt_pointers_t pointers;
    rbt_frame_put_t frame;
    bool frame_open;
    rbt_page_put_t page;
    rbt_bb_count_t *counts; /* owned: of the warp being written */
    size_t n_counts, cap_counts;
    rbt_buf_t raw;
} rbt_launch_put_t;

void rbt_launch_put_free(rbt_launch_put_t *l);

/* Begins a launch; weight and text as in rbt_writer_launch(). */
void rbt_launch_put_begin(rbt_launch_put_t *l, const launch_info_t *info, uint64_t number,
                          double weight, rbt_inst_text_fn text, void *text_ctx);

/* Appends a block. */
RB_CHECKED rb_code_t rbt_launch_put_block(rbt_launch_put_t *l, const trace_block_t *block,
                                          rb_err_t *err);

/* Ends the launch and completes its row. */
RB_CHECKED rb_code_t rbt_launch_put_end(rbt_launch_put_t *l, rb_err_t *err);

/* Ends the page unless it is empty. No frame may be open. */
RB_CHECKED rb_code_t rbt_launch_put_page(rbt_launch_put_t *l, rb_err_t *err);

#endif
