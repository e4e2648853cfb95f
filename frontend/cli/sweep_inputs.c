#include "frontend/cli/sweep_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cli/plan_file.h"
#include "frontend/cli/run_sampling.h"
#include "sim/core/alloc.h"

rb_code_t sweep_hash_file(const char *path, char text[SHA256_TEXT], rb_err_t *err)
{
    enum { CHUNK = 1 << 16 };
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    sha256_t h;
    char *buffer = rb_calloc(CHUNK, 1);
    sha256_init(&h);
    for (size_t n; (n = fread(buffer, 1, CHUNK, in)) > 0;)
        sha256_update(&h, buffer, n);
    rb_code_t rc = ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno)) : RB_OK;
    sha256_final_text(&h, text);
    free(buffer);
    fclose(in);
    return rc;
}

char *sweep_absolute(const char *path, rb_err_t *err)
{
    char *full = realpath(path, NULL);
    if (full == NULL)
        (void)rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return full;
}

/* Whether a run of the trace by this plan could begin. */
static rb_code_t check_plan(const char *path, trace_source_t *source, rb_err_t *err)
{
    plan_t plan;
    run_sampling_t sampling;
    launch_list_t launches;
    rb_err_t why = {0};
    RB_TRY(plan_file_read(&plan, path, err));
    rb_code_t rc = launch_list_of_trace(&launches, source, &why);
    if (rc == RB_OK)
        rc = run_sampling_begin(&sampling, &plan, &launches, &why);
    else
        plan_free(&plan);
    if (rc == RB_OK)
        run_sampling_free(&sampling);
    else
        rc = rb_fail(err, rc, "%s: %s", path, why.text);
    launch_list_free(&launches);
    return rc;
}

rb_code_t sweep_plans_add(sweep_plans_t *all, const char *path, size_t trace,
                          trace_source_t *source, rb_err_t *err)
{
    sweep_plan_t plan = {.trace = trace};
    if (sweep_plans_find(all, path, trace) != NULL)
        return RB_OK;
    RB_TRY(check_plan(path, source, err));
    RB_TRY(sweep_hash_file(path, plan.sha256, err));
    plan.full = sweep_absolute(path, err);
    if (plan.full == NULL)
        return err->code;
    plan.path = rb_strdup(path);
    rb_grow(&all->plan, &all->cap, all->n + 1, sizeof(*all->plan));
    all->plan[all->n++] = plan;
    return RB_OK;
}

const sweep_plan_t *sweep_plans_find(const sweep_plans_t *all, const char *path, size_t trace)
{
    for (size_t i = 0; path != NULL && i < all->n; i++) {
        if (all->plan[i].trace == trace && strcmp(all->plan[i].path, path) == 0)
            return &all->plan[i];
    }
    return NULL;
}

void sweep_plans_free(sweep_plans_t *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->plan[i].path);
        free(all->plan[i].full);
    }
    free(all->plan);
    *all = (sweep_plans_t){0};
}
