/* rubato sweep: studies of traces on configurations. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/cli/out_file.h"
#include "frontend/cli/run_setup.h"
#include "frontend/cli/sweep.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { JOBS_MAX = 1024 };

typedef struct {
    const char *output, *tmpdir, *profile, *sample, *seed, *launches;
    const char **gpus, **sets, **vary; /* owned lists, texts borrowed */
    size_t n_gpus, cap_gpus, n_sets, cap_sets, n_vary, cap_vary;
    uint64_t jobs;
    unsigned progress;
    bool prepare, help;
    char **operands;
    int n_operands;
} sweep_options_t;

static void add_text(const char ***list, size_t *n, size_t *cap, const char *text)
{
    rb_grow(list, cap, *n + 1, sizeof(**list));
    (*list)[(*n)++] = text;
}

static rb_code_t read_option(sweep_options_t *o, cli_option_id_t id, const char *value,
                             rb_err_t *err)
{
    switch (id) {
    case CLI_HELP:
        o->help = true;
        return RB_OK;
    case CLI_GPU:
        add_text(&o->gpus, &o->n_gpus, &o->cap_gpus, value);
        return RB_OK;
    case CLI_SET:
        add_text(&o->sets, &o->n_sets, &o->cap_sets, value);
        return RB_OK;
    case CLI_VARY:
        add_text(&o->vary, &o->n_vary, &o->cap_vary, value);
        return RB_OK;
    case CLI_SAMPLE:
        o->sample = value;
        return RB_OK;
    case CLI_PROFILE:
        o->profile = value;
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
    case CLI_PREPARE:
        o->prepare = true;
        return RB_OK;
    case CLI_JOBS:
        return cli_parse_count("jobs", value, 1, JOBS_MAX, &o->jobs, err);
    case CLI_PROGRESS:
        return cli_parse_word("progress", value, cli_progress_words, &o->progress, err);
    default:
        rb_panic("sweep: option %d is not handled", (int)id);
    }
}

static rb_code_t read_options(sweep_options_t *o, int argc, char **argv, rb_err_t *err)
{
    cli_parser_t p;
    *o = (sweep_options_t){.jobs = setup_usable_cores()};
    cli_parser_init(&p, cli_find_command("sweep"), argc, argv);
    for (;;) {
        cli_option_id_t id;
        RB_TRY(cli_parser_next(&p, &id, err));
        if (id == CLI_END)
            break;
        RB_TRY(read_option(o, id, p.value, err));
    }
    o->operands = p.operands;
    o->n_operands = p.n_operands;
    return o->help ? RB_OK : cli_check_operands(&p, 1, 3, err);
}

/* A regular file with a name that ends in .cfg; everything else is a trace. */
static bool is_study(const char *path)
{
    struct stat st;
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".cfg") == 0 &&
           (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

/* "key=value" of -s as a common setting of the study. */
static rb_code_t add_setting(study_t *study, const char *text, rb_err_t *err)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return rb_fail(err, RB_USAGE, "-s: '%.100s' is not KEY=VALUE such as l2.size=3MiB", text);
    char *key = rb_strdup(text);
    key[equals - text] = '\0';
    rb_code_t rc = study_assign(study, &study->common, key, equals + 1, 0, err);
    free(key);
    return rc;
}

static rb_code_t assign_word(study_t *study, const char *word, const char *value, rb_err_t *err)
{
    return value != NULL ? study_assign(study, &study->common, word, value, 0, err) : RB_OK;
}

/* The study that options describe: one trace. */
static rb_code_t study_of_options(study_t *study, const sweep_options_t *o, rb_err_t *err)
{
    RB_TRY(study_add_trace(study, o->operands[0], NULL, o->profile, 0, err));
    for (size_t i = 0; i < o->n_gpus; i++)
        RB_TRY(study_add_gpu(study, o->gpus[i], 0, err));
    for (size_t i = 0; i < o->n_sets; i++)
        RB_TRY(add_setting(study, o->sets[i], err));
    RB_TRY(assign_word(study, "sample", o->sample, err));
    RB_TRY(assign_word(study, "seed", o->seed, err));
    RB_TRY(assign_word(study, "launches", o->launches, err));
    for (size_t i = 0; i < o->n_vary; i++)
        RB_TRY(study_add_vary(study, o->vary[i], err));
    return RB_OK;
}

static rb_code_t read_study(study_t *study, const sweep_options_t *o, rb_err_t *err)
{
    bool more = o->n_gpus > 0 || o->n_sets > 0 || o->n_vary > 0 || o->sample != NULL ||
                o->seed != NULL || o->launches != NULL || o->profile != NULL;
    if (!is_study(o->operands[0]))
        RB_TRY(study_of_options(study, o, err));
    else if (more)
        return rb_fail(err, RB_USAGE,
                       "--gpu, -s, --vary, --sample, --profile, --seed and --launches are for a "
                       "trace: a study file says these things itself");
    else
        RB_TRY(study_read_file(study, o->operands[0], err));
    return study_finish(study, err);
}

/* "l2study.sweep" of "dir/l2study.cfg" or of a trace's folder; to be freed. */
static char *default_folder(const char *operand)
{
    size_t n = strlen(operand);
    while (n > 1 && operand[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && operand[from - 1] != '/')
        from--;
    if (is_study(operand))
        n -= 4;
    char *name = rb_calloc(n - from + 8, 1);
    snprintf(name, n - from + 8, "%.*s.sweep", (int)(n - from), operand + from);
    return name;
}

/* Prepares and runs; what was refused left no trace in the folder. */
static rb_code_t sweep_study(sweep_t *s, const sweep_options_t *o, rb_err_t *err)
{
    study_t *study = study_create();
    char *folder = o->output != NULL ? rb_strdup(o->output) : default_folder(o->operands[0]);
    rb_code_t rc = read_study(study, o, err);
    if (rc == RB_OK)
        rc = sweep_prepare(s, study, folder, o->tmpdir, err);
    free(folder);
    study_destroy(study);
    RB_TRY(rc);
    RB_TRY(sweep_begin(s, err));
    if (o->prepare) {
        rb_info("%s/jobs.tsv lists %zu jobs", s->folder, s->n_jobs);
        return RB_OK;
    }
    rc = sweep_run(s, (size_t)o->jobs, (progress_when_t)o->progress, err);
    if (rc == RB_STOPPED)
        rb_info("%s keeps what is complete; the same command continues", s->folder);
    return rc;
}

static rb_code_t sweep(const sweep_options_t *o, bool *failed, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    size_t count[SWEEP_STATES];
    if (o->n_operands > 1)
        return rb_fail(err, RB_USAGE, "unexpected argument '%s'; see 'rubato sweep --help'",
                       o->operands[1]);
    rb_code_t rc = sweep_study(&s, o, err);
    sweep_count(&s, count);
    *failed = count[SWEEP_FAILED] > 0;
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
        rc = cli_flush_stdout(&err);
    free(o.gpus);
    free(o.sets);
    free(o.vary);
    if (rc != RB_OK && rc != RB_STOPPED)
        return cli_report(&err);
    return rc == RB_OK && failed ? 1 : rb_exit_code(rc);
}
