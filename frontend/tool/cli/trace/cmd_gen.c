/* rubato gen: writes a generated workload, or the program of a listing, to a native trace file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/gen/gen.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/progress_line.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/gpu/source/read_blocks.h"

enum { THREADS_MAX = 64, COLUMN = 16 };

typedef struct {
    gen_spec_t spec;
    const char **params; /* owned: spec.params */
    size_t cap_params;
    const char *output, *tmpdir;
    uint64_t threads;
    unsigned progress; /* progress_when_t */
    bool force, list, help;
} gen_options_t;

/* --- options --------------------------------------------------------------------------------- */

static rb_code_t read_arch(const char *value, unsigned *arch, rb_err_t *err)
{
    static const char *const words[] = {"sm_70", "sm_75", NULL};
    static const unsigned numbers[] = {70, 75};
    unsigned i;

    RB_TRY(option_word("arch", value, words, &i, err));
    *arch = numbers[i];
    return RB_OK;
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    gen_options_t *o = ctx;
    switch (id) {
    case CLI_LIST:
        o->list = true;
        return RB_OK;
    case CLI_FORCE:
        o->force = true;
        return RB_OK;
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_TMPDIR:
        o->tmpdir = value;
        return RB_OK;
    case CLI_SIZE:
        return option_count("size", value, 1, UINT64_MAX, &o->spec.size, err);
    case CLI_BLOCKS:
        return option_count("blocks", value, 1, UINT64_MAX, &o->spec.blocks, err);
    case CLI_SEED:
        return option_count("seed", value, 0, UINT64_MAX, &o->spec.seed, err);
    case CLI_THREADS:
        return option_count("threads", value, 1, THREADS_MAX, &o->threads, err);
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    case CLI_ARCH:
        return read_arch(value, &o->spec.arch, err);
    case CLI_PARAM:
        rb_grow(&o->params, &o->cap_params, o->spec.n_params + 1, sizeof(o->params[0]));
        o->params[o->spec.n_params++] = value;
        o->spec.params = o->params;
        return RB_OK;
    default:
        rb_panic("gen: option %d is not handled", (int)id);
    }
}

static rb_code_t read_options(gen_options_t *o, int argc, char **argv, rb_err_t *err)
{
    cli_parser_t p;

    *o = (gen_options_t){.spec.seed = 1, .threads = 1};
    cli_parser_init(&p, cli_find_command("gen"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, &o->help, err));
    if (o->help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, o->list ? 0 : 1, 1, err));
    o->spec.kind = p.n_operands > 0 ? p.operands[0] : NULL;
    if (!o->list && o->output == NULL)
        return rb_fail(err, RB_USAGE, "the name of the trace is missing: -o FILE.rbt");
    return RB_OK;
}

/* --- the list of kinds ----------------------------------------------------------------------- */

static void print_params(const gen_kind_info_t *kind)
{
    for (unsigned i = 0; i < kind->n_params; i++) {
        const gen_param_t *p = &kind->params[i];
        char low[FORMAT_MAX], high[FORMAT_MAX], def[FORMAT_MAX];

        printf("    %-*s %s: %s .. %s, default %s\n", COLUMN - 4, p->name, p->help,
               format_grouped(low, p->min), format_grouped(high, p->max),
               format_grouped(def, p->def));
    }
}

static rb_code_t print_kinds(const char *only, rb_err_t *err)
{
    bool found = false;
    gen_list_t list;
    rb_code_t rc = gen_list_read(&list, err);

    for (unsigned i = 0; i < list.n && rc == RB_OK; i++) {
        const gen_kind_info_t *kind = &list.kind[i];

        if (only != NULL && strcmp(only, kind->name) != 0)
            continue;
        found = true;
        printf("%-*s %s\n", COLUMN, kind->name, kind->summary);
        print_params(kind);
    }
    if (rc == RB_OK && !found)
        rc = rb_fail(err, RB_USAGE, "there is no workload '%s'; see rubato gen --list", only);
    gen_list_free(&list);
    return rc == RB_OK ? out_flush_stdout(err) : rc;
}

/* --- writing --------------------------------------------------------------------------------- */

/* A source being written to a file. */
typedef struct {
    trace_source_t *source;
    rbt_writer_t *writer;
    trace_launch_t *launch; /* open launch */
    progress_line_t line;
    gpu_progress_t progress;
    uint64_t n_blocks; /* of the launch */
} pump_t;

static const char *inst_text(void *ctx, const inst_t *inst, uint32_t *len)
{
    const pump_t *p = ctx;

    return p->source->ops->inst_text(p->launch, inst, len);
}

static rb_code_t write_copies(pump_t *p, uint64_t id, rb_err_t *err)
{
    const memcpy_op_t *copies;
    size_t n = p->source->ops->copies(p->source, id, &copies);

    for (size_t i = 0; i < n; i++)
        RB_TRY(rbt_writer_copy(p->writer, &copies[i], err));
    return RB_OK;
}

/* Shows the progress after this many blocks of the launch. */
static void show_block(pump_t *p, uint64_t blocks)
{
    gpu_progress_t *g = &p->progress;

    g->launch_share = (double)blocks / (double)p->n_blocks;
    g->share = ((double)g->launches_done + g->launch_share) / (double)g->launches_total;
    progress_line_update(&p->line, g);
}

static rb_code_t write_blocks(pump_t *p, rb_err_t *err)
{
    for (uint64_t index = 0;; index++) {
        trace_block_t *block = NULL;

        RB_TRY(p->source->ops->get_block(p->launch, index, &block, err));
        if (block == NULL)
            return RB_OK;
        rb_code_t rc = rbt_writer_block(p->writer, block, err);

        p->progress.warp_insts += block->n_insts;
        show_block(p, index + 1);
        p->source->ops->free_block(p->launch, block);
        if (rc != RB_OK)
            return rc;
        if (stop_requested())
            return rb_fail(err, RB_STOPPED, "stopped: nothing was written");
    }
}

static rb_code_t write_launch(pump_t *p, uint64_t id, rb_err_t *err)
{
    launch_info_t info;

    RB_TRY(p->source->ops->launch_info(p->source, id, &info, err));
    RB_TRY(write_copies(p, id, err));
    RB_TRY(rbt_writer_launch(p->writer, &info, 1, inst_text, p, err));
    p->progress.launch_id = id;
    p->n_blocks = info.n_blocks;
    block_reading_t reading;
    RB_TRY(block_reading_open(&reading, p->source, id, err));
    p->launch = reading.launch;
    rb_code_t rc = write_blocks(p, err);

    if (rc == RB_OK)
        rc = rbt_writer_launch_end(p->writer, err);
    block_reading_close(&reading);
    p->progress.launches_done++;
    return rc;
}

static rb_code_t write_all(pump_t *p, rb_err_t *err)
{
    uint64_t n = p->source->ops->n_launches(p->source);

    p->progress.launches_total = n;
    for (uint64_t id = 1; id <= n; id++)
        RB_TRY(write_launch(p, id, err));
    return write_copies(p, n + 1, err);
}

static void print_summary(const gen_options_t *o, const pump_t *p)
{
    struct stat st;
    char insts[FORMAT_MAX], bytes[FORMAT_MAX];

    rb_info("%s: %llu launch%s, %s warp instructions, %s", o->output,
            (unsigned long long)p->progress.launches_total,
            p->progress.launches_total > 1 ? "es" : "",
            format_si(insts, (double)p->progress.warp_insts),
            stat(o->output, &st) == 0 ? format_bytes(bytes, (uint64_t)st.st_size) : "?");
}

static rb_code_t write_trace(const gen_options_t *o, rb_err_t *err)
{
    rbt_writer_options_t options = {
        .threads = (unsigned)o->threads, .overwrite = o->force, .producer = "rubato gen"};
    pump_t p = {.source = gen_open(&o->spec, err)};

    if (p.source == NULL)
        return err->code;
    p.source->tmpdir = o->tmpdir;
    stop_signals_catch();
    p.writer = rbt_writer_create(o->output, &options, err);
    if (p.writer == NULL) {
        p.source->ops->destroy(p.source);
        return err->code;
    }
    progress_line_begin(&p.line, (progress_when_t)o->progress);
    rb_code_t rc = write_all(&p, err);

    progress_line_end(&p.line);
    if (rc == RB_OK)
        rc = rbt_writer_finish(p.writer, err);
    else
        rbt_writer_discard(p.writer);
    p.source->ops->destroy(p.source);
    if (rc == RB_OK)
        print_summary(o, &p);
    return rc;
}

int cmd_gen(int argc, char **argv)
{
    rb_err_t err = {0};
    gen_options_t o;
    rb_code_t rc = read_options(&o, argc, argv, &err);

    if (rc == RB_OK && o.help) {
        cli_print_help(cli_find_command("gen"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK && o.list) {
        rc = print_kinds(o.spec.kind, &err);
    } else if (rc == RB_OK) {
        rc = write_trace(&o, &err);
    }
    free(o.params);
    return rc != RB_OK ? cli_report(&err) : 0;
}
