#include "frontend/tool/run/program/run_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/emulator/record/launch_pipe.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/tool/run/sampled/plan_file.h"

/* The file that execvp() would execute; the word itself if there is none. */
static void find_file(const char *word, char file[PATH_MAX])
{
    const char *path = getenv("PATH");

    snprintf(file, PATH_MAX, "%s", word);
    if (strchr(word, '/') != NULL || path == NULL)
        return;
    while (*path != '\0') {
        size_t n = strcspn(path, ":");
        snprintf(file, PATH_MAX, "%.*s/%s", (int)n, path, word);
        if (access(file, X_OK) == 0)
            return;
        path += n + (path[n] == ':');
    }
    snprintf(file, PATH_MAX, "%s", word);
}

/* Delivers launches as the program makes them. */
static rb_code_t stream(run_program_t *p, trace_source_t **source, rb_err_t *err)
{
    int fd;

    RB_TRY(program_pipe(&p->child, &fd, err));
    *source = launch_pipe_source(fd, p->file);
    return RB_OK;
}

/* Delivers all launches from the temporary trace. */
static rb_code_t spool(run_program_t *p, trace_source_t **source, rb_err_t *err)
{
    char path[PATH_MAX];

    program_own_signals(&p->child);
    unsigned arch;
    RB_TRY(program_wait(&p->child, err));
    program_spool(&p->child, path);
    if (!program_launched(&p->child, &arch))
        return program_fail_unlaunched(&p->child, err);
    if (access(path, F_OK) != 0)
        return rb_fail(err, RB_TRACE, "%s: was not recorded, so there is nothing to simulate",
                       p->file);
    *source = rbt_open(path, err);
    return *source != NULL ? RB_OK : err->code;
}

rb_code_t run_program_begin(run_program_t *p, const program_options_t *options,
                            const sampling_options_t *sampling, bool revisits,
                            trace_source_t **source, rb_err_t *err)
{
    *p = (run_program_t){.options = *options};
    find_file(options->words[0], p->file);
    if (sampling->plan != NULL) {
        RB_TRY(plan_file_read(&p->plan, sampling->plan, err));
        p->options.plan = &p->plan;
    }
    p->options.spool = revisits;
    p->options.piped = !revisits;
    RB_TRY(program_start(&p->child, &p->options, err));
    return revisits ? spool(p, source, err) : stream(p, source, err);
}

/* Whether there is a launch; immediately known for a recorded trace. */
static rb_code_t has_first(trace_source_t *source, bool *there, rb_err_t *err)
{
    *there = source->ops->n_launches(source) > 0;
    if (*there && source->ops->has_launch != NULL)
        return source->ops->has_launch(source, 1, there, err);
    return RB_OK;
}

rb_code_t run_program_first(run_program_t *p, trace_source_t *source, unsigned *arch, rb_err_t *err)
{
    bool there;

    RB_TRY(has_first(source, &there, err));
    if (there && program_launched(&p->child, arch))
        return RB_OK;
    RB_TRY(program_wait(&p->child, err));
    return program_fail_unlaunched(&p->child, err);
}

rb_code_t run_program_wait(run_program_t *p, rb_err_t *err)
{
    return program_wait(&p->child, err);
}

int run_program_end(run_program_t *p, rb_code_t rc)
{
    rb_err_t unused = {0};
    bool ended = p->child.pid == 0;

    /* The program may have caused the error: without a reader it ends soon, if it has not
     * already. */
    if (rc == RB_TRACE && !ended)
        ended = program_wait(&p->child, &unused) == RB_OK;
    int status = ended ? p->child.status : 0;
    program_end(&p->child);
    plan_free(&p->plan);
    if (rc == RB_OK || status != 0)
        return status;
    return rc == RB_STOPPED ? rb_exit_code(rc) : PROGRAM_FAILED;
}
