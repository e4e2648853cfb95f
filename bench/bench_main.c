/*
 * rubato_bench: how fast the model is, and whether it still computes the same.
 *
 * Every case runs from memory (decoded input), from text, and on two threads; the table gives warp
 * instructions and sectors per second of processor time of the median run. Counts are compared with expected.tsv.
 * --instructions counts the host's instructions instead; --shards says what more threads would bring.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_cases.h"
#include "bench/bench_expect.h"
#include "bench/bench_instructions.h"
#include "bench/bench_run.h"
#include "bench/bench_shards.h"
#include "bench/bench_startup.h"
#include "bench/bench_text.h"
#include "tests/support/trace/spec_load.h"

enum { REPEATS = 3, PARALLEL = 2 };

typedef struct {
    const char *gpu, *only, *expected;
    const char *stage; /* set in a counted process; otherwise NULL */
    unsigned repeats;
    bool quick, check, update, instructions, shards;
    gpu_spec_t spec;
} bench_options_t;

typedef struct {
    char name[BENCH_NAME_BYTES];
    bool has_memory, has_text, has_parallel;
    bench_result_t memory, text, parallel;
    uint64_t text_bytes;
} bench_row_t;

static trace_source_t *open_case(const void *ctx, rb_err_t *err)
{
    const bench_case_t *c = ctx;

    (void)err;
    return synth_source(c->build());
}

static int host_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static bool same_counts(const bench_counts_t *a, const bench_counts_t *b)
{
    return a->insts == b->insts && a->sectors == b->sectors && a->cycles == b->cycles;
}

static double per_second(uint64_t n, double seconds)
{
    return seconds > 0 ? (double)n / seconds : 0;
}

static rb_code_t run_generated(const bench_options_t *o, const bench_case_t *c, bench_row_t *row,
                               rb_err_t *err)
{
    char path[BENCH_PATH_BYTES];

    RB_TRY(bench_run(&o->spec, 1, o->repeats, open_case, c, &row->memory, err));
    row->has_memory = true;
    if (c->large && !o->quick && host_cpus() >= PARALLEL) {
        RB_TRY(bench_run(&o->spec, PARALLEL, o->repeats, open_case, c, &row->parallel, err));
        row->has_parallel = true;
    }
    synth_t *s = c->build();
    rb_code_t rc = bench_text_store(s, path, &row->text_bytes, err);
    synth_destroy(s);
    if (rc == RB_OK) {
        rc = bench_run(&o->spec, 1, o->repeats, bench_text_open, path, &row->text, err);
        row->has_text = rc == RB_OK;
        bench_text_remove(path);
    }
    return rc;
}

static void print_header(void)
{
    printf("%-18s %11s %10s %10s | %7s %7s %8s %8s | %7s %7s %8s %8s %6s | %7s %7s %5s\n", "",
           "warp", "", "", "memory", "proc.", "Minst/s", "Msect/s", "text", "proc.", "Minst/s",
           "Msect/s", "MB/s", "2 thr.", "proc.", "x");
    printf("%-18s %11s %10s %10s | %7s %7s %8s %8s | %7s %7s %8s %8s %6s | %7s %7s %5s\n", "case",
           "instr.", "sectors", "cycles", "s", "s", "", "", "s", "s", "", "", "", "s", "s", "");
}

static void print_way(bool there, const bench_result_t *r)
{
    if (there)
        printf(" | %7.3f %7.3f %8.3f %8.3f", r->seconds, r->cpu,
               per_second(r->counts.insts, r->cpu) * 1e-6,
               per_second(r->counts.sectors, r->cpu) * 1e-6);
    else
        printf(" | %7s %7s %8s %8s", "-", "-", "-", "-");
}

static void print_row(const bench_row_t *row)
{
    const bench_counts_t *c = row->has_memory ? &row->memory.counts : &row->text.counts;

    printf("%-18s %11" PRIu64 " %10" PRIu64 " %10" PRIu64, row->name, c->insts, c->sectors,
           c->cycles);
    print_way(row->has_memory, &row->memory);
    print_way(row->has_text, &row->text);
    if (row->text_bytes)
        printf(" %6.0f", per_second(row->text_bytes, row->text.cpu) * 1e-6);
    else
        printf(" %6s", "-");
    if (row->has_parallel)
        printf(" | %7.3f %7.3f %5.2f\n", row->parallel.seconds, row->parallel.cpu,
               row->memory.seconds / row->parallel.seconds);
    else
        printf(" | %7s %7s %5s\n", "-", "-", "-");
    fflush(stdout);
}

/* Geometric mean of the warp instructions per second of processor time, of all rows that have the
 * measurement. */
static double geometric_mean(const bench_row_t *rows, size_t n, bool text)
{
    double sum = 0;
    unsigned used = 0;

    for (size_t i = 0; i < n; i++) {
        const bench_result_t *r = text ? &rows[i].text : &rows[i].memory;

        if (text ? rows[i].has_text : rows[i].has_memory) {
            sum += log(per_second(r->counts.insts, r->cpu));
            used++;
        }
    }
    return used ? exp(sum / used) : 0;
}

/* Compares or records the counts of a row; returns whether they are as expected. */
static bool settle_counts(const bench_options_t *o, bench_expect_t *expect, const bench_row_t *row)
{
    const bench_counts_t *got = row->has_memory ? &row->memory.counts : &row->text.counts;
    const bench_counts_t *want = bench_expect_find(expect, row->name);
    bool good = true;

    if (row->has_memory && row->has_text && !same_counts(got, &row->text.counts)) {
        printf("%s: text gives %" PRIu64 " instructions, %" PRIu64 " sectors, %" PRIu64
               " cycles: not the same as from memory\n",
               row->name, row->text.counts.insts, row->text.counts.sectors,
               row->text.counts.cycles);
        good = false;
    }
    if (row->has_parallel && !same_counts(got, &row->parallel.counts)) {
        printf("%s: two threads give %" PRIu64 " cycles: not the same as one\n", row->name,
               row->parallel.counts.cycles);
        good = false;
    }
    if (o->update) {
        bench_expect_set(expect, row->name, got);
    } else if (o->check && !want) {
        printf("%s: no expected counts (add them with --update)\n", row->name);
        good = false;
    } else if (o->check && !same_counts(got, want)) {
        printf("%s: expected %" PRIu64 " instructions, %" PRIu64 " sectors, %" PRIu64 " cycles\n",
               row->name, want->insts, want->sectors, want->cycles);
        good = false;
    }
    return good;
}

static bool wanted(const bench_options_t *o, const char *name)
{
    return o->only == NULL || strcmp(o->only, name) == 0;
}

static rb_code_t run_all(const bench_options_t *o, bool *good, rb_err_t *err)
{
    static char traces[BENCH_MAX_TRACES][BENCH_PATH_BYTES];
    static bench_row_t rows[BENCH_MAX_CASES];
    static bench_expect_t expect;
    size_t n = 0;
    size_t n_traces = bench_text_find(RUBATO_ROOT "/traces", traces);

    if (o->check || (o->update && o->only))
        RB_TRY(bench_expect_read(o->expected, &expect, err));
    print_header();
    for (const bench_case_t *c = bench_cases; c->name; c++) {
        if (!wanted(o, c->name))
            continue;
        snprintf(rows[n].name, sizeof(rows[n].name), "%s", c->name);
        RB_TRY(run_generated(o, c, &rows[n], err));
        print_row(&rows[n]);
        *good &= settle_counts(o, &expect, &rows[n++]);
    }
    for (size_t t = 0; t < n_traces; t++) {
        const char *name = strrchr(traces[t], '/') + 1;

        if (!wanted(o, name))
            continue;
        snprintf(rows[n].name, sizeof(rows[n].name), "%s", name);
        RB_TRY(bench_run(&o->spec, 1, o->repeats, bench_text_open, traces[t], &rows[n].text, err));
        rows[n].has_text = true;
        print_row(&rows[n]);
        *good &= settle_counts(o, &expect, &rows[n++]);
    }
    if (wanted(o, BENCH_STARTUP))
        RB_TRY(bench_startup(&o->spec, o->repeats, err));
    else if (n == 0)
        return rb_fail(err, RB_USAGE, "no case is called %s", o->only);
    if (n == 0)
        return RB_OK;
    printf("geometric mean: %.3f million warp instructions/s from memory, %.3f from text\n",
           geometric_mean(rows, n, false) * 1e-6, geometric_mean(rows, n, true) * 1e-6);
    if (o->update)
        RB_TRY(bench_expect_write(o->expected, &expect, err));
    return RB_OK;
}

/* How a case is opened, and what is not counted of it. */
typedef struct {
    const char *name;
    bench_open_fn open;
    const void *ctx;
    bench_stage_t without;
} bench_entry_t;

static size_t list_cases(bench_entry_t list[BENCH_MAX_CASES + 1])
{
    static char traces[BENCH_MAX_TRACES][BENCH_PATH_BYTES];
    size_t n = 0, n_traces = bench_text_find(RUBATO_ROOT "/traces", traces);
    for (const bench_case_t *c = bench_cases; c->name; c++)
        list[n++] = (bench_entry_t){c->name, open_case, c, BENCH_STAGE_OPEN};
    for (size_t t = 0; t < n_traces; t++)
        list[n++] = (bench_entry_t){strrchr(traces[t], '/') + 1, bench_text_open, traces[t],
                                    BENCH_STAGE_OPEN};
    list[n++] = (bench_entry_t){BENCH_STARTUP, bench_startup_open, NULL, BENCH_STAGE_SOURCE};
    return n;
}

/* Counts the host instructions of the selected cases, or acts as the counted process. */
static rb_code_t count_all(const bench_options_t *o, rb_err_t *err)
{
    bench_entry_t list[BENCH_MAX_CASES + 1];
    size_t n = list_cases(list), found = 0;
    bench_stage_t stage = BENCH_STAGE_RUN;
    if (o->stage != NULL && !bench_stage_find(o->stage, &stage))
        return rb_fail(err, RB_USAGE, "no stage is called %s", o->stage);
    if (o->stage == NULL)
        bench_instructions_header();
    for (size_t i = 0; i < n; i++) {
        if (!wanted(o, list[i].name))
            continue;
        found++;
        if (o->stage == NULL)
            RB_TRY(bench_instructions(o->gpu, list[i].name, list[i].without, err));
        else
            RB_TRY(bench_stage(&o->spec, stage, list[i].open, list[i].ctx, err));
    }
    return found > 0 ? RB_OK : rb_fail(err, RB_USAGE, "no case is called %s", o->only);
}

/* Measures the shards of the selected cases. */
static rb_code_t watch_all(const bench_options_t *o, rb_err_t *err)
{
    bench_entry_t list[BENCH_MAX_CASES + 1];
    const size_t n = list_cases(list);
    size_t found = 0;
    bench_shards_header();
    for (size_t i = 0; i < n; i++) {
        if (!wanted(o, list[i].name))
            continue;
        found++;
        RB_TRY(bench_shards(&o->spec, list[i].name, o->repeats, list[i].open, list[i].ctx, err));
    }
    return found > 0 ? RB_OK : rb_fail(err, RB_USAGE, "no case is called %s", o->only);
}

static void usage(FILE *out)
{
    fputs("usage: rubato_bench [--quick] [--check | --update] [--case NAME] [--repeats N]\n"
          "                    [--gpu NAME] [--expected FILE] [--instructions | --shards]\n"
          "  --quick       one repeat, one thread\n"
          "  --check       fail unless all counts are those of the expectations\n"
          "  --update      rewrite the expectations\n"
          "  --instructions  count the host's instructions of each case instead (valgrind)\n"
          "  --shards      say what more threads would bring, from the times of shards on one\n",
          out);
}

static bool parse_options(int argc, char **argv, bench_options_t *o)
{
    static const struct option options[] = {
        {"quick", no_argument, NULL, 'q'},          {"check", no_argument, NULL, 'c'},
        {"update", no_argument, NULL, 'u'},         {"case", required_argument, NULL, 'n'},
        {"repeats", required_argument, NULL, 'r'},  {"gpu", required_argument, NULL, 'g'},
        {"expected", required_argument, NULL, 'e'}, {"instructions", no_argument, NULL, 'i'},
        {"shards", no_argument, NULL, 'p'},         {"stage", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (opt) {
        case 'q':
            o->quick = true;
            o->repeats = 1;
            break;
        case 'c':
            o->check = true;
            break;
        case 'u':
            o->update = true;
            break;
        case 'n':
            o->only = optarg;
            break;
        case 'r':
            o->repeats = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'g':
            o->gpu = optarg;
            break;
        case 'e':
            o->expected = optarg;
            break;
        case 'i':
            o->instructions = true;
            break;
        case 'p':
            o->shards = true;
            break;
        case 's':
            o->stage = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            return false;
        }
    }
    return optind == argc && !(o->check && o->update);
}

int main(int argc, char **argv)
{
    static bench_options_t o = {
        .gpu = "v100", .expected = RUBATO_ROOT "/bench/expected.tsv", .repeats = REPEATS};
    rb_err_t err = {0};
    bool good = true;

    if (!parse_options(argc, argv, &o)) {
        usage(stderr);
        return rb_exit_code(RB_USAGE);
    }
    rb_code_t rc = spec_load(&o.spec, o.gpu, NULL, &err);
    if (rc == RB_OK)
        rc = o.shards                            ? watch_all(&o, &err)
             : o.instructions || o.stage != NULL ? count_all(&o, &err)
                                                 : run_all(&o, &good, &err);
    if (rc != RB_OK) {
        fprintf(stderr, "rubato_bench: %s\n", err.text);
        return rb_exit_code(rc);
    }
    return good ? 0 : 1;
}
