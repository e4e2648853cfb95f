/* The state of a walk over the launches before one, for the files that walk: before_launch.c and launch_footprint.c. */
#ifndef RUBATO_GPU_BEFORE_LAUNCH_H
#define RUBATO_GPU_BEFORE_LAUNCH_H

#include "sim/core/hash_map.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/warming/footprint.h"
#include "sim/gpu/warming/unbounded_l2.h"
#include "sim/parts/cache/replacement.h"

/* Caches before a launch, while they are brought there. */
typedef struct {
    gpu_t *g;
    trace_source_t *source;
    uint64_t position;   /* of the launch */
    uint64_t first, end; /* skipped launches that are not walked yet: [first, end) */
    l2_chip_tags_t tags; /* of the chip; the array is owned */
    cache_t **recent;    /* by slice: the lines that the walked launches leave */
    cache_t **older;     /* by slice: while launches are walked, the chip's own L2 */
    uint32_t *writes;    /* owned; by slice and set: writes of the walked launches, */
    uint32_t *written;   /* owned; and of the one that is being walked */
    footprint_t **left;  /* owned, and what they point to; the latest first */
    size_t n_left, cap_left;
    hash_map_t keys; /* of those */
    trail_t trail;
    bool *met;            /* owned; by kernel: its code and pages are in the trail */
    unbounded_l2_t *open; /* where a launch is walked; NULL: the chip's L2 */
    bool counts;  /* whether the walked blocks touch the L2; otherwise only their code does, if */
    bool fetches; /* the launch is the first one of its kernel */
    uint64_t allowed;   /* instructions */
    uint64_t news;      /* lines that only the step brings, or brings modified */
    l2_warmed_t warmed; /* sums over all that was walked */
    uint64_t placed;    /* lines, by the last launch that was added (footprint_t) */
    uint32_t batches;
    launch_touched_t *cost;
    bool may_lead; /* the launch before may be simulated */
    bool lead;     /* it has to be */
} before_t;

/* Whether what an L2 does next depends on its lines and their order of use alone. */
static inline bool before_is_lru(const before_t *b)
{
    return b->g->spec.mem.l2.replacement == REPLACEMENT_LRU;
}

/*
 * Walks blocks of launch k: for what they leave in the L2 (counts), or only for their code and pages; then the code goes to
 * the L2 if it is the first launch of a kernel; later ones find it in the SMs.
 */
RB_CHECKED rb_code_t before_walk_blocks(before_t *b, uint64_t k, bool counts,
                                        const uint64_t (*range)[2], size_t n_ranges, rb_err_t *err);

/* The key of launch k's footprint; 0: it cannot be remembered. */
RB_CHECKED rb_code_t before_key(const before_t *b, uint64_t k, uint64_t *key, rb_err_t *err);

/* What launch k leaves on a chip whose L2 is empty, as it is again afterwards: from a walk of this chip, or of another
 * one if it has that key. The caller frees *out or keeps it. */
RB_CHECKED rb_code_t before_walk_launch(before_t *b, uint64_t k, const launch_info_t *info,
                                        uint64_t key, footprint_t *out, rb_err_t *err);

/* What the chip holds, which was empty before; it is empty again. */
void before_take_footprint(before_t *b, uint64_t warp_insts, uint64_t placed, footprint_t *out);

/* The lines of code that a launch with this footprint brings to the L2, which is empty before and afterwards. */
void before_touch_code(before_t *b, const footprint_t *of, footprint_t *out);

/* Walks launch k, which will be simulated, for other chips that share walks and skip it. */
RB_CHECKED rb_code_t before_share_launch(before_t *b, uint64_t k, rb_err_t *err);

/* Brings to the chip's L2 what the walked launches left, in the order of the program. */
void before_replay(const before_t *b);

#endif
