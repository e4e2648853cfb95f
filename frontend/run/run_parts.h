/*
 * Launches of a run that are simulated by several processes: each takes every N-th of them, and one
 * puts their records together, in the order in which a single process has them.
 *
 * The launches must be isolated (run --isolated): each on a chip of its own.
 */
#ifndef RUBATO_RUN_RUN_PARTS_H
#define RUBATO_RUN_RUN_PARTS_H

#include "frontend/run/run_record.h"

/* The name under which a complete part keeps its journal. */
extern const char run_part_journal[];

/* Every parts-th of ids [0, n) from the part-th on (from 1), in new memory; *n becomes how many. */
uint64_t *run_parts_pick(const uint64_t *ids, size_t *n, uint64_t part, uint64_t parts);

/* What a part's identity has besides that of the whole. */
enum { RUN_PART_TEXT = 64 };
void run_parts_identity(char text[RUN_PART_TEXT], uint64_t part, uint64_t parts);

/* A launch of a part, and the seconds that it took there. */
typedef rb_code_t (*run_part_fn)(void *ctx, const launch_result_t *r, double seconds,
                                 rb_err_t *err);

/*
 * Gives the launches of all parts, folders[0 .. n), to take() by ascending id. identity: of the
 * whole. RB_USAGE: a folder holds no complete part k/n of it; RB_IO; what take() returns.
 */
RB_CHECKED rb_code_t run_parts_merge(const char *const *folders, size_t n, const char *identity,
                                     run_part_fn take, void *ctx, rb_err_t *err);

#endif
