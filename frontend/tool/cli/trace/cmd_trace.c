/* rubato trace: verify, cat, slice. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/rbt/read/rbt_verify.h"
#include "frontend/input/rbt/write/rbt_store.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/cli/trace/launch_position.h"
#include "frontend/tool/cli/trace/trace_cat.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/run/results/trace_doubts.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_sampling.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/log.h"

typedef struct {
    const char *action, *trace, *output, *tmpdir;
    const char *launches, *blocks, *plan;
    trace_cat_t cat;
    bool force;
} trace_options_t;

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    trace_options_t *o = ctx;
    uint64_t n;

    switch (id) {
    case CLI_LAUNCH:
        return option_count("launch", value, 1, UINT64_MAX, &o->cat.launch, err);
    case CLI_BLOCK:
        return option_count("block", value, 0, UINT64_MAX, &o->cat.block, err);
    case CLI_WARP:
        RB_TRY(option_count("warp", value, 0, INT32_MAX, &n, err));
        o->cat.warp = (int64_t)n;
        return RB_OK;
    case CLI_LAUNCHES:
        o->launches = value;
        return RB_OK;
    case CLI_BLOCKS:
        o->blocks = value;
        return RB_OK;
    case CLI_PLAN:
        return option_once(&o->plan, "plan", value, err);
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_FORCE:
        o->force = true;
        return RB_OK;
    case CLI_TMPDIR:
        o->tmpdir = value;
        return RB_OK;
    default:
        return RB_OK;
    }
}

static rb_code_t read_options(trace_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;

    *o = (trace_options_t){.cat.warp = TRACE_CAT_ALL_WARPS};
    cli_parser_init(&p, cli_find_command("trace"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 2, 2, err));
    o->action = p.operands[0];
    o->trace = p.operands[1];
    return RB_OK;
}

static rb_code_t verify(const trace_options_t *o, rb_err_t *err)
{
    rbt_verified_t v;

    RB_TRY(rbt_verify(o->trace, &v, err));
    printf("%s: good: %" PRIu64 " launch%s, %" PRIu64 " block%s, %" PRIu64 " warp instructions\n",
           o->trace, v.launches, v.launches == 1 ? "" : "es", v.blocks, v.blocks == 1 ? "" : "s",
           v.warp_insts);
    trace_doubts_warn(o->trace, &v.doubts);
    return out_flush_stdout(err);
}

/* --- slice ----------------------------------------------------------------------------------- */

/* The part of the trace that a slice keeps; all owned. */
typedef struct {
    uint64_t *positions;
    double *weights;
    size_t n_positions;
    rbt_block_range_t *blocks;
    size_t n_blocks, cap_blocks;
    char *plan;
} slice_t;

static void slice_free(slice_t *s)
{
    free(s->positions);
    free(s->weights);
    free(s->blocks);
    free(s->plan);
}

/* Parses "0-79,400-": ascending positions. */
static rb_code_t parse_blocks(slice_t *s, const char *text, rb_err_t *err)
{
    uint64_t least = 0;

    for (const char *p = text;; p++) {
        rbt_block_range_t r;
        char *end;

        errno = 0;
        r.first = r.last = strtoull(p, &end, 10);
        bool good = *p >= '0' && *p <= '9' && errno == 0 && r.first >= least;

        if (*end == '-') {
            p = end + 1;
            r.last = UINT64_MAX;
            if (*p >= '0' && *p <= '9')
                r.last = strtoull(p, &end, 10);
            else
                end++;
        }
        if (!good || errno != 0 || r.last < r.first || (*end != ',' && *end != '\0') ||
            (r.last == UINT64_MAX && *end != '\0'))
            return rb_fail(err, RB_USAGE,
                           "--blocks %s: ascending numbers and ranges are expected, such as "
                           "0-79,400-",
                           text);
        rb_grow(&s->blocks, &s->cap_blocks, s->n_blocks + 1, sizeof(s->blocks[0]));
        s->blocks[s->n_blocks++] = r;
        if (*end == '\0')
            return RB_OK;
        least = r.last + 1;
        p = end;
    }
}

/* Converts ids of launches to positions. */
static rb_code_t find_positions(slice_t *s, trace_source_t *source, const uint64_t *ids, size_t n,
                                rb_err_t *err)
{
    s->positions = rb_calloc(n + 1, sizeof(*s->positions));
    s->n_positions = n;
    for (size_t i = 0; i < n; i++) {
        RB_TRY(launch_position(source, ids[i], &s->positions[i], err));
        if (s->positions[i] == 0)
            return rb_fail(err, RB_USAGE, "the trace has no launch %" PRIu64, ids[i]);
    }
    return RB_OK;
}

/* Keeps the plan, in any format, as JSON, and the weights of its launches. */
static rb_code_t take_plan(slice_t *s, trace_source_t *source, const plan_t *plan, rb_err_t *err)
{
    uint64_t *ids = rb_calloc(plan->n_samples + 1, sizeof(*ids));

    s->weights = rb_calloc(plan->n_samples + 1, sizeof(*s->weights));
    rb_code_t code = find_positions(s, source, ids, plan_weights(plan, ids, s->weights), err);
    free(ids);
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);

    if (code == RB_OK)
        code = plan_file_write(plan, PLAN_FORMAT_JSON, out, err);
    s->plan = memory_file_close(&memory, NULL);
    return code;
}

static rb_code_t choose(slice_t *s, const trace_options_t *o, trace_source_t *source, rb_err_t *err)
{
    if (o->blocks != NULL)
        RB_TRY(parse_blocks(s, o->blocks, err));
    if (o->launches != NULL && o->plan != NULL)
        return rb_fail(err, RB_USAGE, "--launches and --plan exclude each other");
    if (o->launches != NULL)
        return launch_positions(source, o->launches, &s->positions, &s->n_positions, err);
    if (o->plan == NULL)
        return RB_OK;
    plan_t plan = {0};

    RB_TRY(plan_file_read(&plan, o->plan, err));
    rb_code_t code = run_sampling_check_plan(&plan, o->plan, source, err);

    if (code == RB_OK)
        code = take_plan(s, source, &plan, err);

    plan_free(&plan);
    return code;
}

static rb_code_t slice(const trace_options_t *o, trace_source_t *source, rb_err_t *err)
{
    slice_t s = {0};
    rbt_stored_t stored;

    if (o->output == NULL)
        return rb_fail(err, RB_USAGE, "slice needs -o FILE");
    rb_code_t code = choose(&s, o, source, err);

    if (code == RB_OK) {
        rbt_store_options_t store = {
            .path = o->output,
            .writer.overwrite = o->force,
            .stop = stop_requested_of,
            .select = {.positions = s.positions,
                       .weights = s.weights,
                       .n_positions = s.n_positions,
                       .blocks = s.blocks,
                       .n_blocks = s.n_blocks,
                       .plan = s.plan},
        };
        stop_signals_catch();
        code = rbt_store(source, &store, &stored, err);
        if (code == RB_OK && stored.blocks == 0 && o->blocks != NULL)
            rb_warn("--blocks %s: no launch has such a block, so the slice would be empty",
                    o->blocks);
    }
    slice_free(&s);
    RB_TRY(code);
    rb_info("%s: %" PRIu64 " launch%s, %" PRIu64 " block%s", o->output, stored.launches,
            stored.launches == 1 ? "" : "es", stored.blocks, stored.blocks == 1 ? "" : "s");
    return RB_OK;
}

static rb_code_t on_source(const trace_options_t *o, rb_err_t *err)
{
    rubato_trace *trace = library_trace_open(o->trace, o->tmpdir, err);

    if (trace == NULL)
        return err->code;
    trace_source_t *source = library_trace_source(trace);
    rb_code_t code = RB_OK;

    if (source->ops->n_launches(source) == 0)
        code = rb_fail(err, RB_TRACE, "%s: has no kernel launches", o->trace);
    else if (strcmp(o->action, "cat") == 0)
        code = trace_cat(source, &o->cat, stdout, err);
    else
        code = slice(o, source, err);
    rubato_trace_destroy(trace);
    RB_TRY(code);
    return out_flush_stdout(err);
}

static rb_code_t act(const trace_options_t *o, rb_err_t *err)
{
    if (strcmp(o->action, "verify") == 0)
        return verify(o, err);
    if (strcmp(o->action, "cat") == 0 || strcmp(o->action, "slice") == 0)
        return on_source(o, err);
    return rb_fail(err, RB_USAGE, "trace: '%s' is not one of verify, cat, slice", o->action);
}

int cmd_trace(int argc, char **argv)
{
    rb_err_t err = {0};
    trace_options_t options;
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("trace"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = act(&options, &err);
    }
    return rc != RB_OK ? cli_report(&err) : 0;
}
