/* From a study to jobs: traces opened, points resolved, everything checked. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cli/open_trace.h"
#include "frontend/cli/out_file.h"
#include "frontend/cli/run_inside.h"
#include "frontend/cli/run_setup.h"
#include "frontend/cli/shell_quote.h"
#include "frontend/cli/sweep.h"
#include "frontend/cli/sweep_inputs.h"
#include "frontend/cli/trace_identity.h"
#include "frontend/cli/version.h"
#include "frontend/study/study_resolve.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/gpu/occupancy.h"

/* Launches of a trace that are looked at beforehand; later ones are checked when they run. */
enum { LOOK_AHEAD = 4096, ARGUMENTS_MAX = 24, PART_TEXT = 48 };

/* What jobs need to know of a trace. */
typedef struct {
    trace_source_t *source; /* owned */
    trace_identity_t *identity;
    launch_info_t *shapes; /* owned: launches that differ in what they need of an SM */
    size_t n_shapes, cap_shapes;
    uint64_t n_launches;
    char *path; /* owned, absolute */
    char sha256[SHA256_TEXT], profile_sha256[SHA256_TEXT];
} opened_t;

typedef struct {
    sweep_t *sweep;
    const study_t *study;
    opened_t *traces; /* owned */
    sweep_plans_t plans;
    char *folder; /* owned, absolute */
    char binary[PATH_MAX];
    char binary_sha256[SHA256_TEXT];
} preparation_t;

static bool same_shape(const launch_info_t *a, const launch_info_t *b)
{
    return a->regs == b->regs && a->shared_bytes == b->shared_bytes &&
           memcmp(a->block, b->block, sizeof(a->block)) == 0 && a->arch == b->arch;
}

static rb_code_t take_shapes(opened_t *t, rb_err_t *err)
{
    uint64_t n = t->n_launches < LOOK_AHEAD ? t->n_launches : LOOK_AHEAD;
    for (uint64_t id = 1; id <= n; id++) {
        launch_info_t info;
        size_t i = 0;
        RB_TRY(t->source->ops->launch_info(t->source, id, &info, err));
        while (i < t->n_shapes && !same_shape(&t->shapes[i], &info))
            i++;
        if (i < t->n_shapes)
            continue;
        rb_grow(&t->shapes, &t->cap_shapes, t->n_shapes + 1, sizeof(*t->shapes));
        t->shapes[t->n_shapes++] = info;
    }
    return RB_OK;
}

static rb_code_t open_one(opened_t *t, const study_trace_t *trace, const char *tmpdir,
                          rb_err_t *err)
{
    setup_options_t where = {.tmpdir = tmpdir};
    t->path = sweep_absolute(trace->path, err);
    if (t->path == NULL)
        return err->code;
    t->source = open_trace(trace->path, setup_tmpdir(&where), err);
    if (t->source == NULL)
        return err->code;
    t->n_launches = t->source->ops->n_launches(t->source);
    if (t->n_launches == 0)
        return rb_fail(err, RB_TRACE, "%s: holds no kernel launch", trace->path);
    RB_TRY(take_shapes(t, err));
    if (trace->profile != NULL)
        RB_TRY(sweep_hash_file(trace->profile, t->profile_sha256, err));
    return trace_identity_create(&t->identity, t->source, NULL, err);
}

static rb_code_t open_all(preparation_t *p, const char *tmpdir, rb_err_t *err)
{
    const study_t *study = p->study;
    for (size_t i = 0; i < study->n_traces; i++)
        RB_TRY(open_one(&p->traces[i], &study->traces[i], tmpdir, err));
    return RB_OK;
}

/* The SHA-256 of all traces, side by side. */
static rb_code_t hash_all(preparation_t *p, rb_err_t *err)
{
    for (size_t i = 0; i < p->study->n_traces; i++)
        trace_identity_start(p->traces[i].identity);
    for (size_t i = 0; i < p->study->n_traces; i++)
        RB_TRY(trace_identity_sha256(p->traces[i].identity, p->traces[i].sha256, err));
    return RB_OK;
}

static void close_all(preparation_t *p)
{
    for (size_t i = 0; i < p->study->n_traces; i++) {
        opened_t *t = &p->traces[i];
        trace_identity_destroy(t->identity);
        if (t->source != NULL)
            t->source->ops->destroy(t->source);
        free(t->shapes);
        free(t->path);
    }
    sweep_plans_free(&p->plans);
    free(p->traces);
    free(p->folder);
}

/* The word of a point about a run; NULL if it is not said or is "none". */
static const char *word_of(const study_t *study, size_t point, const char *word)
{
    const char *value = study_word(study, point, word);
    return value != NULL && strcmp(value, "none") != 0 ? value : NULL;
}

/* *launches: one of the samplers chooses launches. */
static rb_code_t check_sample(const char *text, bool *launches, rb_err_t *err)
{
    run_inside_t inside = {0};
    sample_list_t list = {0};
    rb_code_t rc = run_inside_divide(&inside, text, 1, err);
    *launches = rc == RB_OK && inside.launch != NULL;
    if (*launches)
        rc = sample_list_parse(&list, inside.launch, err);
    for (size_t i = 0; rc == RB_OK && i < list.n; i++) {
        launch_choice_t choice = {0};
        rc = launch_choice_parse(&choice, list.items[i], err);
        launch_choice_free(&choice);
    }
    if (rc == RB_OK && list.n > 1)
        rc = rb_fail(err, RB_USAGE, "sample %s: one sampler of launches is expected", text);
    sample_list_free(&list);
    run_inside_free(&inside);
    return rc;
}

/* What a job's sampler chooses launches from; NULL: it has no profile, or chooses none. */
static const char *profile_of(const study_t *study, size_t trace, size_t point)
{
    const char *sample = word_of(study, point, "sample");
    rb_err_t ignored = {0};
    bool chosen = false;
    if (sample == NULL || study->traces[trace].profile == NULL)
        return NULL;
    return check_sample(sample, &chosen, &ignored) == RB_OK && chosen ? study->traces[trace].profile
                                                                      : NULL;
}

/* What a point says about the run itself. */
static rb_code_t check_words(preparation_t *p, size_t trace, size_t point, rb_err_t *err)
{
    const char *sample = word_of(p->study, point, "sample");
    const char *plan = word_of(p->study, point, "plan");
    const char *seed = word_of(p->study, point, "seed");
    const char *launches = word_of(p->study, point, "launches");
    uint64_t number, *ids;
    size_t n;
    bool chosen = false;
    if (sample != NULL)
        RB_TRY(check_sample(sample, &chosen, err));
    if (seed != NULL)
        RB_TRY(cli_parse_count("seed", seed, 0, UINT64_MAX, &number, err));
    if (chosen && plan != NULL)
        return rb_fail(err, RB_USAGE, "plan and sample: choose one of them");
    if ((chosen || plan != NULL) && launches != NULL)
        return rb_fail(err, RB_USAGE, "launches and %s: choose one of them",
                       plan != NULL ? "plan" : "sample");
    if (plan != NULL)
        RB_TRY(sweep_plans_add(&p->plans, plan, trace, p->traces[trace].source, err));
    if (launches != NULL) {
        RB_TRY(cli_parse_id_list("launches", launches, p->traces[trace].n_launches, &ids, &n, err));
        free(ids);
    }
    return RB_OK;
}

/* Whether the launches of a point's jobs can be shared out (study_t.split). */
static rb_code_t check_split(const study_t *study, size_t point, const gpu_spec_t *spec,
                             rb_err_t *err)
{
    const char *sample = word_of(study, point, "sample");
    run_inside_t inside = {0};
    launch_choice_t choice = {0};
    rb_code_t rc = RB_OK;
    if (study->split == 0)
        return RB_OK;
    if (spec->warmup.mode == WARMUP_KEEP)
        return rb_fail(err, RB_USAGE,
                       "--split-launches: with warmup.mode = keep a launch finds what the launches "
                       "before it left; choose -s warmup.mode=flush or functional");
    if (sample != NULL)
        rc = run_inside_divide(&inside, sample, 1, err);
    if (rc == RB_OK && inside.list.n > 0)
        rc = rb_fail(err, RB_USAGE,
                     "--split-launches: samplers inside launches may learn from the launches "
                     "before: %s cannot be split",
                     sample);
    if (rc == RB_OK && inside.launch != NULL)
        rc = launch_choice_parse(&choice, inside.launch, err);
    if (rc == RB_OK && choice.method != NULL && choice.method->online)
        rc = rb_fail(err, RB_USAGE,
                     "--split-launches: %s chooses from the results so far: it cannot be split",
                     choice.method->name);
    launch_choice_free(&choice);
    run_inside_free(&inside);
    return rc;
}

static rb_code_t check_fit(const opened_t *t, const gpu_spec_t *spec, rb_err_t *err)
{
    for (size_t i = 0; i < t->n_shapes; i++) {
        occupancy_t occupancy;
        RB_TRY(occupancy_compute(spec, &t->shapes[i], &occupancy, err));
    }
    return RB_OK;
}

static void hash_line(sha256_t *h, const char *name, const char *value)
{
    sha256_update(h, name, strlen(name));
    sha256_update(h, " ", 1);
    if (value != NULL)
        sha256_update(h, value, strlen(value));
    sha256_update(h, "\n", 1);
}

/* "2/8"; "" of a whole. */
static void part_text(const study_t *study, size_t part, char text[PART_TEXT])
{
    text[0] = '\0';
    if (part < study->split)
        snprintf(text, PART_TEXT, "%zu/%zu", part + 1, study->split);
}

/* The plan of a job; NULL: none. */
static const sweep_plan_t *plan_of(const preparation_t *p, size_t trace, size_t point)
{
    return sweep_plans_find(&p->plans, word_of(p->study, point, "plan"), trace);
}

/* The content address of a job. part: study_t.split of a whole. */
static void address(const preparation_t *p, size_t trace, size_t point, const char *config_sha256,
                    size_t part, char id[SWEEP_ID])
{
    char part_of[PART_TEXT];
    static const char *const words[] = {"sample", "seed", "launches"};
    const opened_t *t = &p->traces[trace];
    bool profiled = profile_of(p->study, trace, point) != NULL;
    char text[SHA256_TEXT];
    sha256_t h;
    sha256_init(&h);
    hash_line(&h, "rubato", RUBATO_VERSION " " RUBATO_COMMIT);
    hash_line(&h, "program", p->binary_sha256);
    hash_line(&h, "trace", t->sha256);
    hash_line(&h, "config", config_sha256);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        hash_line(&h, words[i], word_of(p->study, point, words[i]));
    hash_line(&h, "profile", profiled ? t->profile_sha256 : NULL);
    const sweep_plan_t *plan = plan_of(p, trace, point);
    if (plan != NULL)
        hash_line(&h, "plan", plan->sha256);
    part_text(p->study, part, part_of);
    if (p->study->split > 0)
        hash_line(&h, "isolated", part_of);
    sha256_final_text(&h, text);
    snprintf(id, SWEEP_ID, "%.16s", text);
}

static void add_argument(char **argv, size_t *n, const char *text)
{
    argv[(*n)++] = rb_strdup(text);
}

static void add_option(char **argv, size_t *n, const char *option, const char *value)
{
    if (value == NULL)
        return;
    add_argument(argv, n, option);
    add_argument(argv, n, value);
}

/* The run of a job as a command line. */
static rb_code_t make_command(const preparation_t *p, sweep_job_t *job, size_t trace,
                              const char *gpu, size_t point, size_t part, const delta_sets_t *sets,
                              rb_err_t *err)
{
    const size_t split = p->study->split, most = ARGUMENTS_MAX + 2 * (sets->n + split);
    char part_of[PART_TEXT];
    size_t n = 0;
    const char *profile = profile_of(p->study, trace, point);
    const sweep_plan_t *plan = plan_of(p, trace, point);
    char *gpu_path = NULL, *profile_path = NULL;
    size_t length = strlen(gpu);
    /* As conf_load_gpu() tells files from names. */
    if (strchr(gpu, '/') != NULL || (length > 4 && strcmp(gpu + length - 4, ".cfg") == 0))
        gpu_path = realpath(gpu, NULL);
    if (profile != NULL) {
        profile_path = sweep_absolute(profile, err);
        if (profile_path == NULL) {
            free(gpu_path);
            return err->code;
        }
    }
    char **argv = rb_calloc(most, sizeof(*argv));
    add_argument(argv, &n, p->binary);
    add_argument(argv, &n, "run");
    add_argument(argv, &n, p->traces[trace].path);
    add_option(argv, &n, "--gpu", gpu_path != NULL ? gpu_path : gpu);
    for (size_t i = 0; i < sets->n; i++)
        add_option(argv, &n, "-s", sets->sets[i]);
    add_option(argv, &n, "--sample", word_of(p->study, point, "sample"));
    add_option(argv, &n, "--profile", profile_path);
    add_option(argv, &n, "--plan", plan != NULL ? plan->full : NULL);
    add_option(argv, &n, "--seed", word_of(p->study, point, "seed"));
    add_option(argv, &n, "--launches", word_of(p->study, point, "launches"));
    add_option(argv, &n, "-o", job->folder);
    add_argument(argv, &n, "--resume");
    add_option(argv, &n, "--progress", "never");
    add_option(argv, &n, "--threads", "1");
    part_text(p->study, part, part_of);
    if (split > 0)
        add_argument(argv, &n, "--isolated");
    add_option(argv, &n, "--part", part_of[0] != '\0' ? part_of : NULL);
    /* The parts of a whole are the jobs before it. */
    for (size_t i = 0; part == split && i < split; i++)
        add_option(argv, &n, "--merge", job[i - split].folder);
    RB_INVARIANT(n < most, "too many arguments");
    free(gpu_path);
    free(profile_path);
    job->argv = argv;
    job->command = shell_quote("exec", (int)n, argv);
    return RB_OK;
}

/* Fills one job. */
static rb_code_t make_job(const preparation_t *p, sweep_job_t *job, size_t trace, const char *gpu,
                          size_t point, size_t part, const study_config_t *config, rb_err_t *err)
{
    char part_of[PART_TEXT];
    const study_t *study = p->study;
    sweep_t *s = p->sweep;
    char *text = study_point_text(study, point);
    size_t n = strlen(study->traces[trace].name) + strlen(gpu) + strlen(text) + 3 + PART_TEXT;
    part_text(study, part, part_of);
    address(p, trace, point, config->sha256, part, job->id);
    n += strlen(p->folder) + 8 + SWEEP_ID;
    job->folder = rb_calloc(n, 1);
    snprintf(job->folder, n, "%s/jobs/%s", p->folder, job->id);
    job->label = rb_calloc(n, 1);
    snprintf(job->label, n, "%s %s %s%s%s", study->traces[trace].name, gpu, text,
             part_of[0] != '\0' ? " part " : "", part_of);
    free(text);
    job->fields = rb_calloc(s->n_columns, sizeof(*job->fields));
    job->fields[SWEEP_TRACE] = rb_strdup(study->traces[trace].name);
    job->fields[SWEEP_GPU] = rb_strdup(gpu);
    for (size_t i = 0; i < study->n_columns; i++) {
        const char *cell = study_cell(study, point, i);
        job->fields[SWEEP_POINT + i] = rb_strdup(cell != NULL ? cell : "");
    }
    if (study->split > 0)
        job->fields[s->n_columns - 1] = rb_strdup(part_of);
    return make_command(p, job, trace, gpu, point, part, &config->sets, err);
}

static rb_code_t name_job(const preparation_t *p, size_t trace, const char *gpu, size_t point,
                          const rb_err_t *why, rb_err_t *err)
{
    char *text = study_point_text(p->study, point);
    rb_code_t rc = rb_fail(err, why->code, "trace %.100s, point '%.200s' on %.60s: %.500s",
                           p->study->traces[trace].name, text, gpu, why->text);
    free(text);
    return rc;
}

/* All jobs of a GPU, or of the default GPU of some traces: gpus[t] NULL for traces without. */
static rb_code_t make_jobs(preparation_t *p, const char *gpu, size_t gpu_index,
                           const char *const *defaults, rb_err_t *err)
{
    const study_t *study = p->study;
    size_t n_gpus = study->n_gpus > 0 ? study->n_gpus : 1;
    for (size_t point = 0; point < study->n_points; point++) {
        study_config_t config;
        rb_code_t rc = study_resolve(study, gpu, point, &config, err);
        for (size_t t = 0; rc == RB_OK && t < study->n_traces; t++) {
            rb_err_t why = {0};
            if (defaults != NULL && strcmp(defaults[t], gpu) != 0)
                continue;
            size_t place = (t * n_gpus + gpu_index) * study->n_points + point;
            sweep_job_t *job = &p->sweep->jobs[place * (study->split + 1)];
            rc = check_words(p, t, point, &why);
            if (rc == RB_OK)
                rc = check_split(study, point, &config.spec, &why);
            if (rc == RB_OK)
                rc = check_fit(&p->traces[t], &config.spec, &why);
            for (size_t part = 0; rc == RB_OK && part <= study->split; part++)
                rc = make_job(p, &job[part], t, gpu, point, part, &config, &why);
            if (rc != RB_OK)
                rc = name_job(p, t, gpu, point, &why, err);
        }
        study_config_free(&config);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t make_all(preparation_t *p, rb_err_t *err)
{
    const study_t *study = p->study;
    if (study->n_gpus > 0) {
        for (size_t i = 0; i < study->n_gpus; i++)
            RB_TRY(make_jobs(p, study->gpus[i], i, NULL, err));
        return RB_OK;
    }
    const char **defaults = rb_calloc(study->n_traces, sizeof(*defaults));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < study->n_traces; i++)
        defaults[i] = setup_default_gpu(p->traces[i].shapes[0].arch);
    for (size_t i = 0; rc == RB_OK && i < study->n_traces; i++) {
        size_t first = 0;
        while (strcmp(defaults[first], defaults[i]) != 0)
            first++;
        if (first == i)
            rc = make_jobs(p, defaults[i], 0, defaults, err);
    }
    free(defaults);
    return rc;
}

static rb_code_t find_program(preparation_t *p, rb_err_t *err)
{
    ssize_t n = readlink("/proc/self/exe", p->binary, sizeof(p->binary) - 1);
    if (n <= 0)
        return rb_fail(err, RB_IO, "/proc/self/exe: %s", strerror(errno));
    p->binary[n] = '\0';
    return sweep_hash_file("/proc/self/exe", p->binary_sha256, err);
}

static rb_code_t prepare(preparation_t *p, const char *tmpdir, rb_err_t *err)
{
    sweep_t *s = p->sweep;
    const study_t *study = p->study;
    RB_TRY(open_all(p, tmpdir, err));
    RB_TRY(find_program(p, err));
    s->split = study->split > 0;
    s->n_columns = SWEEP_POINT + study->n_columns + s->split;
    s->columns = rb_calloc(s->n_columns, sizeof(*s->columns));
    s->columns[SWEEP_TRACE] = rb_strdup("trace");
    s->columns[SWEEP_GPU] = rb_strdup("gpu");
    for (size_t i = 0; i < study->n_columns; i++)
        s->columns[SWEEP_POINT + i] = rb_strdup(study->columns[i]);
    if (s->split)
        s->columns[s->n_columns - 1] = rb_strdup(sweep_part_column);
    RB_TRY(hash_all(p, err));
    s->n_jobs = study->n_traces * (study->n_gpus > 0 ? study->n_gpus : 1) * study->n_points *
                (study->split + 1);
    s->jobs = rb_calloc(s->n_jobs, sizeof(*s->jobs));
    RB_TRY(make_all(p, err));
    return RB_OK;
}

rb_code_t sweep_prepare(sweep_t *s, const study_t *study, const char *folder, const char *tmpdir,
                        rb_err_t *err)
{
    preparation_t p = {.sweep = s, .study = study};
    char cwd[PATH_MAX];
    *s = (sweep_t){.folder = rb_strdup(folder), .lock = -1};
    if (folder[0] != '/' && getcwd(cwd, sizeof(cwd)) == NULL)
        return rb_fail(err, RB_IO, "the current folder: %s", strerror(errno));
    p.folder = folder[0] == '/' ? rb_strdup(folder) : out_path(cwd, folder);
    p.traces = rb_calloc(study->n_traces, sizeof(*p.traces));
    rb_code_t rc = prepare(&p, tmpdir, err);
    close_all(&p);
    return rc;
}
