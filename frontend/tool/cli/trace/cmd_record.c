/*
 * rubato record: runs a CUDA program without a GPU. The program is started with our CUDA runtime in
 * front of NVIDIA's; it executes the kernels and writes the trace.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/emulator/record/recorded_launches.h"
#include "frontend/input/accelsim/write/accelsim_writer.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/program/program_child.h"
#include "frontend/tool/run/results/run_waits.h"
#include "frontend/tool/run/run_setup.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_sampling.h"
#include "sim/core/files/new_file.h"

typedef struct {
    program_options_t program;
    setup_options_t setup; /* the GPU that the program sees, the folder for temporary files */
    const char *accelsim, *plan;
    bool no_trace;
} record_options_t;

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    record_options_t *o = ctx;
    program_options_t *p = &o->program;
    bool known;

    RB_TRY(program_option(p, id, value, &known, err));
    if (known || setup_option(&o->setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_OUTPUT:
        p->trace = value;
        break;
    case CLI_LAUNCHES:
        p->launches = value;
        return recorded_launches_valid(value)
                   ? RB_OK
                   : rb_fail(err, RB_USAGE,
                             "--launches: '%s' is not a list of launches such as 3-7,12,20-",
                             value);
    case CLI_PROFILE:
        p->profile = value;
        break;
    case CLI_FORCE:
        p->replace = true;
        break;
    case CLI_NO_TRACE:
        o->no_trace = true;
        break;
    case CLI_ACCELSIM:
        o->accelsim = value;
        break;
    case CLI_PLAN:
        return option_once(&o->plan, "plan", value, err);
    case CLI_THREADS:
        return option_count("threads", value, 1, SETUP_THREADS_MAX, &p->threads, err);
    default:
        break;
    }
    return RB_OK;
}

/* Checks the destination of the trace and the choice of launches. */
static rb_code_t check_options(const record_options_t *o, rb_err_t *err)
{
    const program_options_t *p = &o->program;

    if ((p->trace != NULL) + (o->accelsim != NULL) + o->no_trace != 1)
        return rb_fail(
            err, RB_USAGE,
            "the destination of the trace is missing: -o FILE, --accelsim DIR, or --no-trace");
    if (p->launches != NULL && o->plan != NULL)
        return rb_fail(err, RB_USAGE, "--launches and --plan exclude each other");
    if (!o->no_trace && p->threads > 0)
        return rb_fail(err, RB_USAGE, "--threads needs --no-trace: the order of a trace is fixed");
    if (o->no_trace && (p->launches != NULL || o->plan != NULL))
        return rb_fail(err, RB_USAGE, "--no-trace and --%s exclude each other",
                       o->plan != NULL ? "plan" : "launches");
    if (p->trace != NULL)
        RB_TRY(new_file_check(p->trace, p->replace, err));
    return o->accelsim != NULL ? accelsim_check_target(o->accelsim, err) : RB_OK;
}

static rb_code_t read_options(record_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;

    *o = (record_options_t){0};
    cli_parser_init(&p, cli_find_command("record"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, INT_MAX, err));
    o->program.words = p.operands;
    o->program.setup = &o->setup;
    o->program.spool = o->accelsim != NULL;
    o->program.tmpdir = library_tmpdir(o->setup.tmpdir);
    RB_TRY(check_options(o, err));
    if (o->no_trace && o->program.threads == 0)
        o->program.threads = setup_usable_cores();
    return RB_OK;
}

/* --- what was recorded ----------------------------------------------------------------------- */

/* Checks that the trace at path has the requested launches; converts it to text if requested. */
static rb_code_t finish_trace(const record_options_t *o, const char *path, plan_t *plan,
                              rb_err_t *err)
{
    trace_source_t *source;
    rb_code_t rc = RB_OK;

    if (access(path, F_OK) != 0)
        return rb_fail(err, RB_TRACE, "%s: no trace was written", o->program.words[0]);
    source = rbt_open(path, err);
    if (source == NULL)
        return err->code;
    run_waits_tell(source, o->accelsim != NULL ? "in the text of a trace" : NULL);
    if (plan != NULL)
        rc = run_sampling_check_plan(plan, o->plan, source, err);
    if (rc == RB_OK && o->accelsim != NULL)
        rc = accelsim_write(source, o->accelsim, NULL, err);
    source->ops->destroy(source);
    if (rc != RB_OK)
        unlink(path);
    return rc;
}

static rb_code_t finish(const record_options_t *o, program_child_t *child, plan_t *plan,
                        rb_err_t *err)
{
    char spool[PATH_MAX];

    unsigned arch;

    RB_TRY(program_wait(child, err));
    if (o->no_trace)
        return RB_OK;
    if (!program_launched(child, &arch) && child->status != PROGRAM_FAILED)
        return program_fail_unlaunched(child, err);
    if (child->status != 0)
        return RB_OK;
    program_spool(child, spool);
    return finish_trace(o, o->accelsim != NULL ? spool : o->program.trace, plan, err);
}

static rb_code_t record(record_options_t *o, int *status, rb_err_t *err)
{
    program_child_t child = {0};
    plan_t plan = {0};
    rb_code_t rc = o->plan != NULL ? plan_file_read(&plan, o->plan, err) : RB_OK;

    if (rc == RB_OK) {
        o->program.plan = o->plan != NULL ? &plan : NULL;
        rc = program_start(&child, &o->program, err);
    }
    if (rc == RB_OK) {
        program_own_signals(&child);
        rc = finish(o, &child, o->plan != NULL ? &plan : NULL, err);
    }
    *status = child.status;
    program_end(&child);
    o->program.plan = NULL;
    plan_free(&plan);
    return rc;
}

int cmd_record(int argc, char **argv)
{
    rb_err_t err = {0};
    record_options_t options;
    bool help;
    int status = 0;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("record"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = record(&options, &status, &err);
    }
    free(options.setup.sets.text);
    if (rc == RB_OK)
        return status;
    cli_report(&err);
    return status != 0 && rc == RB_TRACE ? status : PROGRAM_FAILED;
}
