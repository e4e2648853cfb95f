/*
 * Divides the launches of a run among several processes: each one simulates every N-th launch, and
 * one process merges their records in the order of a single process.
 *
 * The launches must be isolated (run --isolated), each on its own chip.
 */
#ifndef RUBATO_RUN_RUN_PARTS_H
#define RUBATO_RUN_RUN_PARTS_H

#include "frontend/tool/run/run_record.h"

/* The file name under which a complete part keeps its journal. */
extern const char run_part_journal[];

/* Every parts-th of ids [0, n), starting with the part-th (from 1), in new memory; *n becomes their
 * number. */
uint64_t *run_parts_pick(const uint64_t *ids, size_t *n, uint64_t part, uint64_t parts);

/* The line that distinguishes a part's identity from that of the whole run. */
enum { RUN_PART_TEXT = 64 };
void run_parts_identity(char text[RUN_PART_TEXT], uint64_t part, uint64_t parts);

/* The receiver of merged parts. Its errors end the merge. */
typedef struct {
    void *ctx;
    /* Receives a file that a part has read, and its SHA-256 as text. */
    rb_code_t (*read)(void *ctx, const char *file, const char *sha256, rb_err_t *err);
    /* Receives a launch of a part, with its error, and the seconds that it took there. */
    rb_code_t (*launch)(void *ctx, const launch_result_t *r, const launch_error_t *error,
                        double seconds, rb_err_t *err);
} run_parts_taker_t;

/*
 * Passes the files that the parts, folders[0 .. n), have read to take->read, then their launches to
 * take->launch by ascending id. identity: of the whole run. RB_USAGE: a folder does not have the
 * complete part k/n of the run; RB_IO; results of take's functions.
 */
RB_CHECKED rb_code_t run_parts_merge(const char *const *folders, size_t n, const char *identity,
                                     const run_parts_taker_t *take, rb_err_t *err);

/* The same with journals of parts, which the caller closes; an identity is not checked. */
RB_CHECKED rb_code_t run_parts_join(journal_t *const *journals, size_t n,
                                    const run_parts_taker_t *take, rb_err_t *err);

#endif
