/* rubato report: a page about runs, a sweep or an evaluation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/cli/commands.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/silicon/hardware_compare.h"
#include "frontend/tool/study/report_detectors.h"
#include "frontend/tool/study/sweep_results.h"
#include "sim/core/alloc.h"

typedef struct {
    const char *output, *hardware;
    char **operands;
    int n_operands;
} report_options_t;

static void write_job(const sweep_t *s, size_t i, const sweep_result_t *r, FILE *out)
{
    const double *v = r->value;
    fputs("\n{\"fields\":[", out);
    for (size_t k = 0; k < sweep_columns(s); k++) {
        fputs(k > 0 ? "," : "", out);
        page_text(out, s->jobs[i].fields[k]);
    }
    fputs("],", out);
    page_text_member(out, "state", sweep_state_names[s->jobs[i].state]);
    page_number_member(out, "cycles", v[RESULT_cycles]);
    page_number_member(out, "low", v[RESULT_cycles_low]);
    page_number_member(out, "high", v[RESULT_cycles_high]);
    page_number_member(out, "relative", r->relative);
    page_number_member(out, "ipc", v[RESULT_ipc]);
    page_number_member(out, "l2", v[RESULT_l2_hit_rate]);
    page_number_member(out, "dram", v[RESULT_dram_utilization]);
    fprintf(out, "\"estimated\":%s}", v[RESULT_estimated] > 0.0 ? "true" : "false");
}

static rb_code_t write_sweep(const char *folder, FILE *out, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    sweep_result_t *results = NULL;
    rb_code_t rc = sweep_open(&s, folder, err);
    if (rc == RB_OK)
        rc = sweep_look(&s, err);
    if (rc == RB_OK)
        rc = sweep_read_results(&s, &results, err);
    fputs("{\"type\":\"sweep\",\"columns\":[", out);
    for (size_t i = 0; i < sweep_columns(&s); i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, s.columns[i]);
    }
    fputs("],\"jobs\":[", out);
    bool first = true;
    for (size_t i = 0; rc == RB_OK && i < s.n_jobs; i++) {
        if (sweep_is_part(&s, i))
            continue;
        fputs(first ? "" : ",", out);
        write_job(&s, i, &results[i], out);
        first = false;
    }
    fputs("]}", out);
    free(results);
    sweep_free(&s);
    return rc;
}

/* Names as people know them. */
static void shorten_names(run_data_t *d)
{
    char text[256];
    for (size_t i = 0; i < d->n_launches; i++) {
        format_kernel(text, sizeof(text), d->launches[i].name);
        free(d->launches[i].name);
        d->launches[i].name = rb_strdup(text);
    }
}

static rb_code_t write_run(const char *where, FILE *out, rb_err_t *err)
{
    size_t n;
    struct stat st;
    run_data_t d;
    const char *const *paths = page_run_paths(&n);
    bool folder = stat(where, &st) == 0 && S_ISDIR(st.st_mode);
    char *intervals = folder ? out_path(where, "intervals.csv") : NULL;
    rb_code_t rc = run_data_read(&d, where, paths, n, err);
    if (rc == RB_OK) {
        shorten_names(&d);
        bool there = intervals != NULL && access(intervals, R_OK) == 0;
        rc = page_run(out, &d, there ? intervals : NULL, err);
    }
    if (rc == RB_OK && folder)
        rc = report_detectors_run(out, where, run_data_trace_name(&d), err);
    run_data_free(&d);
    free(intervals);
    return rc;
}

static void write_counter(const hardware_counter_t *c, FILE *out)
{
    enum { PAIRS_MAX = 20000 };
    page_text_member(out, "measured", c->label);
    page_text_member(out, "simulated", c->simulated);
    page_number_member(out, "error", c->error);
    page_number_member(out, "bias", c->bias);
    page_number_member(out, "correlation", c->correlation);
    fprintf(out, "\"share\":%s,\"pairs\":[", c->share ? "true" : "false");
    for (size_t i = 0; i < c->n_pairs && i < PAIRS_MAX; i++) {
        const hardware_pair_t *p = &c->pairs[i];
        char name[256];
        fputs(i > 0 ? ",{" : "{", out);
        page_text_member(out, "kernel", format_kernel(name, sizeof(name), p->kernel));
        page_number_member(out, "launch", (double)p->launch);
        page_number_member(out, "measured", p->measured);
        page_key(out, "simulated");
        page_number(out, p->simulated);
        putc('}', out);
    }
    fputs("]", out);
}

static rb_code_t write_hardware(const report_options_t *o, FILE *out, rb_err_t *err)
{
    hardware_table_t t;
    hardware_comparison_t c = {0};
    rb_code_t rc = hardware_table_read(&t, o->hardware, err);
    if (rc == RB_OK)
        rc = hardware_compare(&c, &t, o->operands, o->n_operands, err);
    fputs("{\"type\":\"hardware\",", out);
    page_text_member(out, "file", o->hardware);
    fputs("\"counters\":[", out);
    for (size_t i = 0; rc == RB_OK && i < c.n_counters; i++) {
        fputs(i > 0 ? ",\n{" : "\n{", out);
        write_counter(&c.counters[i], out);
        putc('}', out);
    }
    fputs("],\n\"unknown\":[", out);
    for (size_t i = 0; rc == RB_OK && i < c.n_unknown; i++) {
        fputs(i > 0 ? "," : "", out);
        page_text(out, c.unknown[i]);
    }
    fputs("]}", out);
    hardware_free(&c);
    hardware_table_free(&t);
    return rc;
}

/* The path of an operand, which is PROGRAM=RUN for the comparison. */
static const char *path_of(const report_options_t *o, const char *operand)
{
    const char *equals = o->hardware != NULL ? strrchr(operand, '=') : NULL;
    return equals != NULL && access(operand, F_OK) != 0 ? equals + 1 : operand;
}

/* Whether there is something to report on, and where else it would be. */
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

/* The section of one operand. */
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
        return write_sweep(where, out, err);
    return write_run(where, out, err);
}

static rb_code_t write_page(const report_options_t *o, FILE *out, rb_err_t *err)
{
    report_page_begin(out, o->n_operands == 1 ? o->operands[0] : "rubato");
    for (int i = 0; i < o->n_operands; i++) {
        report_page_section(out, i == 0);
        RB_TRY(write_section(o, o->operands[i], out, err));
    }
    if (o->hardware != NULL) {
        report_page_section(out, false);
        RB_TRY(write_hardware(o, out, err));
    }
    report_page_end(out);
    return RB_OK;
}

/* report.html goes into the folder that the page is about, unless -o says otherwise. */
static rb_code_t open_page(const report_options_t *o, out_file_t *f, rb_err_t *err)
{
    struct stat st;
    if (o->output != NULL)
        return out_file_open_path(f, o->output, err);
    if (o->n_operands == 1 && stat(o->operands[0], &st) == 0 && S_ISDIR(st.st_mode))
        return out_file_open(f, o->operands[0], "report.html", err);
    return rb_fail(err, RB_USAGE, "report: %s: -o FILE says where the page goes",
                   o->n_operands > 1 ? "several things are reported on" : o->operands[0]);
}

static rb_code_t write_report(const report_options_t *o, rb_err_t *err)
{
    out_file_t f = {0};
    for (int i = 0; i < o->n_operands; i++)
        RB_TRY(check_operand(o, o->operands[i], err));
    RB_TRY(open_page(o, &f, err));
    rb_code_t rc = write_page(o, f.out, err);
    return out_file_close(&f, rc, err);
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
