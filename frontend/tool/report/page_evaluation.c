/* The section of an evaluation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/json_walk.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"

/* Numbers of a run, in the order of the enum below. */
static const char *const run_paths[] = {"cycles.full",
                                        "cycles.sampled",
                                        "cycles.error",
                                        "cycles.low",
                                        "cycles.high",
                                        "cycles.picked_error",
                                        "warp_instructions.simulated",
                                        "speedup.warp_instructions",
                                        "speedup.cycles",
                                        "speedup.wall",
                                        "speedup.cpu"};
enum {
    FULL,
    SAMPLED,
    ERROR,
    LOW,
    HIGH,
    PICKED,
    INSTS,
    BY_INSTS,
    BY_CYCLES,
    BY_WALL,
    BY_CPU,
    RUN_NUMBERS
};
static const char *const run_keys[] = {"full", "cycles", "error", "low", "high", "picked", "insts"};

enum { RUN_SAMPLE, RUN_VARIANT, RUN_WARMUP, RUN_SEED, RUN_FAILURE, RUN_TEXTS };
static const char *const run_text_paths[RUN_TEXTS] = {"sample", "variant", "warmup", "seed",
                                                      "failure"};

/* Numbers of a launch. */
enum { ID, CYCLES_FULL, CYCLES, WEIGHT, LAUNCH_INSTS, LAUNCH_NUMBERS };
static const char *const launch_paths[LAUNCH_NUMBERS] = {"id", "cycles_full", "cycles_sampled",
                                                         "weight", "simulated_warp_instructions"};
static const char *const launch_keys[LAUNCH_NUMBERS] = {"id", "full", "cycles", "weight", "insts"};

typedef struct {
    double number[LAUNCH_NUMBERS];
    size_t kernel;
    bool estimated;
    char *sampler, *evidence; /* owned */
} launch_t;

typedef struct {
    FILE *out;
    page_kernel_name_t name;
    char **kernels; /* owned */
    size_t n_kernels, cap_kernels;
    char *trace, *gpu; /* owned */
    bool schema;
    size_t n_runs;

    /* The run being read. */
    double number[RUN_NUMBERS];
    char *text[RUN_TEXTS]; /* owned */
    launch_t *launches;    /* owned */
    size_t n_launches, cap_launches;
} evaluation_t;

static void put_text(char **to, json_event_t e, const json_reader_t *r)
{
    free(*to);
    *to = e == JSON_READ_STRING ? rb_strdup(r->text) : NULL;
}

/* A program has few kernels, and launches of the same kernel are often adjacent. */
static size_t kernel_of(evaluation_t *v, const char *mangled)
{
    char text[256];
    size_t i = 0;
    v->name(text, sizeof(text), mangled);
    while (i < v->n_kernels && strcmp(v->kernels[i], text) != 0)
        i++;
    if (i == v->n_kernels) {
        rb_grow(&v->kernels, &v->cap_kernels, i + 1, sizeof(*v->kernels));
        v->kernels[v->n_kernels++] = rb_strdup(text);
    }
    return i;
}

static void launch_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    evaluation_t *v = ctx;
    launch_t *l = &v->launches[v->n_launches - 1];
    for (size_t i = 0; i < LAUNCH_NUMBERS && e == JSON_READ_NUMBER; i++) {
        if (strcmp(path, launch_paths[i]) == 0)
            l->number[i] = json_read_f64(r);
    }
    if (strcmp(path, "name") == 0 && e == JSON_READ_STRING)
        l->kernel = kernel_of(v, r->text);
    else if (strcmp(path, "estimated") == 0)
        l->estimated = e == JSON_READ_TRUE;
    else if (strcmp(path, "sampler") == 0)
        put_text(&l->sampler, e, r);
    else if (strcmp(path, "evidence") == 0)
        put_text(&l->evidence, e, r);
}

static bool read_launches(void *ctx, json_reader_t *json)
{
    evaluation_t *v = ctx;
    const json_walk_t walk = {.leaf = launch_leaf, .ctx = v};
    for (json_event_t e; (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        if (e != JSON_READ_OBJECT)
            return false;
        rb_grow(&v->launches, &v->cap_launches, v->n_launches + 1, sizeof(*v->launches));
        v->launches[v->n_launches++] = (launch_t){.kernel = 0};
        if (!json_walk_object(json, &walk))
            return false;
    }
    return true;
}

static void run_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    evaluation_t *v = ctx;
    for (size_t i = 0; i < RUN_NUMBERS && e == JSON_READ_NUMBER; i++) {
        if (strcmp(path, run_paths[i]) == 0)
            v->number[i] = json_read_f64(r);
    }
    for (size_t i = 0; i < RUN_TEXTS; i++) {
        if (strcmp(path, run_text_paths[i]) == 0)
            put_text(&v->text[i], e, r);
    }
}

static void write_launches(const evaluation_t *v)
{
    FILE *out = v->out;
    size_t n = v->n_launches < PAGE_LAUNCHES_MAX ? v->n_launches : PAGE_LAUNCHES_MAX;
    putc('{', out);
    for (size_t k = 0; k < LAUNCH_NUMBERS; k++) {
        page_key(out, launch_keys[k]);
        putc('[', out);
        for (size_t i = 0; i < n; i++) {
            fputs(i > 0 ? "," : "", out);
            page_number(out, v->launches[i].number[k]);
        }
        fputs("],", out);
    }
    page_key(out, "kernel");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%c%zu", i > 0 ? ',' : '[', v->launches[i].kernel);
    fputs(n > 0 ? "],\"estimated\":[" : "[],\"estimated\":[", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%d", i > 0 ? "," : "", v->launches[i].estimated);
    fputs("],\"sampler\":[", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, v->launches[i].sampler);
    }
    fputs("],\"evidence\":[", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, v->launches[i].evidence);
    }
    fputs("]}", out);
}

static void write_run(evaluation_t *v)
{
    FILE *out = v->out;
    fputs(v->n_runs++ > 0 ? ",\n{" : "{", out);
    for (size_t i = 0; i < RUN_TEXTS; i++)
        page_text_member(out, run_text_paths[i], v->text[i]);
    for (size_t i = 0; i < BY_INSTS; i++)
        page_number_member(out, run_keys[i], v->number[i]);
    page_key(out, "speedup");
    for (size_t i = BY_INSTS; i <= BY_CPU; i++) {
        putc(i == BY_INSTS ? '[' : ',', out);
        page_number(out, v->number[i]);
    }
    fputs("],", out);
    page_key(out, "launches");
    if (v->n_launches > 0)
        write_launches(v);
    else
        fputs("null", out);
    putc('}', out);
}

static void begin_run(evaluation_t *v)
{
    for (size_t i = 0; i < RUN_NUMBERS; i++)
        v->number[i] = (double)NAN;
    for (size_t i = 0; i < RUN_TEXTS; i++) {
        free(v->text[i]);
        v->text[i] = NULL;
    }
    for (size_t i = 0; i < v->n_launches; i++) {
        free(v->launches[i].sampler);
        free(v->launches[i].evidence);
    }
    v->n_launches = 0;
}

static bool read_runs(void *ctx, json_reader_t *json)
{
    evaluation_t *v = ctx;
    const json_walk_t walk = {
        .leaf = run_leaf, .ctx = v, .array = "launches", .read_array = read_launches};
    for (json_event_t e; (e = json_next(json)) != JSON_READ_ARRAY_END;) {
        begin_run(v);
        if (e != JSON_READ_OBJECT || !json_walk_object(json, &walk))
            return false;
        write_run(v);
    }
    return true;
}

static void top_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    enum { SCHEMA = 1 };
    evaluation_t *v = ctx;
    if (strcmp(path, "schema") == 0 && e == JSON_READ_NUMBER)
        v->schema = json_read_f64(r) == SCHEMA;
    else if (strcmp(path, "trace") == 0)
        put_text(&v->trace, e, r);
    else if (strcmp(path, "gpu") == 0)
        put_text(&v->gpu, e, r);
}

rb_code_t page_evaluation(FILE *out, const char *path, page_kernel_name_t name, rb_err_t *err)
{
    evaluation_t v = {.out = out, .name = name};
    const json_walk_t walk = {
        .leaf = top_leaf, .ctx = &v, .array = "runs", .read_array = read_runs};
    fputs("{\"type\":\"evaluation\",\"runs\":[\n", out);
    rb_code_t rc = json_walk_file(path, &walk, err);
    if (rc == RB_OK && (!v.schema || v.n_runs == 0))
        rc = rb_fail(err, RB_TRACE, "%s: not an evaluation.json that this version can read", path);
    fputs("],\n", out);
    if (rc == RB_OK)
        rc = page_evaluation_sets(out, path, err);
    fputs("\"kernels\":[", out);
    for (size_t i = 0; i < v.n_kernels; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, v.kernels[i]);
        free(v.kernels[i]);
    }
    fputs("],\"facts\":[[\"trace\",", out);
    page_text(out, v.trace != NULL ? v.trace : "");
    fputs("],[\"GPU\",", out);
    page_text(out, v.gpu != NULL ? v.gpu : "");
    fputs("]]}", out);
    begin_run(&v);
    free(v.kernels);
    free(v.launches);
    free(v.trace);
    free(v.gpu);
    return rc;
}
