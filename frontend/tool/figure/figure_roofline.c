/* Points: floating-point operations against bytes of DRAM, below the roofs of the GPU. */
#include <math.h>
#include <stdlib.h>

#include "frontend/tool/figure/figure.h"
#include "frontend/tool/report/run_data.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/log.h"

/* What is read of a run. */
enum { FP16, FP32, FP64, TENSOR, UNITS, BYTES = UNITS, SECONDS, PATHS };
static const char *const paths[PATHS] = {"sm.flops_fp16",   "sm.flops_fp32",     "sm.flops_fp64",
                                         "sm.flops_tensor", "totals.dram_bytes", "totals.seconds"};
static const char *const unit_names[UNITS] = {"FP16", "FP32", "FP64", "tensor cores"};

/* Which units the programs use. */
typedef struct {
    bool used[UNITS];
    size_t n, left_out;
} points_t;

typedef struct {
    const char *name;
    double intensity, rate;
    bool labelled;
} point_t;

/* Labels of points that are closer than this, on both axes, would cover each other. */
static const double CLOSE = 1.2;

static bool are_close(double a, double b)
{
    return a < b * CLOSE && b < a * CLOSE;
}

/* Names point i and the unlabelled points close to it, which then need no label of their own. */
static char *label_of(point_t *points, size_t n, size_t i)
{
    memory_file_t label;
    FILE *out = memory_file_open(&label);
    if (!points[i].labelled)
        fputs(points[i].name, out);
    for (size_t k = i + 1; k < n && !points[i].labelled; k++) {
        if (points[k].labelled || !are_close(points[i].intensity, points[k].intensity) ||
            !are_close(points[i].rate, points[k].rate))
            continue;
        fprintf(out, ", %s", points[k].name);
        points[k].labelled = true;
    }
    return memory_file_close(&label, NULL);
}

static void write_rows(const figure_t *f, point_t *points, size_t n)
{
    csv_t csv = {.out = f->data};
    csv_text(&csv, "program");
    csv_text(&csv, "operations per byte of DRAM");
    csv_text(&csv, "operations per second");
    csv_text(&csv, "label");
    csv_end_row(&csv);
    for (size_t i = 0; i < n; i++) {
        char *label = label_of(points, n, i);
        figure_put(f, &csv, points[i].name);
        figure_number(&csv, points[i].intensity);
        figure_number(&csv, points[i].rate);
        figure_put(f, &csv, label);
        csv_end_row(&csv);
        free(label);
    }
}

/* A row per program; programs without operations or DRAM traffic have no place. */
static points_t write_data(const figure_t *f, const double *values, size_t base)
{
    points_t points = {.n = 0};
    point_t *list = rb_calloc(f->m->n_programs + 1, sizeof(*list));
    for (size_t i = 0; i < f->m->n_programs; i++) {
        const double *v = values + (i * f->m->n_columns + base) * PATHS;
        double flops = 0.0;
        for (size_t k = 0; k < UNITS; k++)
            flops += v[k];
        if (!(flops > 0.0 && v[BYTES] > 0.0)) {
            points.left_out++;
            continue;
        }
        for (size_t k = 0; k < UNITS; k++)
            points.used[k] = points.used[k] || v[k] > 0.0;
        list[points.n++] = (point_t){.name = f->m->programs[i].label,
                                     .intensity = flops / v[BYTES],
                                     .rate = flops / v[SECONDS]};
    }
    write_rows(f, list, points.n);
    free(list);
    return points;
}

/* The run of the first program in a column that has one. */
static const sweep_job_t *first_run(const figure_t *f, size_t column)
{
    for (size_t i = 0; i < f->m->n_programs; i++) {
        const sweep_job_t *job = matrix_job(f->m, i, column);
        if (job != NULL && job->state == SWEEP_DONE)
            return job;
    }
    return NULL;
}

/* Writes a function per roof, and the plot. */
static void write_plot(const figure_t *f, const points_t *points, const run_data_t *run)
{
    const double peaks[UNITS] = {run->peak_fp16, run->peak_fp32, run->peak_fp64, run->peak_tensor};
    FILE *out = f->script;
    fprintf(out,
            "dram = %.6g # bytes/s\n"
            "set logscale xy\nset format x '%%g'\nset format y '%%.0s %%c'\nset grid xtics\n"
            "set xlabel 'operations per byte of DRAM' textcolor rgb ink\n"
            "set ylabel 'operations/s' textcolor rgb ink\nset key bottom right\n"
            "set offsets graph 0.1, graph 0.1, 0, 0\nset samples 500\n"
            "# Points are operations of all kinds, roofs those of each kind of unit.\n"
            "roof(x, peak) = x * dram < peak ? x * dram : peak\n"
            "stats data using 2 nooutput\n"
            "set xrange [STATS_min / 4 < 1 ? STATS_min / 4 : 1:STATS_max * 4 > 100 ? STATS_max * 4 "
            ": 100]\nplot ",
            run->peak_dram);
    for (unsigned k = 0; k < UNITS; k++) {
        if (points->used[k] && peaks[k] > 0.0)
            fprintf(out, "roof(x, %.6g) with lines linetype %u title '%s', \\\n     ", peaks[k],
                    k + 1, unit_names[k]);
    }
    fprintf(
        out,
        "data using 2:3 skip 1 with points pt 7 ps 0.6 lc rgb ink notitle, \\\n"
        "     data using 2:3:4 skip 1 with labels left offset 0.6,0 font ',6' textcolor rgb ink "
        "notitle\n");
}

rb_code_t figure_roofline(figure_t *f, rb_err_t *err)
{
    double *values = NULL;
    size_t base;
    run_data_t run = {0};
    rb_code_t rc = matrix_find_column(f->m, f->o->base, &base, err);
    if (rc == RB_OK)
        rc = matrix_read(f->m, paths, PATHS, &values, err);
    const sweep_job_t *job = rc == RB_OK ? first_run(f, base) : NULL;
    if (rc == RB_OK && job == NULL)
        rc = rb_fail(err, RB_USAGE, "roofline: no job of '%s' is done", f->m->columns[base].label);
    if (rc == RB_OK)
        rc = run_data_read(&run, job->folder, NULL, 0, err);
    if (rc == RB_OK) {
        const points_t points = write_data(f, values, base);
        if (points.n == 0)
            rc = rb_fail(err, RB_USAGE,
                         "roofline: no program has floating-point operations and "
                         "DRAM traffic");
        if (rc == RB_OK && points.left_out > 0)
            rb_info("%zu programs without floating-point operations or DRAM traffic have no place "
                    "in a roofline",
                    points.left_out);
        f->height = 2.6;
        figure_begin(f);
        if (f->m->n_columns > 1)
            figure_title(f, f->m->columns[base].label);
        write_plot(f, &points, &run);
    }
    run_data_free(&run);
    free(values);
    return rc;
}
