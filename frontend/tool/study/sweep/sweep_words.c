#include "frontend/tool/study/sweep/sweep_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "frontend/tool/run/sampled/run_sampling.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

struct sweep_trial {
    char *key; /* owned; sampler, plan and profile */
    char plan_sha256[SHA256_TEXT];
};

/* The value of a word; NULL if it is not set or "none". */
static const char *word_of(const study_t *study, size_t point, const char *word)
{
    const char *value = study_word(study, point, word);
    return value != NULL && strcmp(value, "none") != 0 ? value : NULL;
}

/* Sets w->files and w->inside; *launches: one of the samplers chooses launches. */
static rb_code_t check_sample(sweep_words_t *w, bool *launches, rb_err_t *err)
{
    run_inside_t inside = {0};
    sample_list_t list = {0}, all = {0};
    memory_file_t text;
    rb_code_t rc = run_inside_divide(&inside, w->sample, 1, err);
    *launches = rc == RB_OK && inside.launch != NULL;
    w->units = rc == RB_OK && !*launches && inside_list_units(&inside.list) < inside.list.n;
    for (size_t i = 0; i < inside.list.n; i++)
        w->files ^= inside_list_digest(&inside.list, i);
    if (*launches)
        rc = sample_list_parse(&list, inside.launch, err);
    for (size_t i = 0; rc == RB_OK && i < list.n; i++) {
        launch_choice_t choice = {0};
        rc = launch_choice_parse(&choice, list.items[i], err);
        w->files ^= rc == RB_OK ? choice.method->digest : 0;
        w->predicts |= rc == RB_OK && choice.method->needs & LAUNCH_NEEDS_PREDICTION;
        launch_choice_free(&choice);
    }
    if (rc == RB_OK && list.n > 1)
        rc = rb_fail(err, RB_USAGE, "sample %s: one sampler of launches is expected", w->sample);
    if (rc == RB_OK && *launches && inside.list.n > 0)
        rc = sample_list_parse(&all, w->sample, err);
    FILE *out = memory_file_open(&text);
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.items[i], list.items[0]) != 0)
            fprintf(out, "%s%s", ftell(out) > 0 ? "," : "", all.items[i]);
    w->inside = memory_file_close(&text, NULL);
    sample_list_free(&all);
    sample_list_free(&list);
    run_inside_free(&inside);
    return rc;
}

/* Only one way to choose launches is allowed. */
static rb_code_t check_choices(const sweep_words_t *w, bool sampled, rb_err_t *err)
{
    if (sampled && w->plan != NULL)
        return rb_fail(err, RB_USAGE, "plan and sample both choose launches; set only one of them");
    if (w->launches != NULL && (sampled || w->plan != NULL))
        return rb_fail(err, RB_USAGE, "launches and %s both choose launches; set only one of them",
                       sampled ? "sample" : "plan");
    return RB_OK;
}

rb_code_t sweep_words_read(sweep_words_t *w, const study_t *study, size_t trace, size_t point,
                           uint64_t n_launches, rb_err_t *err)
{
    const char *plan = word_of(study, point, "plan");
    uint64_t number, *ids;
    size_t n;
    double bound;
    bool launches = false;
    *w = (sweep_words_t){.sample = word_of(study, point, "sample"),
                         .seed = word_of(study, point, "seed"),
                         .launches = word_of(study, point, "launches"),
                         .change_bound = study_word(study, point, "change_bound")};
    if (plan != NULL) {
        char *name = study_name_pattern(plan, study->traces[trace].name);
        w->plan = study_path(study, name);
        free(name);
    }
    if (w->sample != NULL)
        RB_TRY(check_sample(w, &launches, err));
    if (launches)
        w->profile = study->traces[trace].profile;
    /* Predictions are of a point's own chip, and so is what corrects them. */
    w->chooses = (launches && !w->predicts) || w->plan != NULL;
    w->units = w->units && w->plan == NULL && w->launches == NULL;
    RB_TRY(check_choices(w, launches, err));
    if (w->change_bound != NULL)
        RB_TRY(option_share("change-bound", w->change_bound, &bound, err));
    if (w->seed != NULL)
        RB_TRY(option_count("seed", w->seed, 0, UINT64_MAX, &number, err));
    if (w->launches != NULL) {
        RB_TRY(option_id_list("launches", w->launches, n_launches, &ids, &n, err));
        free(ids);
    }
    return RB_OK;
}

void sweep_words_free(sweep_words_t *w)
{
    free(w->plan);
    free(w->inside);
    *w = (sweep_words_t){0};
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The hash of a plan: a file, or that in the folder of a run. */
static rb_code_t hash_plan(const char *path, char text[SHA256_TEXT], rb_err_t *err)
{
    char *inside = is_folder(path) ? out_path(path, PLAN_FILE_NAME) : NULL;
    const rb_code_t rc = file_hash(inside != NULL ? inside : path, text, err);
    free(inside);
    return rc;
}

rb_code_t sweep_words_hash_profile(const char *path, char text[SHA256_TEXT], rb_err_t *err)
{
    char parts[2][SHA256_TEXT] = {"", ""};
    sha256_t h;
    if (!is_folder(path))
        return file_hash(path, text, err);
    if (!out_has(path, "launches.csv"))
        return rb_fail(
            err, RB_USAGE,
            "%.400s: has no launches.csv: a profile of a sweep is a file or the folder of "
            "a run; of a folder with a trace, give the file that 'rubato convert' makes "
            "of it",
            path);
    char *launches = out_path(path, "launches.csv");
    rb_code_t rc = file_hash(launches, parts[0], err);
    free(launches);
    if (rc == RB_OK && out_has(path, PLAN_FILE_NAME))
        rc = hash_plan(path, parts[1], err);
    sha256_init(&h);
    sha256_update(&h, parts, sizeof(parts));
    sha256_final_text(&h, text);
    return rc;
}

rb_code_t sweep_words_check_split(const sweep_words_t *w, const gpu_spec_t *spec, rb_err_t *err)
{
    run_inside_t inside = {0};
    launch_choice_t choice = {0};
    rb_code_t rc = RB_OK;
    if (spec->warmup.mode == WARMUP_KEEP || spec->warmup.mode == WARMUP_AUTO)
        return rb_fail(err, RB_USAGE,
                       "--split-launches: with warmup.mode = keep a launch depends on the launches "
                       "before it; choose -s warmup.mode=flush or functional");
    if (w->sample != NULL)
        rc = run_inside_divide(&inside, w->sample, 1, err);
    if (rc == RB_OK && inside.list.n > 0)
        rc = rb_fail(err, RB_USAGE,
                     "--split-launches: samplers inside launches may learn from earlier launches: "
                     "%s cannot be split",
                     w->sample);
    if (rc == RB_OK && inside.launch != NULL)
        rc = launch_choice_parse(&choice, inside.launch, err);
    if (rc == RB_OK && choice.method != NULL && choice.method->online != NULL)
        rc = rb_fail(
            err, RB_USAGE,
            "--split-launches: %s chooses launches from earlier results: it cannot be split",
            choice.method->name);
    launch_choice_free(&choice);
    run_inside_free(&inside);
    return rc;
}

static rb_code_t try_choice(const sweep_words_t *w, const run_inside_t *inside,
                            trace_source_t *source, rb_err_t *err)
{
    const sampling_options_t options = {.plan = w->plan,
                                        .sample = inside->launch,
                                        .profile = w->profile,
                                        .seed = 1,
                                        .selected = w->launches != NULL};
    RB_TRY(inside_list_check(&inside->list, source, err));
    return run_sampling_check(&options, source, err);
}

/* Identifies a choice of launches: samplers without their constants, plan, profile. */
static char *trial_key(const sweep_words_t *w, const run_inside_t *inside)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    for (size_t i = 0; i < inside->list.n; i++)
        fprintf(out, "%s,", inside->list.methods[i]->ops->name);
    if (inside->launch != NULL)
        fprintf(out, "%.*s", (int)sample_name_length(inside->launch), inside->launch);
    fprintf(out, "\n%s\n%s\n%d", w->plan != NULL ? w->plan : "",
            w->profile != NULL ? w->profile : "", w->launches != NULL);
    return memory_file_close(&text, NULL);
}

static rb_code_t try_once(const sweep_words_t *w, const run_inside_t *inside,
                          trace_source_t *source, sweep_trials_t *trials, const char **plan_sha256,
                          rb_err_t *err)
{
    char *key = trial_key(w, inside);
    size_t i = 0;
    while (i < trials->n && strcmp(trials->list[i].key, key) != 0)
        i++;
    if (i < trials->n) {
        free(key);
        *plan_sha256 = trials->list[i].plan_sha256;
        return RB_OK;
    }
    rb_grow(&trials->list, &trials->cap, i + 1, sizeof(*trials->list));
    struct sweep_trial *trial = &trials->list[trials->n++];
    *trial = (struct sweep_trial){.key = key};
    *plan_sha256 = trial->plan_sha256;
    RB_TRY(try_choice(w, inside, source, err));
    return w->plan != NULL ? hash_plan(w->plan, trial->plan_sha256, err) : RB_OK;
}

rb_code_t sweep_words_try(const sweep_words_t *w, const gpu_spec_t *spec, trace_source_t *source,
                          sweep_trials_t *trials, const char **plan_sha256, rb_err_t *err)
{
    const char *sample = w->sample, *configured = spec->sampling.samplers;
    run_inside_t inside = {0};
    /* Same rule as for a run. */
    if (sample == NULL && w->plan == NULL && configured[0] != '\0')
        sample = configured;
    RB_TRY(inside_check_configured(configured, err));
    rb_code_t rc = sample != NULL ? run_inside_divide(&inside, sample, 1, err) : RB_OK;
    if (rc == RB_OK)
        rc = try_once(w, &inside, source, trials, plan_sha256, err);
    run_inside_free(&inside);
    return rc;
}

void sweep_trials_free(sweep_trials_t *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->list[i].key);
    free(t->list);
    *t = (sweep_trials_t){0};
}
