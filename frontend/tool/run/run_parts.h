/*
 * Launches of a run that are simulated by several processes: each takes every N-th of them, and one
 * puts their records together, in the order in which a single process has them.
 *
 * The launches must be isolated (run --isolated): each on a chip of its own.
 */
#ifndef RUBATO_RUN_RUN_PARTS_H
#define RUBATO_RUN_RUN_PARTS_H

#include "frontend/tool/run/run_record.h"

/* The name under which a complete part keeps its journal. */
extern const char run_part_journal[];

/* Every parts-th of ids [0, n) from the part-th on (from 1), in new memory; *n becomes how many. */
uint64_t *run_parts_pick(const uint64_t *ids, size_t *n, uint64_t part, uint64_t parts);

/* What a part's identity has besides that of the whole. */
enum { RUN_PART_TEXT = 64 };
void run_parts_identity(char text[RUN_PART_TEXT], uint64_t part, uint64_t parts);

/* Who puts the parts together. Errors end it. */
typedef struct {
    void *ctx;
    /* A file that a part has read, and its SHA-256 as text. */
    rb_code_t (*read)(void *ctx, const char *file, const char *sha256, rb_err_t *err);
    /* A launch of a part, and the seconds that it took there. */
    rb_code_t (*launch)(void *ctx, const launch_result_t *r, double seconds, rb_err_t *err);
} run_parts_taker_t;

/*
 * Gives the files that the parts, folders[0 .. n), have read to take->read, then their launches to
 * take->launch by ascending id. identity: of the whole. RB_USAGE: a folder holds no complete part
 * k/n of it; RB_IO; what take's functions return.
 */
RB_CHECKED rb_code_t run_parts_merge(const char *const *folders, size_t n, const char *identity,
                                     const run_parts_taker_t *take, rb_err_t *err);

#endif
