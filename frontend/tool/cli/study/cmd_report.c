/* rubato report: writes a page about runs, a sweep or an evaluation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/study/report_study.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/silicon/hardware_compare.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "frontend/tool/study/table/report_detectors.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

typedef struct {
    const char *output, *hardware;
    char **operands;
    int n_operands;
} report_options_t;

/* Shortens kernel names for people. */
static void shorten_names(run_data_t *d)
{
    char text[256];
    for (size_t i = 0; i < d->n_launches; i++) {
        format_kernel(text, sizeof(text), d->launches[i].name);
        free(d->launches[i].name);
        d->launches[i].name = rb_strdup(text);
    }
}

/* The section of streams, if launches overlapped. */
static rb_code_t write_streams(const char *where, const run_data_t *d, const char *title, FILE *out,
                               rb_err_t *err)
{
    char *path = out_path(where, "streams.csv");
    rb_code_t rc = RB_OK;
    if (access(path, R_OK) == 0) {
        report_page_section(out, false);
        rc = page_streams(out, path, d, title, err);
    }
    free(path);
    return rc;
}

/* The section of instructions, if the folder has their profile. */
static rb_code_t write_instructions(const char *where, const char *title, FILE *out, rb_err_t *err)
{
    char *path = out_path(where, "instructions.csv"),
         *waits = out_path(where, "instruction_waits.csv");
    rb_code_t rc = RB_OK;
    if (access(path, R_OK) == 0) {
        report_page_section(out, false);
        rc = page_instructions(out, path, access(waits, R_OK) == 0 ? waits : NULL, title,
                               format_kernel, err);
    }
    free(path);
    free(waits);
    return rc;
}

/* several: the page has other runs, perhaps of the same trace, so the title says which this is. */
static rb_code_t write_run(const char *where, bool several, FILE *out, rb_err_t *err)
{
    size_t n;
    struct stat st;
    run_data_t d;
    const char *const *paths = page_run_paths(&n);
    bool folder = stat(where, &st) == 0 && S_ISDIR(st.st_mode);
    char *intervals = folder ? out_path(where, "intervals.csv") : NULL;
    char *title = NULL;
    rb_code_t rc = run_data_read(&d, where, paths, n, err);
    if (rc == RB_OK) {
        title = several ? rb_format("%s (%s)", run_data_trace_name(&d), where)
                        : rb_strdup(run_data_trace_name(&d));
        shorten_names(&d);
        bool there = intervals != NULL && access(intervals, R_OK) == 0;
        rc = page_run(out, &d, title, there ? intervals : NULL, err);
    }
    if (rc == RB_OK && folder)
        rc = write_streams(where, &d, title, out, err);
    if (rc == RB_OK && folder)
        rc = write_instructions(where, title, out, err);
    if (rc == RB_OK && folder)
        rc = report_detectors_run(out, where, title, err);
    free(title);
    run_data_free(&d);
    free(intervals);
    return rc;
}

/* The section of all operands, or those of each study. */
static rb_code_t write_hardware(const report_options_t *o, FILE *out, rb_err_t *err)
{
    hardware_table_t t;
    hardware_comparison_t c = {0};
    const bool study = out_has(o->operands[0], "jobs.tsv");
    rb_code_t rc = hardware_table_read(&t, o->hardware, err);
    for (int i = 0; rc == RB_OK && study && i < o->n_operands; i++)
        rc = report_study_hardware(o->operands[i], &t, out, err);
    if (rc == RB_OK && !study)
        rc = hardware_compare(&c, &t, o->operands, o->n_operands, err);
    if (rc == RB_OK && !study) {
        report_page_section(out, false);
        report_hardware(out, o->hardware, &c, NULL);
    }
    hardware_free(&c);
    hardware_table_free(&t);
    return rc;
}

/* The path of an operand, which is PROGRAM=RUN for a comparison. */
static const char *path_of(const report_options_t *o, const char *operand)
{
    const char *equals = o->hardware != NULL ? strrchr(operand, '=') : NULL;
    return equals != NULL && access(operand, F_OK) != 0 ? equals + 1 : operand;
}

/* Checks that there is something to report, and suggests the right folder otherwise. */
static rb_code_t check_operand(const report_options_t *o, const char *operand, rb_err_t *err)
{
    static const char *const names[] = {"run.json", "jobs.tsv", "evaluation.json"};
    const char *path = path_of(o, operand);
    struct stat st;
    if (stat(path, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return RB_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (out_has(path, names[i]))
            return RB_OK;
    }
    return rb_fail(err, RB_USAGE,
                   "%s: has no run.json, jobs.tsv or evaluation.json: the folder of a run, a sweep "
                   "or an evaluation is expected, as -o has named it",
                   path);
}

/* Writes the section of one operand. */
static rb_code_t write_section(const report_options_t *o, const char *operand, FILE *out,
                               rb_err_t *err)
{
    const char *where = path_of(o, operand);
    if (out_has(where, "evaluation.json")) {
        char *path = out_path(where, "evaluation.json");
        rb_code_t rc = page_evaluation(out, path, format_kernel, err);
        free(path);
        return rc == RB_OK && out_has(where, "jobs.tsv") ? report_detectors_jobs(out, where, err)
                                                         : rc;
    }
    if (out_has(where, "jobs.tsv"))
        return report_study(where, out, err);
    return write_run(where, o->n_operands > 1, out, err);
}

static rb_code_t write_page(const report_options_t *o, FILE *out, rb_err_t *err)
{
    report_page_begin(out, o->n_operands == 1 ? o->operands[0] : "rubato");
    for (int i = 0; i < o->n_operands; i++) {
        report_page_section(out, i == 0);
        RB_TRY(write_section(o, o->operands[i], out, err));
    }
    if (o->hardware != NULL)
        RB_TRY(write_hardware(o, out, err));
    report_page_end(out);
    return RB_OK;
}

/* report.html goes into the folder that the page describes, unless -o gives another path. */
static rb_code_t open_page(const report_options_t *o, out_file_t *f, rb_err_t *err)
{
    struct stat st;
    if (o->output != NULL)
        return out_file_open_path(f, o->output, err);
    if (o->n_operands == 1 && stat(o->operands[0], &st) == 0 && S_ISDIR(st.st_mode))
        return out_file_open(f, o->operands[0], "report.html", err);
    return rb_fail(err, RB_USAGE, "report: %s: the destination is missing: -o FILE",
                   o->n_operands > 1 ? "several operands are given" : o->operands[0]);
}

static rb_code_t write_report(const report_options_t *o, rb_err_t *err)
{
    out_file_t f = {0};
    for (int i = 0; i < o->n_operands; i++)
        RB_TRY(check_operand(o, o->operands[i], err));
    RB_TRY(open_page(o, &f, err));
    char *path = rb_strdup(f.path);
    rb_code_t rc = out_file_close(&f, write_page(o, f.out, err), err);
    if (rc == RB_OK)
        rb_info("%s", path);
    free(path);
    return rc;
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    report_options_t *o = ctx;
    (void)err;
    if (id == CLI_HARDWARE)
        o->hardware = value;
    else
        o->output = value;
    return RB_OK;
}

static rb_code_t report(int argc, char **argv, rb_err_t *err)
{
    enum { OPERANDS_MAX = 1000 };
    report_options_t o = {0};
    cli_parser_t p;
    bool help;
    const cli_command_t *command = cli_find_command("report");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, &o, &help, err));
    if (help) {
        cli_print_help(command, stdout);
        return out_flush_stdout(err);
    }
    RB_TRY(cli_check_operands(&p, 1, OPERANDS_MAX, err));
    o.operands = p.operands;
    o.n_operands = p.n_operands;
    return write_report(&o, err);
}

int cmd_report(int argc, char **argv)
{
    rb_err_t err = {0};
    return report(argc, argv, &err) == RB_OK ? 0 : cli_report(&err);
}
