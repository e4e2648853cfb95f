/* What the jobs of a sweep read besides their traces: profiles, and plans. */
#ifndef RUBATO_CLI_SWEEP_INPUTS_H
#define RUBATO_CLI_SWEEP_INPUTS_H

#include "sim/core/err.h"
#include "sim/core/sha256.h"
#include "sim/gpu/trace_source.h"

/* SHA-256 of the bytes of a file. RB_IO. */
RB_CHECKED rb_code_t sweep_hash_file(const char *path, char text[SHA256_TEXT], rb_err_t *err);

/* The path from the root, so that a job runs from any folder; to be freed. NULL: RB_IO. */
char *sweep_absolute(const char *path, rb_err_t *err);

typedef struct {
    char *path; /* owned: as the study has it */
    char *full; /* owned: from the root */
    char sha256[SHA256_TEXT];
    size_t trace; /* number of the trace that it fits */
} sweep_plan_t;

typedef struct {
    sweep_plan_t *plan; /* owned, with its texts */
    size_t n, cap;
} sweep_plans_t;

/*
 * Reads a plan and checks it against a trace of the study, unless that was done before. RB_IO;
 * RB_TRACE: it is no plan, or one of another program.
 */
RB_CHECKED rb_code_t sweep_plans_add(sweep_plans_t *all, const char *path, size_t trace,
                                     trace_source_t *source, rb_err_t *err);

/* A plan that was added; NULL if path is. */
const sweep_plan_t *sweep_plans_find(const sweep_plans_t *all, const char *path, size_t trace);

void sweep_plans_free(sweep_plans_t *all);

#endif
