/* Prepares jobs from a study: opens traces, resolves points, checks everything. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/shell_quote.h"
#include "frontend/tool/io/version.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/run/trace_identity.h"
#include "frontend/tool/study/study_resolve.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "frontend/tool/study/sweep/sweep_words.h"
#include "sim/core/alloc.h"
#include "sim/gpu/dispatch/occupancy.h"

/* Number of launches of a trace that are checked in advance; later ones are checked when they
 * run. */
enum { LOOK_AHEAD = 4096, ARGUMENTS_MAX = 32, PART_TEXT = 48 };

/* Properties of a trace that jobs need. */
typedef struct {
    rubato_trace *trace;    /* owned */
    trace_source_t *source; /* of trace */
    trace_identity_t *identity;
    launch_info_t *shapes; /* owned; launches with different requirements of an SM */
    size_t n_shapes, cap_shapes;
    uint64_t n_launches;
    char *path; /* owned, absolute */
    char sha256[SHA256_TEXT], profile_sha256[SHA256_TEXT];
    sweep_trials_t trials; /* owned */
    struct base {
        const char *sample, *seed; /* borrowed */
        char *plan;                /* owned */
        char *config;              /* owned; SHA-256 */
        size_t job;
    } * bases; /* owned; jobs that choose launches for others */
    size_t n_bases, cap_bases;
} opened_t;

/* Properties of a job other than its place in the study. */
typedef struct {
    const char *gpu;
    const study_config_t *config;
    const sweep_words_t *words;
    const char *plan_sha256; /* of words' plan; "" if there is none */
    const sweep_job_t *base; /* the job whose choice of launches it repeats; NULL: none */
    bool leads;              /* others may repeat its choice */
} job_facts_t;

typedef struct {
    sweep_t *sweep;
    const study_t *study;
    opened_t *traces; /* owned */
    char *folder;     /* owned, absolute */
    char binary[PATH_MAX];
    char binary_sha256[SHA256_TEXT];
} preparation_t;

/* The absolute path, so that a job can run from any folder; the caller frees it. NULL: RB_IO. */
static char *absolute(const char *path, rb_err_t *err)
{
    char *full = realpath(path, NULL);
    if (full == NULL)
        (void)rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return full;
}

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
    t->path = absolute(trace->path, err);
    if (t->path == NULL)
        return err->code;
    t->trace = library_trace_open(trace->path, tmpdir, err);
    if (t->trace == NULL)
        return err->code;
    t->source = library_trace_source(t->trace);
    t->n_launches = t->source->ops->n_launches(t->source);
    if (t->n_launches == 0)
        return rb_fail(err, RB_TRACE, "%s: has no kernel launches", trace->path);
    RB_TRY(take_shapes(t, err));
    if (trace->profile != NULL)
        RB_TRY(sweep_words_hash_profile(trace->profile, t->profile_sha256, err));
    return trace_identity_create(&t->identity, t->source, NULL, err);
}

static rb_code_t open_all(preparation_t *p, const char *tmpdir, rb_err_t *err)
{
    const study_t *study = p->study;
    for (size_t i = 0; i < study->n_traces; i++) {
        rb_err_t why = {0};
        if (open_one(&p->traces[i], &study->traces[i], tmpdir, &why) == RB_OK)
            continue;
        return study->file == NULL ? rb_fail(err, why.code, "%s", why.text)
                                   : rb_fail(err, why.code, "%.240s: trace %.100s: %.500s",
                                             study->file, study->traces[i].name, why.text);
    }
    return RB_OK;
}

/* Computes the SHA-256 of all traces in parallel. */
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
        rubato_trace_destroy(t->trace);
        trace_identity_destroy(t->identity);
        sweep_trials_free(&t->trials);
        for (size_t k = 0; k < t->n_bases; k++)
            free(t->bases[k].config);
        for (size_t k = 0; k < t->n_bases; k++)
            free(t->bases[k].plan);
        free(t->bases);
        free(t->shapes);
        free(t->path);
    }
    free(p->traces);
    free(p->folder);
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

/* "2/8"; "" for a whole job. */
static void part_text(const study_t *study, size_t part, char text[PART_TEXT])
{
    text[0] = '\0';
    if (part < study->split)
        snprintf(text, PART_TEXT, "%zu/%zu", part + 1, study->split);
}

static bool keeps_detectors(const preparation_t *p, const sweep_words_t *w)
{
    return p->study->detectors && w->sample != NULL;
}

/* Computes the id of a job by its contents. part: study_t.split for a whole job. */
static void address(const preparation_t *p, size_t trace, const job_facts_t *facts, size_t part,
                    char id[SWEEP_ID])
{
    char part_of[PART_TEXT];
    const opened_t *t = &p->traces[trace];
    const sweep_words_t *w = facts->words;
    char text[SHA256_TEXT];
    sha256_t h;
    sha256_init(&h);
    hash_line(&h, "rubato", RUBATO_VERSION);
    hash_line(&h, "commit", rubato_commit);
    hash_line(&h, "program", p->binary_sha256);
    hash_line(&h, "trace", t->sha256);
    hash_line(&h, "config", facts->config->sha256);
    hash_line(&h, "sample", w->sample);
    hash_line(&h, "seed", w->seed);
    hash_line(&h, "launches", w->launches);
    hash_line(&h, "profile", w->profile != NULL ? t->profile_sha256 : NULL);
    hash_line(&h, "plan", facts->plan_sha256);
    if (w->files != 0) {
        char files[20];
        snprintf(files, sizeof(files), "%016llx", (unsigned long long)w->files);
        hash_line(&h, "files of samplers", files);
    }
    if (facts->base != NULL) {
        hash_line(&h, "change from", facts->base->id);
        hash_line(&h, "change bound", w->change_bound);
    }
    if (keeps_detectors(p, w))
        hash_line(&h, "detectors", NULL);
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

/* Like absolute(); NULL stays NULL. */
static rb_code_t absolute_of(char **full, const char *path, rb_err_t *err)
{
    *full = path != NULL ? absolute(path, err) : NULL;
    return path == NULL || *full != NULL ? RB_OK : err->code;
}

/* Composes the command line of a job; paths are absolute, gpu may be a name. */
static void make_command(const preparation_t *p, sweep_job_t *job, size_t trace,
                         const job_facts_t *facts, const char *gpu, const char *profile,
                         const char *plan, size_t part)
{
    const delta_sets_t *sets = &facts->config->sets;
    const sweep_words_t *w = facts->words;
    const size_t split = p->study->split, most = ARGUMENTS_MAX + 2 * (sets->n + split);
    char part_of[PART_TEXT];
    size_t n = 0;
    char **argv = rb_calloc(most, sizeof(*argv));
    add_argument(argv, &n, p->binary);
    add_argument(argv, &n, "run");
    add_argument(argv, &n, p->traces[trace].path);
    add_option(argv, &n, "--gpu", gpu);
    for (size_t i = 0; i < sets->n; i++)
        add_option(argv, &n, "-s", sets->sets[i]);
    if (facts->base != NULL) {
        add_option(argv, &n, "--change-from", facts->base->folder);
        add_option(argv, &n, "--change-bound", w->units ? NULL : w->change_bound);
        const char *inside = w->units ? w->sample : w->inside;
        add_option(argv, &n, "--sample", inside != NULL && inside[0] != '\0' ? inside : NULL);
    } else {
        add_option(argv, &n, "--plan", plan);
        add_option(argv, &n, "--sample", w->sample);
        add_option(argv, &n, "--profile", profile);
        if (facts->leads)
            add_argument(argv, &n, "--keep-walks");
    }
    add_option(argv, &n, "--seed", w->seed);
    add_option(argv, &n, "--launches", w->launches);
    add_option(argv, &n, "-o", job->folder);
    if (keeps_detectors(p, w))
        add_argument(argv, &n, "--detectors");
    /* Detectors must observe the run from its beginning, so it cannot be resumed. */
    add_argument(argv, &n, keeps_detectors(p, w) ? "--force" : "--resume");
    add_option(argv, &n, "--progress", "never");
    add_option(argv, &n, "--threads", "1");
    part_text(p->study, part, part_of);
    if (split > 0)
        add_argument(argv, &n, "--isolated");
    add_option(argv, &n, "--part", part_of[0] != '\0' ? part_of : NULL);
    /* The parts of a whole job are the jobs before it. */
    for (size_t i = 0; part == split && i < split; i++)
        add_option(argv, &n, "--merge", (job - split + i)->folder);
    RB_INVARIANT(n < most, "too many arguments");
    job->argv = argv;
    job->command = shell_quote("exec", (int)n, argv);
}

static rb_code_t add_command(const preparation_t *p, sweep_job_t *job, size_t trace,
                             const job_facts_t *facts, size_t part, rb_err_t *err)
{
    char *profile = NULL, *plan = NULL;
    char *gpu = study_gpu_is_file(facts->gpu) ? realpath(facts->gpu, NULL) : NULL;
    rb_code_t rc = absolute_of(&profile, facts->words->profile, err);
    if (rc == RB_OK)
        rc = absolute_of(&plan, facts->words->plan, err);
    if (rc == RB_OK)
        make_command(p, job, trace, facts, gpu != NULL ? gpu : facts->gpu, profile, plan, part);
    free(profile);
    free(plan);
    free(gpu);
    return rc;
}

/* Fills one job. */
static rb_code_t make_job(const preparation_t *p, sweep_job_t *job, size_t trace, size_t point,
                          size_t part, const job_facts_t *facts, rb_err_t *err)
{
    char part_of[PART_TEXT];
    const study_t *study = p->study;
    sweep_t *s = p->sweep;
    char *text = study_point_text(study, point);
    size_t n =
        strlen(study->traces[trace].name) + strlen(facts->gpu) + strlen(text) + 3 + PART_TEXT;
    part_text(study, part, part_of);
    address(p, trace, facts, part, job->id);
    n += strlen(p->folder) + 8 + SWEEP_ID;
    job->folder = rb_calloc(n, 1);
    snprintf(job->folder, n, "%s/jobs/%s", p->folder, job->id);
    job->label = rb_calloc(n, 1);
    snprintf(job->label, n, "%s %s %s%s%s", study->traces[trace].name, facts->gpu, text,
             part_of[0] != '\0' ? " part " : "", part_of);
    free(text);
    job->fields = rb_calloc(s->n_columns, sizeof(*job->fields));
    job->fields[SWEEP_TRACE] = rb_strdup(study->traces[trace].name);
    job->fields[SWEEP_GPU] = rb_strdup(facts->gpu);
    for (size_t i = 0; i < study->n_columns; i++) {
        const char *cell = study_cell(study, point, i);
        job->fields[SWEEP_POINT + i] = rb_strdup(cell != NULL ? cell : "");
    }
    if (study->split > 0)
        job->fields[s->n_columns - 1] = rb_strdup(part_of);
    job->base = (size_t)((facts->base != NULL ? facts->base : job) - s->jobs);
    return add_command(p, job, trace, facts, part, err);
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The job of whose choice of launches this one takes a part: the first of the trace with the same sampler or
 * plan, and seed. NULL: it chooses itself. */
static const sweep_job_t *base_of(const preparation_t *p, opened_t *t, const sweep_job_t *job,
                                  const job_facts_t *facts)
{
    const sweep_words_t *w = facts->words;
    if (!p->study->chooses_once || !(w->chooses || w->units) || p->study->split > 0)
        return NULL;
    for (size_t i = 0; i < t->n_bases; i++) {
        const struct base *b = &t->bases[i];
        if (same_text(b->sample, w->sample) && same_text(b->seed, w->seed) &&
            same_text(b->plan, w->plan))
            return strcmp(b->config, facts->config->sha256) == 0 ? NULL : &p->sweep->jobs[b->job];
    }
    rb_grow(&t->bases, &t->cap_bases, t->n_bases + 1, sizeof(*t->bases));
    t->bases[t->n_bases++] =
        (struct base){w->sample, w->seed, rb_strdup(w->plan), rb_strdup(facts->config->sha256),
                      (size_t)(job - p->sweep->jobs)};
    return NULL;
}

/* Adds the job of a trace at a point, or its parts and the whole. */
static rb_code_t make_parts(const preparation_t *p, sweep_job_t *job, size_t trace, size_t point,
                            const char *gpu, const study_config_t *config, rb_err_t *err)
{
    const study_t *study = p->study;
    opened_t *t = &p->traces[trace];
    sweep_words_t words;
    job_facts_t facts = {.gpu = gpu, .config = config, .words = &words, .plan_sha256 = ""};
    rb_code_t rc = sweep_words_read(&words, study, trace, point, t->n_launches, err);
    if (rc == RB_OK && study->split > 0)
        rc = sweep_words_check_split(&words, &config->spec, err);
    if (rc == RB_OK)
        rc = check_fit(t, &config->spec, err);
    if (rc == RB_OK && !(study->samplers_may_fail && words.plan == NULL))
        rc = sweep_words_try(&words, &config->spec, t->source, &t->trials, &facts.plan_sha256, err);
    if (rc == RB_OK)
        facts.base = base_of(p, t, job, &facts);
    facts.leads = study->chooses_once && words.chooses && study->split == 0;
    for (size_t part = 0; rc == RB_OK && part <= study->split; part++)
        rc = make_job(p, &job[part], trace, point, part, &facts, err);
    sweep_words_free(&words);
    return rc;
}

/* Adds all jobs of a GPU, or, with gpu NULL, of the default GPU of some traces; gpus[t] is NULL for
 * the others. */
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
            rc = make_parts(p, job, t, point, gpu, &config, &why);
            if (rc != RB_OK)
                rc = study_point_fail(study, point, study->traces[t].name, gpu, &why, err);
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
        defaults[i] = library_default_gpu(p->traces[i].shapes[0].arch);
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
    return file_hash_program(p->binary_sha256, err);
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
