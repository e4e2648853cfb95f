/* The section of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/page_estimates.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"

#define STATES(X)                                                                                  \
    X(selected)                                                                                    \
    X(not_selected)                                                                                \
    X(long_scoreboard)                                                                             \
    X(short_scoreboard)                                                                            \
    X(wait)                                                                                        \
    X(math_pipe_throttle)                                                                          \
    X(lg_throttle)                                                                                 \
    X(mio_throttle)                                                                                \
    X(tex_throttle)                                                                                \
    X(barrier)                                                                                     \
    X(membar)                                                                                      \
    X(branch_resolving)                                                                            \
    X(no_instruction)                                                                              \
    X(imc_miss)                                                                                    \
    X(dispatch_stall)                                                                              \
    X(drain)                                                                                       \
    X(sleeping)                                                                                    \
    X(misc)

/* Paths read from run.json; the first ones in the order of the enum below. */
#define STATE_PATH_(name) "sm.state_" #name,
static const char *const paths[] = {STATES(STATE_PATH_) "start_cycle",
                                    "cycles",
                                    "launch_latency_cycles",
                                    "sampling.weight",
                                    "warp_instructions",
                                    "metrics.ipc",
                                    "metrics.achieved_occupancy",
                                    "metrics.issue_utilization",
                                    "metrics.global_load_hit_rate",
                                    "metrics.l2_hit_rate",
                                    "metrics.l2_utilization",
                                    "metrics.dram_utilization",
                                    "sm.flops_fp16",
                                    "sm.flops_fp32",
                                    "sm.flops_fp64",
                                    "sm.flops_tensor",
                                    "dram.read_sectors",
                                    "dram.write_sectors",
                                    "l2.read_sectors",
                                    "l2.write_sectors",
                                    "l2.atomic_sectors",
                                    "l2.red_sectors",
                                    "seconds",
                                    PAGE_ESTIMATE_PATHS};
enum { SECTOR = 32, N_UNITS = 4 /* floating-point units: FP16, FP32, FP64, tensor */ };
#define STATE_ENUM_(name) +1
enum {
    N_STATES = 0 STATES(STATE_ENUM_),
    START = N_STATES,
    CYCLES,
    LATENCY,
    WEIGHT,
    INSTS,
    IPC,
    OCCUPANCY,
    ISSUE,
    L1_HITS,
    L2_HITS,
    L2_USE,
    DRAM_USE,
    FLOPS,
    DRAM_SECTORS = FLOPS + N_UNITS,
    L2_SECTORS = DRAM_SECTORS + 2,
    SECONDS = L2_SECTORS + 4,
    PATHS = sizeof(paths) / sizeof(paths[0])
};
_Static_assert(PATHS ==
                   SECONDS + 1 + sizeof((const char *[]){PAGE_ESTIMATE_PATHS}) / sizeof(char *),
               "an index for each path");

const char *const *page_run_paths(size_t *n)
{
    *n = PATHS;
    return paths;
}

/* Launches by kernel. */
typedef struct {
    const char **name; /* owned list, texts borrowed */
    size_t n, cap;
    size_t *of; /* owned: kernel of each launch */
} kernels_t;

typedef struct {
    const char *name;
    size_t launch;
} named_t;

static int by_name(const void *a, const void *b)
{
    const named_t *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c != 0 ? c : (x->launch > y->launch) - (x->launch < y->launch);
}

static void find_kernels(kernels_t *k, const run_data_t *d)
{
    named_t *list = rb_calloc(d->n_launches + 1, sizeof(*list));
    *k = (kernels_t){.of = rb_calloc(d->n_launches + 1, sizeof(*k->of))};
    for (size_t i = 0; i < d->n_launches; i++)
        list[i] = (named_t){d->launches[i].name, i};
    qsort(list, d->n_launches, sizeof(*list), by_name);
    for (size_t i = 0; i < d->n_launches; i++) {
        if (i == 0 || strcmp(list[i].name, list[i - 1].name) != 0) {
            rb_grow(&k->name, &k->cap, k->n + 1, sizeof(*k->name));
            k->name[k->n++] = list[i].name;
        }
        k->of[list[i].launch] = k->n - 1;
    }
    free(list);
}

static double weight_of(const run_data_launch_t *l)
{
    return isfinite(l->values[WEIGHT]) ? l->values[WEIGHT] : 1.0;
}

/* "key":[a value per launch], */
static void launch_numbers(FILE *out, const char *key, const run_data_t *d, size_t n, size_t path)
{
    page_key(out, key);
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', out);
        page_number(out, path == WEIGHT ? weight_of(&d->launches[i]) : d->launches[i].values[path]);
    }
    fputs("],", out);
}

static void launch_texts(FILE *out, const char *key, const run_data_t *d, size_t n,
                         void (*put)(FILE *out, const run_data_launch_t *l))
{
    page_key(out, key);
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', out);
        put(out, &d->launches[i]);
    }
    fputs("],", out);
}

static void put_id(FILE *out, const run_data_launch_t *l)
{
    fprintf(out, "%llu", (unsigned long long)l->id);
}

static void put_grid(FILE *out, const run_data_launch_t *l)
{
    fprintf(out, "\"%ux%ux%u\"", l->grid[0], l->grid[1], l->grid[2]);
}

static void put_block(FILE *out, const run_data_launch_t *l)
{
    fprintf(out, "\"%ux%ux%u\"", l->block[0], l->block[1], l->block[2]);
}

static void put_estimated(FILE *out, const run_data_launch_t *l)
{
    putc(l->estimated ? '1' : '0', out);
}

static void put_sampler(FILE *out, const run_data_launch_t *l)
{
    page_text(out, l->sampler);
}

static void write_launches(FILE *out, const run_data_t *d, const kernels_t *k, size_t n)
{
    static const struct {
        const char *key;
        size_t path;
    } numbers[] = {{"start", START}, {"cycles", CYCLES},       {"weight", WEIGHT}, {"insts", INSTS},
                   {"ipc", IPC},     {"occupancy", OCCUPANCY}, {"issue", ISSUE},   {"l1", L1_HITS},
                   {"l2", L2_HITS},  {"l2_use", L2_USE},       {"dram", DRAM_USE}};
    page_key(out, "launches");
    putc('{', out);
    launch_texts(out, "id", d, n, put_id);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        launch_numbers(out, numbers[i].key, d, n, numbers[i].path);
    launch_texts(out, "grid", d, n, put_grid);
    launch_texts(out, "block", d, n, put_block);
    launch_texts(out, "estimated", d, n, put_estimated);
    launch_texts(out, "sampler", d, n, put_sampler);
    launch_numbers(out, "low", d, n, run_data_path(d, "interval.cycles.low"));
    launch_numbers(out, "high", d, n, run_data_path(d, "interval.cycles.high"));
    page_key(out, "kernel");
    putc('[', out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%zu", i > 0 ? "," : "", k->of[i]);
    fputs("]},\n", out);
}

/* Sums of paths [first, first + n) over the launches of a kernel, weighted. */
typedef struct {
    double sum[PATHS];
} kernel_sums_t;

static kernel_sums_t *sum_kernels(const run_data_t *d, const kernels_t *k)
{
    kernel_sums_t *sums = rb_calloc(k->n + 1, sizeof(*sums));
    for (size_t i = 0; i < d->n_launches; i++) {
        const run_data_launch_t *l = &d->launches[i];
        for (size_t p = 0; p < PATHS; p++)
            sums[k->of[i]].sum[p] += weight_of(l) * l->values[p];
    }
    return sums;
}

static double sum_of(const double *values, size_t first, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[first + i];
    return sum;
}

static void write_kernels(FILE *out, const run_data_t *d, const kernels_t *k)
{
#define STATE_NAME_(name) #name,
    static const char *const states[] = {STATES(STATE_NAME_)};
    kernel_sums_t *sums = sum_kernels(d, k);
    page_key(out, "states");
    for (size_t i = 0; i < N_STATES; i++) {
        putc(i == 0 ? '[' : ',', out);
        page_text(out, states[i]);
    }
    fputs("],\n\"totalStates\":", out);
    page_numbers(out, d->totals, N_STATES);
    fputs(",\n\"kernelStates\":[", out);
    for (size_t i = 0; i < k->n; i++) {
        fputs(i > 0 ? "," : "", out);
        page_numbers(out, sums[i].sum, N_STATES);
    }
    fputs("],\n\"kernelWork\":[", out);
    for (size_t i = 0; i < k->n; i++) {
        const double *v = sums[i].sum;
        fputs(i > 0 ? ",{" : "{", out);
        page_key(out, "flops");
        page_numbers(out, v + FLOPS, N_UNITS);
        putc(',', out);
        page_number_member(out, "dramBytes", SECTOR * sum_of(v, DRAM_SECTORS, 2));
        page_number_member(out, "l2Sectors", sum_of(v, L2_SECTORS, 4));
        page_number_member(out, "insts", v[INSTS]);
        page_key(out, "seconds");
        page_number(out, (v[CYCLES] - v[LATENCY]) / (d->clock_mhz * 1e6));
        putc('}', out);
    }
    fputs("],\n\"kernels\":[", out);
    for (size_t i = 0; i < k->n; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, k->name[i]);
    }
    fputs("],\n", out);
    free(sums);
}

static void write_fact(FILE *out, const char *name, const char *text, bool first)
{
    fputs(first ? "[" : ",[", out);
    page_text(out, name);
    putc(',', out);
    page_text(out, text != NULL ? text : "");
    putc(']', out);
}

static void write_facts(FILE *out, const run_data_t *d)
{
    char text[256];
    const double *t = d->totals;
    page_key(out, "facts");
    putc('[', out);
    write_fact(out, "trace", d->trace, true);
    write_fact(out, "GPU", d->gpu, false);
    snprintf(text, sizeof(text), "%.0f%s, %.4g ms at %.6g MHz", t[CYCLES],
             d->estimated ? " (estimated)" : "", 1e3 * t[SECONDS], d->clock_mhz);
    write_fact(out, "cycles", text, false);
    const char *note = d->note != NULL ? d->note : "";
    if (isfinite(d->cycles_low)) {
        snprintf(text, sizeof(text), "%.0f to %.0f, confidence %.4g%s%.150s", d->cycles_low,
                 d->cycles_high, d->confidence, note[0] != '\0' ? "; " : "", note);
        write_fact(out, "interval", text, false);
    } else if (note[0] != '\0') {
        snprintf(text, sizeof(text), "none: %.240s", note);
        write_fact(out, "interval", text, false);
    }
    snprintf(text, sizeof(text), "%zu of %llu simulated%s", d->n_launches,
             (unsigned long long)d->trace_launches, d->complete ? "" : "; the run was stopped");
    write_fact(out, "launches", text, false);
    if (d->method != NULL)
        write_fact(out, "sampling", d->method, false);
    write_fact(out, "command", d->command, false);
    snprintf(text, sizeof(text), "rubato %.40s (%.40s)", d->version != NULL ? d->version : "",
             d->commit != NULL ? d->commit : "");
    write_fact(out, "by", text, false);
    fputs("],\n", out);
}

rb_code_t page_run(FILE *out, const run_data_t *d, const char *title, const char *intervals,
                   rb_err_t *err)
{
    kernels_t k;
    size_t n = d->n_launches < PAGE_LAUNCHES_MAX ? d->n_launches : PAGE_LAUNCHES_MAX;
    find_kernels(&k, d);
    fputs("{\"type\":\"run\",", out);
    page_text_member(out, "title", title);
    write_facts(out, d);
    page_number_member(out, "n_launches", (double)d->n_launches);
    page_number_member(out, "cycles", d->totals[CYCLES]);
    page_text_member(out, "intervalNote", d->note != NULL ? d->note : "");
    fprintf(out, "\"estimated\":%s,\"interval\":", d->estimated ? "true" : "false");
    if (isfinite(d->cycles_low)) {
        putc('{', out);
        page_number_member(out, "low", d->cycles_low);
        page_number_member(out, "high", d->cycles_high);
        page_key(out, "confidence");
        page_number(out, d->confidence);
        fputs("},", out);
    } else {
        fputs("null,", out);
    }
    page_estimates(out, d);
    write_launches(out, d, &k, n);
    write_kernels(out, d, &k);
    rb_code_t rc = page_use(out, d, intervals, n, err);
    page_key(out, "peaks");
    putc('{', out);
    page_number_member(out, "issue", d->peak_issue);
    page_key(out, "units");
    page_numbers(out, (const double[]){d->peak_fp16, d->peak_fp32, d->peak_fp64, d->peak_tensor},
                 N_UNITS);
    putc(',', out);
    page_number_member(out, "l2", d->peak_l2);
    page_key(out, "dram");
    page_number(out, d->peak_dram);
    fputs("}}", out);
    free(k.name);
    free(k.of);
    return rc;
}
