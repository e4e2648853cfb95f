/*
 * A walk over blocks without time: what their warps access in global memory, by line, and the code
 * that they execute. Used to bring caches to where blocks that are not simulated would have left
 * them (warmup.c, before_launch.c), and to count what a launch does to the L2 (shadow.h).
 *
 * As many blocks as the chip holds are walked together. They take turns; in a turn, each warp of a
 * block executes one to four memory instructions. The number is random, and some blocks are up to a
 * tenth slower than others, because blocks on a chip do not stay in step either. A block that is
 * done makes room for the next one. Fewer blocks are walked together if their decoded instructions
 * would take more than TOUCH_MEMORY bytes.
 *
 * Local memory is left out, because nobody reads its lines after the launch.
 */
#ifndef RUBATO_GPU_TOUCH_WALK_H
#define RUBATO_GPU_TOUCH_WALK_H

#include "sim/gpu/source/trace_source.h"
#include "sim/mem/l2_tags.h"

/* Memory instructions that a warp executes in a turn: 1 .. TOUCH_TURN. */
enum { TOUCH_TURN = 4 };

/* Decoded instructions that a walk holds, unless a single block has more. */
enum { TOUCH_MEMORY = 64 << 20 };

/* Counts of a part of the walk; instructions are counted when their block begins. */
typedef struct {
    uint64_t warp_insts;
    uint64_t requests;                /* accesses to lines of global memory; */
    uint64_t write_requests;          /* of them, stores */
    uint64_t sectors[L2_TOUCH_KINDS]; /* of them; of data only */
    uint64_t l1_sectors;              /* of loads that use the L1 */
} touch_counts_t;

/* A part of the walk, in order. */
typedef struct {
    uint64_t bin; /* of all its blocks */
    const l2_touch_t *touch;
    size_t n;
    l2_masks_t masks; /* byte masks of writes */
    touch_counts_t counts;
} touch_batch_t;

/* An access that the L1 sees: a load that uses it, or a store. */
typedef struct {
    uint64_t line;
    uint8_t sectors, full; /* as in l2_touch_t */
    bool store;
} touch_l1_t;

/* Who receives what is walked over. */
typedef struct {
    void (*take)(void *ctx, const touch_batch_t *batch);
    void *ctx;
    /*
     * An access is a repeat if one of the last `reach` accesses read or wrote the same sectors of
     * the line (code: or executed it), so that a cache that is much larger does not change but for
     * the order of use. 0: every access is handed over, and code with every run of instructions.
     */
    uint32_t reach;
    /* Optional: only accesses to lines in these slices are handed over, or counted as repeats. */
    const addr_map_t *map;   /* with slices */
    const bool *slices;      /* by number; NULL: all slices */
    const bool *enough;      /* the walk may end as soon as it is true; NULL: it may not */
    uint64_t slots;          /* blocks that run at the same time, at least 1 */
    const uint8_t *half;     /* by slot: the half of the chip that it is in; NULL: there is one */
    uint64_t blocks_per_bin; /* batches do not mix bins of this many blocks; 0: all are bin 0 */
    /* Optional, both or none: the slots (0, 1, ...) and blocks whose accesses to the L1 are wanted, and
     * who gets them, a turn of a warp at a time. Repeats are among them. */
    bool (*wants_l1)(void *ctx, uint64_t slot, uint64_t block);
    void (*take_l1)(void *ctx, uint64_t slot, uint64_t block, const touch_l1_t *access, size_t n);
    /* Optional: a block that begins. */
    void (*begin)(void *ctx, trace_block_t *block);
} touch_consumer_t;

/* A reach for a cache of that many lines. Its order of use is then exact to an eighth, which is
 * less than what is unknown anyway: how fast the blocks of a wave proceed. */
static inline uint32_t touch_reach(uint64_t lines)
{
    const uint64_t reach = lines / 8;
    return reach < UINT32_MAX ? (uint32_t)reach : UINT32_MAX;
}

/* Walks blocks [first, end) of launch `id` of the source, as far as they exist. code_base: address
 * of the launch's code. Returns errors of reading; what was walked before has been handed over. */
RB_CHECKED rb_code_t touch_walk(trace_source_t *source, uint64_t id, uint64_t first, uint64_t end,
                                uint64_t code_base, const touch_consumer_t *consumer,
                                rb_err_t *err);

/* The same in steps, which together hand over what touch_walk() does. The consumer's slots and what it points to must
 * stay until the walk is closed. *out is NULL after an error. */
typedef struct touch_walk touch_walk_t;
RB_CHECKED rb_code_t touch_walk_open(touch_walk_t **out, trace_source_t *source, uint64_t id,
                                     uint64_t first, uint64_t end, uint64_t code_base,
                                     const touch_consumer_t *consumer, rb_err_t *err);

/* Goes on until all blocks before `until` have run; some later ones have then begun. */
RB_CHECKED rb_code_t touch_walk_go(touch_walk_t *k, uint64_t until, rb_err_t *err);
bool touch_walk_is_done(const touch_walk_t *k);

/* A walk that is done goes on with blocks [first, end). No access is a repeat of one before. */
void touch_walk_move(touch_walk_t *k, uint64_t first, uint64_t end);

/* NULL is allowed. */
void touch_walk_close(touch_walk_t *k);

#endif
