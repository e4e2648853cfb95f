/* rubato plan: chooses which launches of a program to simulate. */
#include <math.h>
#include <stdlib.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/cli/run/plan_regions.h"
#include "frontend/tool/cli/run/sampler_help.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/launch_list.h"
#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { CLUSTERS_SHOWN = 20, NAME_COLUMNS = 60 };

typedef struct {
    regions_options_t regions;
    bool show_regions;
    const char *profile, *trace, *output;
    char *sample; /* owned; all --sample arguments as one list */
    uint64_t seed;
    unsigned format; /* plan_format_t */
    bool json;
} plan_options_t;

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    plan_options_t *o = ctx;
    if (setup_option(&o->regions.setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_REGIONS:
        o->show_regions = true;
        return RB_OK;
    case CLI_LAUNCHES:
        o->regions.launches = value;
        return RB_OK;
    case CLI_SAMPLE:
        return sample_option(&o->sample, value, err);
    case CLI_SEED:
        return option_count("seed", value, 0, UINT64_MAX, &o->seed, err);
    case CLI_TRACE:
        o->trace = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_FORMAT:
        return option_word("format", value, plan_format_words, &o->format, err);
    case CLI_JSON:
        o->json = true;
        return RB_OK;
    default:
        return rb_fail(err, RB_USAGE, "option not known to plan");
    }
}

/* Checks --regions and which options go with it. */
static rb_code_t check_regions(plan_options_t *o, rb_err_t *err)
{
    regions_options_t *r = &o->regions;
    const bool about = r->setup.gpu != NULL || r->setup.sets.n > 0 || r->launches != NULL;
    const bool other = o->sample != NULL || o->trace != NULL || o->output != NULL || o->json;
    if (!o->show_regions && about)
        return rb_fail(err, RB_USAGE, "--gpu, -s and --launches are for --regions");
    if (o->show_regions && other)
        return rb_fail(err, RB_USAGE,
                       "--regions prints only a table: it does not go with --sample, --trace, "
                       "--json or -o; options of tbpoint_region are settings (-s)");
    r->setup.trace = o->profile;
    r->seed = o->seed;
    if (o->sample == NULL)
        o->sample = rb_strdup("stem");
    return RB_OK;
}

static rb_code_t read_options(plan_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;
    *o = (plan_options_t){.seed = 1};
    cli_parser_init(&p, cli_find_command("plan"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, help, err));
    if (*help || (o->sample != NULL && sampler_help_wanted(o->sample)))
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->profile = p.operands[0];
    return check_regions(o, err);
}

/* Sorts by share of the time, largest first; without times, by size, largest first. */
static int by_weight(const void *a, const void *b)
{
    const plan_cluster_t *const *x = a, *const *y = b;
    double p = (double)(*x)->size, q = (double)(*y)->size;
    if (isfinite((*x)->mean) && isfinite((*y)->mean)) {
        p *= (*x)->mean;
        q *= (*y)->mean;
    }
    if (p != q)
        return p > q ? -1 : 1;
    return *x < *y ? -1 : 1;
}

static const char *time_text(char text[FORMAT_MAX], const plan_t *plan, double time)
{
    if (!isfinite(time)) {
        snprintf(text, FORMAT_MAX, "-");
        return text;
    }
    return plan->profile_cycles ? format_si(text, time) : format_seconds(text, time * 1e-9);
}

static void print_clusters(const plan_t *plan, FILE *out)
{
    const plan_cluster_t **order = rb_calloc(plan->n_clusters, sizeof(*order));
    for (uint32_t i = 0; i < plan->n_clusters; i++)
        order[i] = &plan->clusters[i];
    qsort(order, plan->n_clusters, sizeof(*order), by_weight);
    fprintf(out, "\n%12s %9s %10s %7s  kernel\n", "launches", "samples", "mean", "CoV");
    for (uint32_t i = 0; i < plan->n_clusters && i < CLUSTERS_SHOWN; i++) {
        const plan_cluster_t *c = order[i];
        char size[FORMAT_MAX], draws[FORMAT_MAX], mean[FORMAT_MAX], cov[FORMAT_MAX] = "-";
        char name[NAME_COLUMNS];
        if (isfinite(c->sd) && c->mean > 0.0)
            snprintf(cov, sizeof(cov), "%.3f", c->sd / c->mean);
        format_kernel(name, sizeof(name), plan->names[c->name]);
        fprintf(out, "%12s %9s %10s %7s  %s\n", format_grouped(size, c->size),
                format_grouped(draws, c->draws), time_text(mean, plan, c->mean), cov, name);
    }
    if (plan->n_clusters > CLUSTERS_SHOWN)
        fprintf(out, "         ...  and %u more\n", plan->n_clusters - CLUSTERS_SHOWN);
    free(order);
}

/* Relative error of the estimate with the samples' own times in the profile. */
static double predicted_error(const plan_t *plan)
{
    return fabs(plan->predicted_total / plan->profile_total - 1.0);
}

static void print_plan(const plan_options_t *o, const launch_list_t *l, const plan_t *plan,
                       FILE *out)
{
    char a[FORMAT_MAX], b[FORMAT_MAX];
    uint64_t *ids = rb_calloc(plan->n_samples, sizeof(*ids));
    uint64_t distinct = plan_launches(plan, ids);
    free(ids);
    fprintf(out, "%s: %s\n", report_trace_name(o->profile), l->format);
    fprintf(out, "launches           %12s   of %u kernels, %s\n", format_grouped(a, l->pop.n),
            l->pop.n_names,
            isfinite(plan->profile_total) ? time_text(b, plan, plan->profile_total)
                                          : "durations unknown");
    fprintf(out, "clusters           %12u   by %s, seed %llu\n", plan->n_clusters, plan->method,
            (unsigned long long)plan->seed);
    fprintf(out, "samples            %12s   launches to simulate, %.3g %% of all\n",
            format_grouped(a, distinct), 100.0 * (double)distinct / (double)l->pop.n);
    if (isfinite(plan->predicted_speedup))
        fprintf(out, "predicted speed-up %12.4g   time of all launches / time of the samples\n",
                plan->predicted_speedup);
    if (isfinite(plan->predicted_total))
        fprintf(out,
                "predicted error    %12s   of the total, with the samples' times in the profile\n",
                format_share(a, predicted_error(plan)));
    if (isfinite(plan->error_bound))
        fprintf(out, "error bound        %10.3g %%   with %s confidence, on the profiled GPU\n",
                100.0 * plan->error_bound, format_share(b, plan->confidence));
    print_clusters(plan, out);
}

static rb_code_t write_plan(const plan_options_t *o, const launch_list_t *l, const plan_t *plan,
                            rb_err_t *err)
{
    if (o->json)
        RB_TRY(plan_file_write(plan, PLAN_FORMAT_JSON, stdout, err));
    else
        print_plan(o, l, plan, stdout);
    RB_TRY(out_flush_stdout(err));
    return o->output == NULL ? RB_OK
                             : plan_file_save(o->output, plan, (plan_format_t)o->format, err);
}

/* Parses the one launch sampler that a plan needs; the others of a list work inside launches. */
static rb_code_t parse_sampler(launch_choice_t *choice, const char *text, rb_err_t *err)
{
    sample_list_t list;
    RB_TRY(sample_list_parse(&list, text, err));
    rb_code_t rc =
        list.n == 1
            ? launch_choice_parse(choice, list.items[0], err)
            : rb_fail(err, RB_USAGE, "--sample %s: a plan needs exactly one launch sampler", text);
    sample_list_free(&list);
    return rc;
}

static rb_code_t make_plan(const plan_options_t *o, rb_err_t *err)
{
    launch_list_t list = {0};
    launch_choice_t choice = {0};
    plan_t plan = {0};
    rb_code_t rc = parse_sampler(&choice, o->sample, err);
    if (rc == RB_OK)
        rc = launch_list_open(&list, o->profile, o->regions.setup.tmpdir, err);
    if (rc == RB_OK && o->trace != NULL)
        rc = launch_list_add_trace(&list, o->trace, err);
    if (rc == RB_OK)
        rc = launch_plan(&choice, &list.pop, o->seed, &plan, err);
    for (size_t i = 0; rc == RB_OK && i < plan.n_warnings; i++)
        rb_warn("%s", plan.warnings[i]);
    if (rc == RB_OK)
        rc = write_plan(o, &list, &plan, err);
    plan_free(&plan);
    launch_choice_free(&choice);
    launch_list_free(&list);
    return rc;
}

int cmd_plan(int argc, char **argv)
{
    rb_err_t err = {0};
    plan_options_t options;
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);
    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("plan"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK && options.sample != NULL && sampler_help_wanted(options.sample)) {
        rc = sampler_help(options.sample, stdout, &err);
        if (rc == RB_OK)
            rc = out_flush_stdout(&err);
    } else if (rc == RB_OK && options.show_regions) {
        rc = plan_regions_print(&options.regions, stdout, &err);
        if (rc == RB_OK)
            rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = make_plan(&options, &err);
    }
    free(options.regions.setup.sets.text);
    free(options.sample);
    return rc == RB_OK ? 0 : cli_report(&err);
}
