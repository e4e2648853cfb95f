/* rubato info: lists the contents of a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/cli/trace/info_graph.h"
#include "frontend/tool/cli/trace/info_index.h"
#include "frontend/tool/cli/trace/info_suite.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/results/run_waits.h"
#include "frontend/tool/run/results/trace_doubts.h"
#include "frontend/tool/run/run_setup.h"
#include "sim/core/files/json_write.h"
#include "sim/core/files/memory_file.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/source/read_blocks.h"
#include "sim/stats/stats.h"

/* Properties of one launch. */
typedef struct {
    launch_info_t info;
    occupancy_t occupancy;
    bool fits; /* a block fits on an SM, and occupancy is set */
    uint64_t file_bytes;
    uint64_t stored, warp_insts, thread_insts; /* totals of the blocks in the trace; only with
                                                * --count */
    stream_doubts_t doubts;                    /* the same */
} launch_facts_t;

typedef struct {
    setup_options_t setup;
    text_list_t match;
    bool json, count;
    bool index; /* print a view of the index instead */
    index_view_t view;
} info_options_t;

static index_view_t view_of(cli_option_id_t id)
{
    return id == CLI_LAUNCHES ? INDEX_LAUNCHES
           : id == CLI_BLOCKS ? INDEX_BLOCKS
           : id == CLI_CODE   ? INDEX_CODE
                              : INDEX_BBV;
}

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    info_options_t *o = ctx;
    (void)err;
    if (setup_option(&o->setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_JSON:
        o->json = true;
        return RB_OK;
    case CLI_MATCH:
        text_list_add(&o->match, value);
        return RB_OK;
    case CLI_COUNT:
        o->count = true;
        return RB_OK;
    default: /* a view of the index */
        o->index = true;
        o->view = view_of(id);
        return RB_OK;
    }
}

static rb_code_t read_options(info_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;
    *o = (info_options_t){0};
    cli_parser_init(&p, cli_find_command("info"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->setup.trace = p.operands[0];
    return RB_OK;
}

static void count_block(launch_facts_t *f, const trace_block_t *b)
{
    f->stored++;
    f->warp_insts += b->n_insts;
    for (uint32_t w = 0; w < b->n_warps; w++) {
        warp_stream_t *warp = &b->warps[w];
        for (bool some = stream_first(warp); some; some = stream_next(warp))
            for (uint32_t i = 0; i < warp->n_runs; i++)
                f->thread_insts += (uint64_t)warp->runs[i].count *
                                   (unsigned)__builtin_popcount(warp->runs[i].mask);
    }
}

/* Reads every block of a launch. */
static rb_code_t count_launch(trace_source_t *source, uint64_t position, launch_facts_t *f,
                              rb_err_t *err)
{
    const trace_source_ops_t *ops = source->ops;
    block_reading_t reading;
    RB_TRY(block_reading_open(&reading, source, position, err));
    stream_doubts_memo_t memo = {0};
    rb_code_t rc = RB_OK;
    for (uint64_t index = 0;; index++) {
        trace_block_t *block = NULL;
        rc = ops->get_block(reading.launch, index, &block, err);
        if (rc != RB_OK || block == NULL)
            break;
        count_block(f, block);
        stream_doubts_block(&f->doubts, &memo, block);
        ops->free_block(reading.launch, block);
    }
    block_reading_close(&reading);
    return rc;
}

static rb_code_t read_launch(setup_t *s, const info_options_t *o, uint64_t id, launch_facts_t *f,
                             rb_err_t *err)
{
    *f = (launch_facts_t){0};
    RB_TRY(s->source->ops->launch_info(s->source, id, &f->info, err));
    rb_err_t unfit = {0};
    f->fits = occupancy_compute(s->spec, &f->info, &f->occupancy, &unfit) == RB_OK;
    struct stat st;
    if (stat(f->info.file, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", f->info.file, strerror(errno));
    f->file_bytes = (uint64_t)st.st_size;
    return o->count ? count_launch(s->source, id, f, err) : RB_OK;
}

/* Totals of the launches listed so far. */
typedef struct {
    uint64_t blocks, stored, file_bytes, warp_insts, thread_insts;
    stream_doubts_t doubts;
    const char *file; /* borrowed; file of the last launch */
} info_totals_t;

static void add_totals(info_totals_t *t, const launch_facts_t *f)
{
    t->blocks += f->info.n_blocks;
    t->stored += f->stored;
    if (t->file == NULL || strcmp(t->file, f->info.file) != 0) /* a file may hold several
                                                                * launches */
        t->file_bytes += f->file_bytes;
    t->file = f->info.file;
    t->warp_insts += f->warp_insts;
    t->thread_insts += f->thread_insts;
    stream_doubts_add(&t->doubts, &f->doubts);
}

static double theoretical(const setup_t *s, const launch_facts_t *f)
{
    return stats_ratio((uint64_t)f->occupancy.blocks_per_sm * f->occupancy.warps_per_block,
                       s->spec->sm.sm.max_warps);
}

static void dim(char *text, size_t n, const uint32_t d[3])
{
    snprintf(text, n, "%ux%ux%u", d[0], d[1], d[2]);
}

static void print_head(const setup_t *s, const info_options_t *o, FILE *out)
{
    fprintf(out, "%s: %llu launch%s, %s, sm_%u; occupancy on %s%s\n\n", o->setup.trace,
            (unsigned long long)s->n_launches, s->n_launches > 1 ? "es" : "", s->source->ops->name,
            s->first.arch, s->gpu,
            s->gpu_is_default ? " (chosen by the architecture; --gpu to change)" : "");
    fprintf(out, "%6s %6s  %-32s %14s %12s %5s %9s %9s", "launch", "id", "kernel", "grid", "block",
            "regs", "shared", "file");
    if (o->count)
        fprintf(out, " %10s %12s", "warp inst", "thread inst");
    fprintf(out, "  %s\n", "occupancy");
}

static void print_launch(const setup_t *s, const info_options_t *o, const launch_facts_t *f,
                         FILE *out)
{
    char name[33], grid[40], block[40], shared[FORMAT_MAX], file[FORMAT_MAX];
    char warps[FORMAT_MAX], threads[FORMAT_MAX], share[FORMAT_MAX];
    dim(grid, sizeof(grid), f->info.grid);
    dim(block, sizeof(block), f->info.block);
    fprintf(out, "%6llu %6llu  %-32s %14s %12s %5u %9s %9s", (unsigned long long)f->info.id,
            (unsigned long long)f->info.trace_id, format_kernel(name, sizeof(name), f->info.name),
            grid, block, f->info.regs, format_bytes(shared, f->info.shared_bytes),
            format_bytes(file, f->file_bytes));
    if (o->count)
        fprintf(out, " %10s %12s", format_si(warps, (double)f->warp_insts),
                format_si(threads, (double)f->thread_insts));
    if (f->fits)
        fprintf(out, "  %s, %u block%s per SM (%s)\n", format_share(share, theoretical(s, f)),
                f->occupancy.blocks_per_sm, f->occupancy.blocks_per_sm > 1 ? "s" : "",
                f->occupancy.limiter);
    else
        fprintf(out, "  a block does not fit an SM\n");
}

static rb_code_t print_table(setup_t *s, const info_options_t *o, FILE *out, rb_err_t *err)
{
    info_totals_t t = {0};
    launch_facts_t f;
    char bytes[FORMAT_MAX];
    print_head(s, o, out);
    for (uint64_t id = 1; id <= s->n_launches; id++) {
        RB_TRY(read_launch(s, o, id, &f, err));
        print_launch(s, o, &f, out);
        add_totals(&t, &f);
    }
    fprintf(out, "\n%llu block%s", (unsigned long long)t.blocks, t.blocks == 1 ? "" : "s");
    if (o->count && t.stored != t.blocks)
        fprintf(out, ", %llu of them", (unsigned long long)t.stored);
    fprintf(out, " in %s", format_bytes(bytes, t.file_bytes));
    if (o->count)
        fprintf(out, ", %llu warp instructions, %llu thread instructions",
                (unsigned long long)t.warp_insts, (unsigned long long)t.thread_insts);
    else
        fputs("; --count reads the instructions, and says what of them looks damaged", out);
    fprintf(out, "\n");
    trace_doubts_warn(o->setup.trace, &t.doubts);
    run_waits_tell(s->source, NULL);
    return info_graph_text(s->source, out, err);
}

static void json_launch(json_t *j, const setup_t *s, const info_options_t *o,
                        const launch_facts_t *f)
{
    json_begin_object(j, NULL);
    json_u64(j, "id", f->info.id);
    json_u64(j, "trace_id", f->info.trace_id);
    json_text(j, "name", f->info.name);
    json_text(j, "file", f->info.file);
    json_u64(j, "file_bytes", f->file_bytes);
    json_u64(j, "stream", f->info.stream);
    json_u64(j, "arch", f->info.arch);
    json_u32s(j, "grid", f->info.grid, 3);
    json_u32s(j, "block", f->info.block, 3);
    json_u64(j, "blocks", f->info.n_blocks);
    json_u64(j, "registers", f->info.regs);
    json_u64(j, "shared_bytes", f->info.shared_bytes);
    if (o->count) {
        json_u64(j, "stored_blocks", f->stored);
        json_u64(j, "warp_instructions", f->warp_insts);
        json_u64(j, "thread_instructions", f->thread_insts);
    }
    if (f->fits) {
        json_begin_object(j, "occupancy");
        json_f64(j, "theoretical", theoretical(s, f));
        json_text(j, "limiter", f->occupancy.limiter);
        json_u64(j, "blocks_per_sm", f->occupancy.blocks_per_sm);
        json_u64(j, "carveout", f->occupancy.carveout);
        json_end(j);
    } else {
        json_null(j, "occupancy");
    }
    json_end(j);
}

static rb_code_t print_json(setup_t *s, const info_options_t *o, FILE *out, rb_err_t *err)
{
    info_totals_t t = {0};
    launch_facts_t f;
    json_t j;
    json_init(&j, out);
    json_begin_object(&j, NULL);
    json_text(&j, "trace", o->setup.trace);
    json_text(&j, "format", s->source->ops->name);
    json_text(&j, "gpu", s->gpu);
    json_begin_rows(&j, "launches");
    for (uint64_t id = 1; id <= s->n_launches; id++) {
        RB_TRY(read_launch(s, o, id, &f, err));
        json_launch(&j, s, o, &f);
        add_totals(&t, &f);
    }
    json_end(&j);
    json_begin_object(&j, "totals");
    json_u64(&j, "launches", s->n_launches);
    json_u64(&j, "blocks", t.blocks);
    json_u64(&j, "file_bytes", t.file_bytes);
    if (o->count) {
        json_u64(&j, "stored_blocks", t.stored);
        json_u64(&j, "warp_instructions", t.warp_insts);
        json_u64(&j, "thread_instructions", t.thread_insts);
        trace_doubts_json(&j, &t.doubts);
        trace_doubts_warn(o->setup.trace, &t.doubts);
    }
    json_end(&j);
    run_waits_json(s->source, &j);
    RB_TRY(info_graph_json(s->source, &j, err));
    json_end(&j);
    return RB_OK;
}

static rb_code_t check_suite_options(const info_options_t *o, bool suite, rb_err_t *err)
{
    if (!suite && o->match.n > 0)
        return rb_fail(err, RB_USAGE, "%s: --match is for a folder or an archive of traces",
                       o->setup.trace);
    if (suite && (o->index || o->count))
        return rb_fail(err, RB_USAGE, "%s: name one of its traces for --%s", o->setup.trace,
                       o->index ? "launches, --blocks, --code and --bbv" : "count");
    return RB_OK;
}

/* Reads the whole trace before printing anything. */
static rb_code_t info(const info_options_t *o, setup_t *s, rb_err_t *err)
{
    const bool suite = info_is_suite(o->setup.trace);
    memory_file_t memory;
    size_t n;
    RB_TRY(check_suite_options(o, suite, err));
    if (!suite)
        RB_TRY(setup_open(s, &o->setup, err));
    FILE *out = memory_file_open(&memory);
    rb_code_t rc = suite ? info_suite(o->setup.trace, &o->match, o->json, o->setup.tmpdir, out, err)
                   : o->index ? info_index(s->source, o->view, out, err)
                   : o->json  ? print_json(s, o, out, err)
                              : print_table(s, o, out, err);
    char *text = memory_file_close(&memory, &n);
    if (rc == RB_OK) {
        fwrite(text, 1, n, stdout);
        rc = out_flush_stdout(err);
    }
    free(text);
    return rc;
}

int cmd_info(int argc, char **argv)
{
    rb_err_t err = {0};
    info_options_t options;
    setup_t setup = {0};
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);
    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("info"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = info(&options, &setup, &err);
        setup_close(&setup);
    }
    free(options.setup.sets.text);
    free(options.match.text);
    return rc != RB_OK ? cli_report(&err) : 0;
}
