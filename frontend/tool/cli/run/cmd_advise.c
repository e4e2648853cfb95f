/* rubato advise: what bounds the kernels of a run, and what changes would bring. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/report/run_data.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/run_setup.h"
#include "frontend/tool/study/table/advice.h"
#include "sim/core/log.h"

enum { JOBS_MAX = 1024 };

typedef struct {
    const char *run, *trace, *output, *tmpdir;
    char *sample; /* owned */
    uint64_t jobs;
    unsigned progress;
} advise_options_t;

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    advise_options_t *o = ctx;
    switch (id) {
    case CLI_SAMPLE:
        return sample_option(&o->sample, value, err);
    case CLI_TRACE:
        o->trace = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_TMPDIR:
        o->tmpdir = value;
        return RB_OK;
    case CLI_JOBS:
        return option_count("jobs", value, 1, JOBS_MAX, &o->jobs, err);
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    default:
        rb_panic("advise: option %d is not handled", (int)id);
    }
}

/* Makes the study: the trace of the run with its resolved configuration. */
static rb_code_t make_study(study_t *study, const advise_options_t *o, const char *trace,
                            rb_err_t *err)
{
    char *config = out_path(o->run, "config.cfg");
    rb_code_t rc = study_add_trace(study, trace, NULL, NULL, 0, err);
    if (rc == RB_OK)
        rc = study_add_gpu(study, config, 0, err);
    if (rc == RB_OK && o->sample != NULL)
        rc = study_assign(study, &study->common, "sample", o->sample, 0, err);
    if (rc == RB_OK)
        rc = advice_points(study, err);
    if (rc == RB_OK)
        rc = study_finish(study, err);
    free(config);
    return rc;
}

/* The path of the run's trace, in new memory. */
static rb_code_t find_trace(const advise_options_t *o, char **trace, rb_err_t *err)
{
    run_data_t run;
    rb_code_t rc = run_data_read(&run, o->run, NULL, 0, err);
    const char *path = o->trace != NULL ? o->trace : rc == RB_OK ? run.trace : NULL;
    if (rc == RB_OK && (path == NULL || access(path, R_OK) != 0))
        rc = rb_fail(err, RB_IO, "%s: the trace %s cannot be read (%s): name it with --trace",
                     o->run, path != NULL ? path : "of the run", strerror(errno));
    *trace = rc == RB_OK ? realpath(path, NULL) : NULL;
    run_data_free(&run);
    return rc;
}

static rb_code_t print_advice(const sweep_t *s, rb_err_t *err)
{
    enum { KERNELS_MAX = 10 };
    advice_t a;
    rb_code_t rc = advice_read(&a, s, err);
    for (size_t i = 0; rc == RB_OK && i < a.n && i < KERNELS_MAX; i++) {
        if (i > 0)
            putchar('\n');
        advice_print(&a, &a.kernels[i], stdout);
    }
    if (rc == RB_OK && a.n > KERNELS_MAX)
        printf("\n... and %zu shorter kernels\n", a.n - KERNELS_MAX);
    if (rc == RB_OK)
        printf("\nPercentages are changes of the cycles. A perfect part has no limits and never "
               "misses.\n%s is the study: rubato report %s, rubato sweep table %s\n",
               s->folder, s->folder, s->folder);
    advice_free(&a);
    return rc == RB_OK ? out_flush_stdout(err) : rc;
}

/* *failed: a run of the study has failed. */
static rb_code_t run_study(sweep_t *s, const advise_options_t *o, const char *folder,
                           const char *trace, bool *failed, rb_err_t *err)
{
    study_t *study = study_create();
    size_t count[SWEEP_STATES];
    rb_code_t rc = make_study(study, o, trace, err);
    if (rc == RB_OK)
        rc = sweep_prepare(s, study, folder, o->tmpdir, err);
    study_destroy(study);
    RB_TRY(rc);
    RB_TRY(sweep_begin(s, err));
    RB_TRY(sweep_run(s, SWEEP_ALL, (size_t)o->jobs, (progress_when_t)o->progress, err));
    sweep_count(s, count);
    *failed = count[SWEEP_FAILED] > 0;
    return print_advice(s, err);
}

static rb_code_t advise_run(const advise_options_t *o, bool *failed, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    char *trace = NULL, *folder = o->output == NULL ? out_path(o->run, "advice") : NULL;
    rb_code_t rc = find_trace(o, &trace, err);
    if (rc == RB_OK)
        rc = run_study(&s, o, folder != NULL ? folder : o->output, trace, failed, err);
    if (rc == RB_STOPPED)
        rb_info("%s has the finished runs; the same command continues", s.folder);
    sweep_free(&s);
    free(folder);
    free(trace);
    return rc;
}

static rb_code_t advise(advise_options_t *o, int argc, char **argv, bool *failed, rb_err_t *err)
{
    cli_parser_t p;
    bool help;
    const cli_command_t *command = cli_find_command("advise");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, &help, err));
    if (help) {
        cli_print_help(command, stdout);
        return out_flush_stdout(err);
    }
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->run = p.operands[0];
    if (!out_has(o->run, "run.json") || !out_has(o->run, "config.cfg"))
        return rb_fail(err, RB_USAGE,
                       "%s: has no run.json and config.cfg: the folder of a run is expected, as "
                       "'rubato run -o' has named it",
                       o->run);
    return advise_run(o, failed, err);
}

int cmd_advise(int argc, char **argv)
{
    rb_err_t err = {0};
    bool failed = false;
    advise_options_t o = {.jobs = setup_usable_cores()};
    rb_code_t rc = advise(&o, argc, argv, &failed, &err);
    free(o.sample);
    if (rc != RB_OK && rc != RB_STOPPED)
        return cli_report(&err);
    return rc == RB_OK && failed ? 1 : rb_exit_code(rc);
}
