/* rubato sweep: runs studies of traces on configurations. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/run_setup.h"
#include "frontend/tool/study/study_suite.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "frontend/tool/study/sweep/sweep_place.h"
#include "frontend/tool/study/sweep/sweep_results.h"
#include "frontend/tool/study/sweep/sweep_slurm.h"
#include "frontend/tool/study/table/matrix_values.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { JOBS_MAX = 1024, SPLIT_MAX = 1000, FOLDERS_MAX = 100 };

typedef struct {
    const char *output, *tmpdir, *profile, *plan, *seed, *launches, *change_bound;
    char *sample; /* owned; all --sample arguments as one list */
    text_list_t gpus, sets, vary, match, where;
    uint64_t jobs, split;
    unsigned progress, form, format; /* indices of words */
    const char *stat, *base;
    slurm_options_t slurm;
    bool independent, prepare, use_slurm, help;
    char **operands;
    int n_operands;
} sweep_options_t;

static const char *const format_words[] = {"table", "csv", NULL};

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    sweep_options_t *o = ctx;
    switch (id) {
    case CLI_GPU:
        text_list_add(&o->gpus, value);
        return RB_OK;
    case CLI_SET:
        text_list_add(&o->sets, value);
        return RB_OK;
    case CLI_VARY:
        text_list_add(&o->vary, value);
        return RB_OK;
    case CLI_MATCH:
        text_list_add(&o->match, value);
        return RB_OK;
    case CLI_WHERE:
        text_list_add(&o->where, value);
        return RB_OK;
    case CLI_SAMPLE:
        return sample_option(&o->sample, value, err);
    case CLI_PLAN:
        return option_once(&o->plan, "plan", value, err);
    case CLI_PROFILE:
        return option_once(&o->profile, "profile", value, err);
    case CLI_CHANGE_BOUND:
        o->change_bound = value;
        return RB_OK;
    case CLI_SEED:
        o->seed = value;
        return RB_OK;
    case CLI_LAUNCHES:
        o->launches = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_TMPDIR:
        o->tmpdir = value;
        return RB_OK;
    case CLI_SPLIT_LAUNCHES:
        return option_count("split-launches", value, 1, SPLIT_MAX, &o->split, err);
    case CLI_INDEPENDENT:
        o->independent = true;
        return RB_OK;
    case CLI_PREPARE:
        o->prepare = true;
        return RB_OK;
    case CLI_SLURM:
        o->use_slurm = true;
        return RB_OK;
    case CLI_PARTITION:
        o->slurm.partition = value;
        return RB_OK;
    case CLI_MAX_PARALLEL:
        return option_count("max-parallel", value, 1, UINT32_MAX, &o->slurm.max_parallel, err);
    case CLI_JOBS:
        return option_count("jobs", value, 1, JOBS_MAX, &o->jobs, err);
    case CLI_STAT:
        o->stat = value;
        return RB_OK;
    case CLI_BASE:
        o->base = value;
        return RB_OK;
    case CLI_AS:
        return option_word("as", value, matrix_form_words, &o->form, err);
    case CLI_FORMAT:
        return option_word("format", value, format_words, &o->format, err);
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    default:
        rb_panic("sweep: option %d is not handled", (int)id);
    }
}

static rb_code_t read_options(sweep_options_t *o, int argc, char **argv, rb_err_t *err)
{
    cli_parser_t p;
    *o = (sweep_options_t){
        .jobs = setup_usable_cores(), .form = MATRIX_ratio, .stat = "totals.cycles"};
    cli_parser_init(&p, cli_find_command("sweep"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, &o->help, err));
    if (o->help)
        return RB_OK;
    o->operands = p.operands;
    o->n_operands = p.n_operands;
    if (!o->use_slurm && (o->slurm.partition != NULL || o->slurm.max_parallel > 0))
        return rb_fail(err, RB_USAGE, "--partition and --max-parallel are for --slurm");
    if (o->output == NULL && (o->prepare || o->use_slurm))
        return rb_fail(err, RB_USAGE, "--prepare and --slurm need -o DIR: the folder of the jobs");
    return cli_check_operands(&p, 1, FOLDERS_MAX, err);
}

/* A study is a regular file with a name ending in .cfg; everything else is a trace or a suite. */
static bool is_study(const char *path)
{
    struct stat st;
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".cfg") == 0 &&
           (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static rb_code_t assign_word(study_t *study, const char *word, const char *value, rb_err_t *err)
{
    return value != NULL ? study_assign(study, &study->common, word, value, 0, err) : RB_OK;
}

/* Adds the traces and suites that are named. */
static rb_code_t add_traces(study_t *study, const sweep_options_t *o, rb_err_t *err)
{
    if (o->n_operands > 1 && o->profile != NULL)
        return rb_fail(err, RB_USAGE,
                       "--profile is of one trace; with several, a study file "
                       "names the profile of each");
    for (int i = 0; i < o->n_operands; i++) {
        if (is_study(o->operands[i]))
            return rb_fail(err, RB_USAGE, "%s: a study file is swept alone", o->operands[i]);
        RB_TRY(study_add_trace(study, o->operands[i], NULL, o->profile, 0, err));
    }
    return RB_OK;
}

/* Makes the study of the traces and suites that the options describe. */
static rb_code_t study_of_options(study_t *study, const sweep_options_t *o, rb_err_t *err)
{
    RB_TRY(add_traces(study, o, err));
    for (size_t i = 0; i < o->gpus.n; i++)
        RB_TRY(study_add_gpu(study, o->gpus.text[i], 0, err));
    for (size_t i = 0; i < o->sets.n; i++)
        RB_TRY(study_add_setting(study, o->sets.text[i], err));
    RB_TRY(assign_word(study, "sample", o->sample, err));
    RB_TRY(assign_word(study, "plan", o->plan, err));
    RB_TRY(assign_word(study, "seed", o->seed, err));
    RB_TRY(assign_word(study, "launches", o->launches, err));
    RB_TRY(assign_word(study, "change_bound", o->change_bound, err));
    for (size_t i = 0; i < o->vary.n; i++)
        RB_TRY(study_add_vary(study, o->vary.text[i], err));
    return RB_OK;
}

/* folder: of the sweep. */
static rb_code_t read_study(study_t *study, const sweep_options_t *o, const char *folder,
                            rb_err_t *err)
{
    bool more = o->gpus.n > 0 || o->sets.n > 0 || o->vary.n > 0 || o->sample != NULL ||
                o->plan != NULL || o->seed != NULL || o->launches != NULL || o->profile != NULL ||
                o->match.n > 0 || o->change_bound != NULL;
    if (!is_study(o->operands[0]) || o->n_operands > 1)
        RB_TRY(study_of_options(study, o, err));
    else if (more)
        return rb_fail(
            err, RB_USAGE,
            "--gpu, -s, --vary, --match, --sample, --plan, --profile, --change-bound, --seed and "
            "--launches are "
            "for a trace or a folder of traces: a study file has these settings itself");
    else
        RB_TRY(study_read_file(study, o->operands[0], err));
    RB_TRY(study_expand(study, &o->match, folder, err));
    return study_finish(study, err);
}

/* Prints the chosen statistic of sweeps. */
static rb_code_t print_suite(char *const *folders, size_t n, const sweep_options_t *o,
                             rb_err_t *err)
{
    const matrix_choice_t choice = {o->match, o->where};
    matrix_t matrix;
    matrix_values_t values = {0};
    rb_code_t rc = matrix_open(&matrix, folders, n, &choice, err);
    if (rc == RB_OK)
        rc = matrix_values_read(&values, &matrix, o->stat, o->base, (matrix_form_t)o->form, err);
    if (rc == RB_OK)
        (o->format == 0 ? matrix_print : matrix_print_csv)(&matrix, &values, stdout);
    matrix_values_free(&values);
    matrix_close(&matrix);
    return rc;
}

/* Whether there are several programs and several results of one of them. */
static bool is_suite(const sweep_t *s)
{
    const char *first = s->jobs[0].fields[SWEEP_TRACE];
    const char *last = s->jobs[s->n_jobs - 1].fields[SWEEP_TRACE];
    size_t of_first = 0, count[SWEEP_STATES];
    for (size_t i = 0; i < s->n_jobs && strcmp(s->jobs[i].fields[SWEEP_TRACE], first) == 0; i++)
        of_first += !sweep_is_part(s, i);
    sweep_count(s, count);
    return strcmp(first, last) != 0 && of_first > 1 && count[SWEEP_DONE] > 0;
}

/* Writes and prints the results; the programs of a suite also side by side. */
static rb_code_t print_results(const sweep_t *s, bool keep, const sweep_options_t *o, rb_err_t *err)
{
    RB_TRY(sweep_results(s, keep, err));
    if (!is_suite(s))
        return RB_OK;
    putchar('\n');
    return print_suite(&(char *){s->folder}, 1, o, err);
}

/* Prepares and runs; a refused study leaves nothing in the folder. */
static rb_code_t sweep_in(sweep_t *s, sweep_place_t *place, const sweep_options_t *o, rb_err_t *err)
{
    study_t *study = study_create();
    study->split = o->split;
    /* Jobs that other schedulers run cannot wait for another one's choice. */
    if (o->change_bound != NULL && (o->independent || o->prepare || o->use_slurm || o->split > 0)) {
        study_destroy(study);
        return rb_fail(err, RB_USAGE,
                       "--change-bound has no effect with --independent, --prepare, --slurm and "
                       "--split-launches: every point chooses launches itself");
    }
    study->chooses_once = !o->independent && !o->prepare && !o->use_slurm;
    rb_code_t rc = read_study(study, o, place->folder, err);
    if (rc == RB_OK)
        rc = sweep_prepare(s, study, place->folder, o->tmpdir, err);
    if (rc != RB_OK && !place->temporary)
        study_drop_unpacked(study, place->folder);
    study_destroy(study);
    RB_TRY(rc);
    RB_TRY(sweep_begin(s, err));
    if (o->prepare) {
        rb_info("%s/jobs.tsv lists %zu jobs", s->folder, s->n_jobs);
        return RB_OK;
    }
    if (o->use_slurm)
        return sweep_slurm(s, &o->slurm, err);
    sweep_place_say(place, "the runs, results.csv and jobs.csv");
    rc = sweep_run(s, SWEEP_ALL, (size_t)o->jobs, (progress_when_t)o->progress, err);
    if (rc == RB_STOPPED && !place->temporary)
        rb_info("%s has the finished jobs; the same command continues", s->folder);
    if (rc == RB_OK)
        rc = print_results(s, !place->temporary, o, err);
    /* Results that cannot be printed are still kept. */
    return rc == RB_OK ? out_flush_stdout(err) : rc;
}

static rb_code_t sweep_study(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    sweep_place_t place;
    size_t count[SWEEP_STATES];
    RB_TRY(sweep_place_open(&place, o->output, library_tmpdir(o->tmpdir), err));
    rb_code_t rc = sweep_in(s, &place, o, err);
    sweep_count(s, count);
    sweep_place_close(&place, s, rc == RB_OK && count[SWEEP_FAILED] == 0);
    return rc;
}

/* sweep status DIR: reads files only, wherever the jobs run. */
static rb_code_t show_status(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    size_t count[SWEEP_STATES];
    char line[SWEEP_LINE];
    (void)o;
    (void)err;
    sweep_count(s, count);
    printf("%zu jobs", s->n_jobs);
    const char *separator = ": ";
    for (size_t i = SWEEP_STATES; i-- > 0;) {
        if (count[i] == 0)
            continue;
        printf("%s%zu %s", separator, count[i], sweep_state_names[i]);
        separator = ", ";
    }
    printf("\n");
    if (count[SWEEP_RUNNING] > 0)
        printf("%s\n", sweep_line_head);
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].state != SWEEP_RUNNING)
            continue;
        sweep_job_line(s, i, line);
        printf("%s\n", line);
    }
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].state != SWEEP_FAILED)
            continue;
        char *reason = sweep_reason(s, i);
        printf("%6zu  failed   %s: %s\n", i + 1, s->jobs[i].label, reason);
        free(reason);
    }
    return RB_OK;
}

/* sweep collect DIR. */
static rb_code_t collect(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    if (s->split)
        RB_TRY(sweep_run(s, SWEEP_WHOLES, (size_t)o->jobs, (progress_when_t)o->progress, err));
    return print_results(s, true, o, err);
}

/* sweep job DIR N: runs one job, for schedulers. */
static rb_code_t run_job(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    uint64_t number;
    RB_TRY(option_count("job", o->operands[2], 1, s->n_jobs, &number, err));
    sweep_await(s, (size_t)number - 1);
    rb_code_t rc = sweep_run(s, (size_t)number - 1, 1, (progress_when_t)o->progress, err);
    /* The exit status is that of this job. */
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (i != number - 1)
            s->jobs[i].state = SWEEP_DONE;
    }
    bool stopped = s->jobs[number - 1].state == SWEEP_STOPPED;
    return rc == RB_OK && stopped ? RB_STOPPED : rc;
}

/* sweep table DIR...: opens the folders itself. */
static rb_code_t print_table(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    (void)s;
    return print_suite(o->operands + 1, (size_t)o->n_operands - 1, o, err);
}

/* Actions on an existing folder. */
static const struct {
    const char *name;
    int operands; /* number of operands, including the action; 0: at least 2 */
    rb_code_t (*run)(sweep_t *s, const sweep_options_t *o, rb_err_t *err);
} actions[] = {{"status", 2, show_status},
               {"collect", 2, collect},
               {"table", 0, print_table},
               {"job", 3, run_job}};
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

/* The action that the operands begin with; ACTIONS: none, they are a study or a trace. */
static size_t find_action(const sweep_options_t *o)
{
    size_t i = 0;
    while (i < ACTIONS && strcmp(actions[i].name, o->operands[0]) != 0)
        i++;
    return i;
}

static rb_code_t act(sweep_t *s, const sweep_options_t *o, size_t action, rb_err_t *err)
{
    const int n = actions[action].operands;
    if (n > 0 ? o->n_operands != n : o->n_operands < 2)
        return rb_fail(err, RB_USAGE, "sweep %s: the folder of a sweep%s is expected",
                       actions[action].name, actions[action].operands > 2 ? " and a job" : "");
    RB_TRY(sweep_open(s, o->operands[1], err));
    RB_TRY(sweep_look(s, err));
    return actions[action].run(s, o, err);
}

static rb_code_t sweep(const sweep_options_t *o, bool *failed, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    size_t count[SWEEP_STATES];
    size_t action = find_action(o);
    rb_code_t rc = action < ACTIONS ? act(&s, o, action, err) : sweep_study(&s, o, err);
    sweep_count(&s, count);
    *failed = count[SWEEP_FAILED] > 0 && (action == ACTIONS || actions[action].run == run_job);
    sweep_free(&s);
    return rc;
}

int cmd_sweep(int argc, char **argv)
{
    rb_err_t err = {0};
    sweep_options_t o;
    bool failed = false;
    rb_code_t rc = read_options(&o, argc, argv, &err);
    if (rc == RB_OK && o.help)
        cli_print_help(cli_find_command("sweep"), stdout);
    else if (rc == RB_OK)
        rc = sweep(&o, &failed, &err);
    if (rc == RB_OK)
        rc = out_flush_stdout(&err);
    free(o.sample);
    free(o.gpus.text);
    free(o.sets.text);
    free(o.vary.text);
    free(o.match.text);
    free(o.where.text);
    if (rc != RB_OK && rc != RB_STOPPED)
        return cli_report(&err);
    return rc == RB_OK && failed ? 1 : rb_exit_code(rc);
}
