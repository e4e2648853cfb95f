/* rubato convert: converts any kind of trace to a native file, or to Accel-Sim's text. */
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/write/accelsim_writer.h"
#include "frontend/input/rbt/write/rbt_store.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/run/progress_line.h"
#include "sim/core/files/new_file.h"
#include "sim/core/log.h"

enum { THREADS_MAX = 64 };

typedef enum { TO_RBT, TO_ACCELSIM } convert_to_t;
static const char *const to_words[] = {"rbt", "accelsim", NULL};

/* In the order of accelsim_packing_t. */
static const char *const pack_words[] = {"none", "xz", "zst", NULL};

typedef struct {
    const char *from, *to;
    const char *tmpdir;
    unsigned format, packing, progress;
    unsigned threads;
    bool force;
} convert_options_t;

/* A running conversion. */
typedef struct {
    trace_source_t *source;
    progress_line_t line;
    uint64_t launches, warp_insts;
    unsigned calls;
} conversion_t;

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    convert_options_t *o = ctx;
    uint64_t n;

    switch (id) {
    case CLI_TO:
        return option_word("to", value, to_words, &o->format, err);
    case CLI_PACK:
        return option_word("pack", value, pack_words, &o->packing, err);
    case CLI_FORCE:
        o->force = true;
        return RB_OK;
    case CLI_THREADS:
        RB_TRY(option_count("threads", value, 1, THREADS_MAX, &n, err));
        o->threads = (unsigned)n;
        return RB_OK;
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    default: /* CLI_TMPDIR */
        o->tmpdir = value;
        return RB_OK;
    }
}

static rb_code_t read_options(convert_options_t *o, int argc, char **argv, bool *help,
                              rb_err_t *err)
{
    cli_parser_t p;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    *o = (convert_options_t){.progress = PROGRESS_AUTO,
                             .threads = cores > 0 && cores < THREADS_MAX ? (unsigned)cores : 1};
    cli_parser_init(&p, cli_find_command("convert"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 2, 2, err));
    if (o->packing != ACCELSIM_PLAIN && o->format != TO_ACCELSIM)
        return rb_fail(err, RB_USAGE,
                       "--pack needs --to accelsim: a native file is always compressed");
    o->from = p.operands[0];
    o->to = p.operands[1];
    return RB_OK;
}

static void show_progress(conversion_t *c)
{
    enum { CALLS_PER_LOOK = 16 };
    gpu_progress_t g = {
        .launch_id = c->launches,
        .launches_done = c->launches > 0 ? c->launches - 1 : 0,
        .launches_total = c->source->ops->n_launches(c->source),
        .warp_insts = c->warp_insts,
        .share = -1.0,
    };
    uint64_t done, total;

    if (c->calls++ % CALLS_PER_LOOK != 0)
        return;
    c->source->ops->progress(c->source, &done, &total);
    if (total > 0)
        g.share = (double)done / (double)total;
    progress_line_update(&c->line, &g);
}

static void on_block(void *ctx, uint64_t launch, uint64_t insts)
{
    conversion_t *c = ctx;

    c->launches = launch;
    c->warp_insts = insts;
    show_progress(c);
}

static rb_code_t on_text_block(void *ctx, const launch_info_t *info, const trace_block_t *block,
                               rb_err_t *err)
{
    conversion_t *c = ctx;

    c->launches += block->index == 0;
    c->warp_insts += block->n_insts;
    (void)info;
    show_progress(c);
    return stop_requested() ? rb_fail(err, RB_STOPPED, "stopped") : RB_OK;
}

/* Source and target must differ: the file would be read while it is replaced. */
static rb_code_t check_target(const convert_options_t *o, rb_err_t *err)
{
    struct stat from, to;

    if (stat(o->to, &to) != 0)
        return RB_OK;
    if (stat(o->from, &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
        return rb_fail(err, RB_USAGE, "%s: source and target are the same", o->to);
    return o->format == TO_RBT ? new_file_check(o->to, o->force, err) : RB_OK;
}

static rb_code_t to_rbt(conversion_t *c, const convert_options_t *o, rb_err_t *err)
{
    rbt_store_options_t store = {
        .path = o->to,
        .writer = {.threads = o->threads, .overwrite = o->force},
        .progress = on_block,
        .stop = stop_requested_of,
        .ctx = c,
    };
    rbt_stored_t stored;
    struct stat st;
    char insts[FORMAT_MAX], bytes[FORMAT_MAX];
    rb_code_t code = rbt_store(c->source, &store, &stored, err);

    progress_line_end(&c->line);
    RB_TRY(code);
    if (stat(o->to, &st) == 0)
        rb_info("%s: %llu launch%s, %llu blocks, %s warp instructions in %s", o->to,
                (unsigned long long)stored.launches, stored.launches == 1 ? "" : "es",
                (unsigned long long)stored.blocks, format_si(insts, (double)stored.warp_insts),
                format_bytes(bytes, (uint64_t)st.st_size));
    return RB_OK;
}

static rb_code_t to_accelsim(conversion_t *c, const convert_options_t *o, rb_err_t *err)
{
    accelsim_writer_options_t options = {
        .packing = (accelsim_packing_t)o->packing, .step = on_text_block, .step_ctx = c};
    rb_code_t code = accelsim_write(c->source, o->to, &options, err);

    progress_line_end(&c->line);
    RB_TRY(code);
    char insts[FORMAT_MAX];
    rb_info("%s: %llu launch%s, %s warp instructions as Accel-Sim's text", o->to,
            (unsigned long long)c->launches, c->launches == 1 ? "" : "es",
            format_si(insts, (double)c->warp_insts));
    return RB_OK;
}

static rb_code_t convert(const convert_options_t *o, rb_err_t *err)
{
    conversion_t c = {0};

    RB_TRY(check_target(o, err));
    rubato_trace *trace = library_trace_open(o->from, o->tmpdir, err);
    if (trace == NULL)
        return err->code;
    c.source = library_trace_source(trace);
    stop_signals_catch();
    progress_line_begin(&c.line, (progress_when_t)o->progress);
    rb_code_t code = o->format == TO_RBT ? to_rbt(&c, o, err) : to_accelsim(&c, o, err);

    rubato_trace_destroy(trace);
    return code;
}

int cmd_convert(int argc, char **argv)
{
    rb_err_t err = {0};
    convert_options_t options;
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("convert"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = convert(&options, &err);
    }
    return rc != RB_OK ? cli_report(&err) : 0;
}
