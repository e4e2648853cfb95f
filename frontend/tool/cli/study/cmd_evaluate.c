/* rubato evaluate: measures how good samplers are. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/evaluate/evaluate.h"
#include "frontend/tool/evaluate/evaluate_predict.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/library/open_trace.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/study/study_delta.h"
#include "sim/core/alloc.h"

enum { JOBS_MAX = 1024 };

/* Parses "1,3,5%": a '%' at the end applies to all; without it the numbers are fractions. */
static rb_code_t read_epsilons(evaluate_options_t *o, const char *text, rb_err_t *err)
{
    size_t len = strlen(text);
    const char *unit = len > 0 && text[len - 1] == '%' ? "%" : "";
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        bool own = n > 0 && text[n - 1] == '%';
        if (n == 0 || n + 2 > sizeof(o->epsilon[0]) || o->n_epsilons == EPSILONS_MAX)
            return rb_fail(err, RB_USAGE,
                           "--epsilon: at most %d bounds are expected, such as 1,3,5,10,25%%",
                           EPSILONS_MAX);
        snprintf(o->epsilon[o->n_epsilons++], sizeof(o->epsilon[0]), "%.*s%s", (int)n, text,
                 own ? "" : unit);
        text += n + (text[n] == ',');
    }
    return RB_OK;
}

/* Splits a list at commas; *words owns the texts. */
static rb_code_t read_words(text_list_t *list, char **words, const char *option, const char *text,
                            rb_err_t *err)
{
    free(*words);
    *words = rb_strdup(text);
    list->n = 0;
    for (char *word = *words, *next; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        if (word[0] == '\0')
            return rb_fail(err, RB_USAGE, "--%s %s: words separated by commas are expected", option,
                           text);
        text_list_add(list, word);
    }
    return RB_OK;
}

/* Maps names in the figures of STEM+ROOT's sensitivity study to deltas. */
static const char *delta_of(const char *variant)
{
    static const char *const names[][2] = {{"cache.x2", "stem_cache_x2"},
                                           {"cache.half", "stem_cache_half"},
                                           {"sm.x2", "stem_sm_x2"},
                                           {"sm.half", "stem_sm_half"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i][0], variant) == 0)
            return names[i][1];
    }
    return variant;
}

/* The unchanged GPU always comes first, whether named or not. */
static rb_code_t read_variants(evaluate_options_t *o, const char *text, rb_err_t *err)
{
    text_list_t said = {0};
    rb_code_t rc = read_words(&said, &o->variant_words, "variants", text, err);
    o->deltas.n = 0;
    text_list_add(&o->deltas, "none");
    for (size_t i = 0; i < said.n; i++) {
        if (strcmp(said.text[i], "none") != 0)
            text_list_add(&o->deltas, delta_of(said.text[i]));
    }
    free(said.text);
    return rc;
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    evaluate_options_t *o = ctx;
    if (setup_option(&o->setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_SAMPLE:
        text_list_add(&o->samples, value);
        return RB_OK;
    case CLI_SEED:
        return option_count("seed", value, 0, UINT32_MAX, &o->seed, err);
    case CLI_SEEDS:
        return option_count("seeds", value, 1, SEEDS_MAX, &o->seeds, err);
    case CLI_CHANGE_BOUND:
        o->change_bound = value;
        return RB_OK;
    case CLI_REPLAYS:
        return option_count("replays", value, 1, SEEDS_MAX, &o->replays, err);
    case CLI_EPSILON:
        return read_epsilons(o, value, err);
    case CLI_AGAINST:
        o->against = value;
        return RB_OK;
    case CLI_TRACE:
        o->trace = value;
        return RB_OK;
    case CLI_PLAN:
        text_list_add(&o->plans, value);
        return RB_OK;
    case CLI_PLAN_FROM:
        o->plan_from = value;
        return RB_OK;
    case CLI_VARIANTS:
        return read_variants(o, value, err);
    case CLI_WARMUP:
        return read_words(&o->warmups, &o->warmup_words, "warmup", value, err);
    case CLI_DETECTORS:
        o->detectors = true;
        return RB_OK;
    case CLI_PREDICT:
        o->predict = true;
        return RB_OK;
    case CLI_METRICS:
        o->metrics = true;
        return RB_OK;
    case CLI_CSV:
        o->csv = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->folder = value;
        return RB_OK;
    case CLI_JOBS:
        return option_count("jobs", value, 1, JOBS_MAX, &o->jobs, err);
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    default:
        return rb_fail(err, RB_USAGE, "option not known to evaluate");
    }
}

static rb_code_t read_options(evaluate_options_t *o, int argc, char **argv, bool *help,
                              rb_err_t *err)
{
    cli_parser_t p;
    *o = (evaluate_options_t){.seed = 1, .jobs = 1};
    cli_parser_init(&p, cli_find_command("evaluate"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->setup.trace = p.operands[0];
    return RB_OK;
}

/* A folder with the results of a run counts as results even if it could be a trace. */
static bool is_run(const char *path)
{
    char *results = out_path(path, "launches.csv");
    bool run = access(results, F_OK) == 0;
    free(results);
    return run;
}

/* Decides whether the operand is to be simulated; refuses options that do not fit. */
static rb_code_t choose_way(const evaluate_options_t *o, bool *simulate, rb_err_t *err)
{
    *simulate = !is_run(o->setup.trace) && open_trace_detect(o->setup.trace) && o->against == NULL;
    if (!*simulate &&
        (o->setup.gpu != NULL || o->setup.sets.n > 0 || o->folder != NULL || o->plan_from != NULL ||
         o->deltas.n > 0 || o->warmups.n > 0 || o->metrics || o->detectors))
        return rb_fail(err, RB_USAGE,
                       "--gpu, -s, -o, --plan-from, --variants, --warmup, --metrics and "
                       "--detectors are for a trace, "
                       "which is simulated; %s has its times already%s",
                       o->setup.trace, o->folder != NULL ? " (--csv FILE writes the table)" : "");
    if (!*simulate && o->replays > 0)
        return rb_fail(
            err, RB_USAGE,
            "--replays is for a trace; --seeds says how many plans of a profile are made");
    if (*simulate && (o->trace != NULL || o->n_epsilons > 0))
        return rb_fail(err, RB_USAGE,
                       "--trace and --epsilon are for a profile or the folder of a run; %s is a "
                       "trace, which is simulated%s",
                       o->setup.trace,
                       o->n_epsilons > 0 ? " (--sample stem:epsilon=1% --sample stem:epsilon=5%)"
                                         : "");
    if (o->change_bound != NULL && (!*simulate || o->deltas.n < 2))
        return rb_fail(err, RB_USAGE, "--change-bound is for a trace with --variants");
    if (o->change_bound != NULL && o->warmups.n > 1)
        return rb_fail(err, RB_USAGE, "--change-bound: not with several modes of --warmup");
    if (*simulate && o->detectors && o->folder == NULL)
        return rb_fail(err, RB_USAGE, "--detectors needs -o DIR: its data is for the report there");
    return RB_OK;
}

/* Simulation is expensive, plans are not. */
static void set_counts(evaluate_options_t *o, bool simulate)
{
    enum { PLANS = 10 };
    if (o->seeds == 0)
        o->seeds = simulate ? 1 : PLANS;
    if (o->replays == 0)
        o->replays = o->seeds > PLANS ? o->seeds : PLANS;
}

/* Predictions are compared with runs that exist: nothing is simulated, and no sampler has a part. */
static rb_code_t score_predictions(const evaluate_options_t *o, rb_err_t *err)
{
    if (open_trace_detect(o->setup.trace) && !is_run(o->setup.trace))
        return rb_fail(err, RB_USAGE,
                       "%s: --predict is for the folder of a run or sweep; 'rubato run %s -o DIR' "
                       "makes one",
                       o->setup.trace, o->setup.trace);
    if (o->samples.n + o->plans.n + o->deltas.n + o->warmups.n + o->n_epsilons + o->setup.sets.n >
            0 ||
        o->against != NULL || o->trace != NULL || o->plan_from != NULL || o->folder != NULL ||
        o->setup.gpu != NULL || o->change_bound != NULL || o->seeds + o->replays > 0 ||
        o->metrics || o->detectors)
        return rb_fail(err, RB_USAGE,
                       "--predict: only --csv and --tmpdir have an effect beside it");
    return evaluate_predict(o->setup.trace, o->csv, o->setup.tmpdir, err);
}

static rb_code_t evaluate(evaluate_options_t *o, bool *failed, rb_err_t *err)
{
    bool simulate;
    if (o->predict)
        return score_predictions(o, err);
    RB_TRY(choose_way(o, &simulate, err));
    set_counts(o, simulate);
    return simulate ? evaluate_trace(o, failed, err) : evaluate_profile(o, err);
}

int cmd_evaluate(int argc, char **argv)
{
    rb_err_t err = {0};
    evaluate_options_t o;
    bool help, failed = false;
    rb_code_t rc = read_options(&o, argc, argv, &help, &err);
    if (rc == RB_OK && help)
        cli_print_help(cli_find_command("evaluate"), stdout);
    else if (rc == RB_OK)
        rc = evaluate(&o, &failed, &err);
    if (rc == RB_OK)
        rc = out_flush_stdout(&err);
    free(o.samples.text);
    free(o.plans.text);
    free(o.warmups.text);
    free(o.deltas.text);
    free(o.setup.sets.text);
    free(o.variant_words);
    free(o.warmup_words);
    if (rc != RB_OK && rc != RB_STOPPED)
        return cli_report(&err);
    return rc == RB_OK && failed ? 1 : rb_exit_code(rc);
}
