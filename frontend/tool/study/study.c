#include "frontend/tool/study/study.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/config_groups.h"
#include "frontend/tool/study/study_delta.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

const char *const study_words[] = {"delta",    "sample",       "plan", "seed",
                                   "launches", "change_bound", NULL};

study_t *study_create(void)
{
    return rb_calloc(1, sizeof(study_t));
}

static void free_set(study_set_t *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->item[i].key);
        free(set->item[i].value);
    }
    free(set->item);
    *set = (study_set_t){0};
}

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(text[i]);
    free(text);
}

void study_trace_free(study_trace_t *trace)
{
    free(trace->path);
    free(trace->name);
    free(trace->profile);
    free(trace->match);
    *trace = (study_trace_t){0};
}

void study_destroy(study_t *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_traces; i++)
        study_trace_free(&s->traces[i]);
    for (size_t i = 0; i < s->n_axes; i++) {
        free(s->axes[i].key);
        free_texts(s->axes[i].values, s->axes[i].n);
    }
    for (size_t i = 0; i < s->n_listed; i++)
        free_set(&s->listed[i]);
    for (size_t i = 0; i < s->n_deltas; i++) {
        free(s->deltas[i].name);
        free_set(&s->deltas[i].set);
    }
    free_set(&s->common);
    free_texts(s->gpus, s->n_gpus);
    free_texts(s->columns, s->n_columns);
    free_texts(s->unpacked, s->n_unpacked);
    free(s->file);
    free(s->traces);
    free(s->axes);
    free(s->listed);
    free(s->deltas);
    free(s->cells);
    free(s);
}

rb_code_t study_fail(const study_t *s, int line, rb_err_t *err, const char *fmt, ...)
{
    char text[768];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (s->file == NULL)
        return rb_fail(err, RB_USAGE, "%s", text);
    if (line <= 0)
        return rb_fail(err, RB_CONFIG, "%.240s: %s", s->file, text);
    return rb_fail(err, RB_CONFIG, "%.240s:%d: %s", s->file, line, text);
}

/* Tabs and line ends separate fields and rows of a job list. */
static bool has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    }
    return false;
}

const char *study_last_part(const char *path, size_t *n)
{
    size_t to = strlen(path);
    while (to > 1 && path[to - 1] == '/')
        to--;
    size_t from = to;
    while (from > 0 && path[from - 1] != '/')
        from--;
    *n = to - from;
    return path + from;
}

/* The caller frees the result. */
static char *base_name(const char *path)
{
    size_t n;
    const char *part = study_last_part(path, &n);
    char *name = rb_calloc(n + 1, 1);
    memcpy(name, part, n);
    return name;
}

char *study_path(const study_t *s, const char *path)
{
    const char *slash = s->file != NULL ? strrchr(s->file, '/') : NULL;
    if (path[0] == '/' || slash == NULL)
        return rb_strdup(path);
    size_t folder = (size_t)(slash - s->file) + 1;
    char *full = rb_calloc(folder + strlen(path) + 1, 1);
    memcpy(full, s->file, folder);
    strcpy(full + folder, path);
    return full;
}

bool study_gpu_is_file(const char *gpu)
{
    size_t n = strlen(gpu);
    return strchr(gpu, '/') != NULL || (n > 4 && strcmp(gpu + n - 4, ".cfg") == 0);
}

rb_code_t study_add_trace(study_t *s, const char *path, const char *name, const char *profile,
                          int line, rb_err_t *err)
{
    if (path[0] == '\0')
        return study_fail(s, line, err, "a trace without a path");
    if (has_control(path) || (name != NULL && has_control(name)) ||
        (profile != NULL && has_control(profile)))
        return study_fail(s, line, err, "a trace's path or name has control characters in it");
    char *own = name != NULL ? rb_strdup(name) : base_name(path);
    for (size_t i = 0; i < s->n_traces; i++) {
        if (strcmp(s->traces[i].name, own) == 0) {
            rb_code_t rc = study_fail(s, line, err,
                                      "two traces with the name '%.100s': distinguish them with { "
                                      "path = ...; name = ...; }",
                                      own);
            free(own);
            return rc;
        }
    }
    rb_grow(&s->traces, &s->cap_traces, s->n_traces + 1, sizeof(*s->traces));
    s->traces[s->n_traces++] = (study_trace_t){.path = rb_strdup(path),
                                               .name = own,
                                               .profile = rb_strdup(profile),
                                               .named = name != NULL,
                                               .line = line};
    return RB_OK;
}

char *study_name_pattern(const char *pattern, const char *trace)
{
    static const char trace_word[] = "{trace}";
    const char *at = strstr(pattern, trace_word);
    return at == NULL ? rb_strdup(pattern)
                      : rb_format("%.*s%s%s", (int)(at - pattern), pattern, trace,
                                  at + sizeof(trace_word) - 1);
}

rb_code_t study_add_gpu(study_t *s, const char *gpu, int line, rb_err_t *err)
{
    if (gpu[0] == '\0' || has_control(gpu))
        return study_fail(s, line, err, "a GPU without a name");
    for (size_t i = 0; i < s->n_gpus; i++) {
        if (strcmp(s->gpus[i], gpu) == 0)
            return study_fail(s, line, err, "the GPU '%.100s' appears twice", gpu);
    }
    rb_grow(&s->gpus, &s->cap_gpus, s->n_gpus + 1, sizeof(*s->gpus));
    s->gpus[s->n_gpus++] = rb_strdup(gpu);
    return RB_OK;
}

static bool is_setting(const char *key)
{
    const char *dot = strchr(key, '.');
    const param_group_t *g;
    for (size_t i = 0; dot != NULL && (g = config_group(i)) != NULL; i++) {
        if (strlen(g->name) == (size_t)(dot - key) &&
            strncmp(g->name, key, (size_t)(dot - key)) == 0)
            return param_find(g, dot + 1) != NULL;
    }
    return false;
}

/* Writes the known key nearest to a wrong one to near. */
static void nearest_key(const char *key, char near[128])
{
    const char *dot = strchr(key, '.');
    suggest_t like;
    near[0] = '\0';
    if (dot == NULL) {
        suggest_begin(&like, key);
        for (size_t i = 0; study_words[i] != NULL; i++)
            suggest_offer(&like, study_words[i]);
        if (like.best != NULL)
            snprintf(near, 128, "%s", like.best);
        return;
    }
    /* Compares whole keys: a correct name in a wrong group is also near. */
    suggest_begin(&like, key);
    const param_group_t *g;
    for (size_t n = 0; (g = config_group(n)) != NULL; n++) {
        for (size_t i = 0; i < g->n_params; i++) {
            char full[128];
            snprintf(full, sizeof(full), "%s.%s", g->name, g->params[i].name);
            suggest_offer(&like, full);
            if (like.best != NULL)
                snprintf(near, 128, "%s", full);
            like.best = NULL;
        }
    }
}

static rb_code_t check_key(const study_t *s, const char *key, int line, rb_err_t *err)
{
    char near[128];
    for (size_t i = 0; study_words[i] != NULL; i++) {
        if (strcmp(study_words[i], key) == 0)
            return RB_OK;
    }
    if (is_setting(key))
        return RB_OK;
    nearest_key(key, near);
    if (near[0] != '\0')
        return study_fail(s, line, err, "unknown key '%.100s'; did you mean '%s'?", key, near);
    return study_fail(s, line, err,
                      "unknown key '%.100s': the keys are delta, sample, plan, seed, launches, "
                      "change_bound, and the "
                      "settings that 'rubato config explain' lists",
                      key);
}

static rb_code_t check_value(const study_t *s, const char *key, const char *value, int line,
                             rb_err_t *err)
{
    if (value[0] == '\0')
        return study_fail(s, line, err, "%.100s: an empty value", key);
    if (has_control(value))
        return study_fail(s, line, err, "%.100s: a value has control characters in it", key);
    return RB_OK;
}

rb_code_t study_add_axis(study_t *s, const char *key, int line, study_axis_t **axis, rb_err_t *err)
{
    RB_TRY(check_key(s, key, line, err));
    for (size_t i = 0; i < s->n_axes; i++) {
        if (strcmp(s->axes[i].key, key) == 0)
            return study_fail(s, line, err, "%s is already an axis", key);
    }
    rb_grow(&s->axes, &s->cap_axes, s->n_axes + 1, sizeof(*s->axes));
    *axis = &s->axes[s->n_axes++];
    **axis = (study_axis_t){.key = rb_strdup(key), .line = line};
    return RB_OK;
}

rb_code_t study_add_value(const study_t *s, study_axis_t *axis, const char *value, int line,
                          rb_err_t *err)
{
    RB_TRY(check_value(s, axis->key, value, line, err));
    for (size_t i = 0; i < axis->n; i++) {
        if (strcmp(axis->values[i], value) == 0)
            return study_fail(s, line, err, "%s: '%.100s' appears twice", axis->key, value);
    }
    rb_grow(&axis->values, &axis->cap, axis->n + 1, sizeof(*axis->values));
    axis->values[axis->n++] = rb_strdup(value);
    return RB_OK;
}

study_set_t *study_add_point(study_t *s)
{
    rb_grow(&s->listed, &s->cap_listed, s->n_listed + 1, sizeof(*s->listed));
    s->listed[s->n_listed] = (study_set_t){0};
    return &s->listed[s->n_listed++];
}

rb_code_t study_assign(const study_t *s, study_set_t *set, const char *key, const char *value,
                       int line, rb_err_t *err)
{
    RB_TRY(check_key(s, key, line, err));
    RB_TRY(check_value(s, key, value, line, err));
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->item[i].key, key) == 0)
            return study_fail(s, line, err, "%s is given twice", key);
    }
    rb_grow(&set->item, &set->cap, set->n + 1, sizeof(*set->item));
    set->item[set->n++] = (study_assignment_t){rb_strdup(key), rb_strdup(value), line};
    return RB_OK;
}

/*
 * Length of the value at s, which ends at the next comma. Options of samplers also have commas,
 * "stem:epsilon=0.05,variant=paper": there, a comma ends the value only if no option follows.
 */
static size_t value_length(const char *s, bool sampler)
{
    size_t n = strcspn(s, ",");
    while (sampler && s[n] == ',') {
        size_t more = strcspn(s + n + 1, ",");
        const char *equals = memchr(s + n + 1, '=', more);
        const char *colon = memchr(s + n + 1, ':', more);
        if (equals == NULL || (colon != NULL && colon < equals))
            break;
        n += 1 + more;
    }
    return n;
}

rb_code_t study_add_setting(study_t *s, const char *text, rb_err_t *err)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return rb_fail(err, RB_USAGE, "-s: '%.100s' is not KEY=VALUE such as l2.size=3MiB", text);
    char *key = rb_strdup(text);
    key[equals - text] = '\0';
    rb_code_t rc = study_assign(s, &s->common, key, equals + 1, 0, err);
    free(key);
    return rc;
}

rb_code_t study_add_vary(study_t *s, const char *text, rb_err_t *err)
{
    const char *equals = strchr(text, '=');
    study_axis_t *axis = NULL;
    if (equals == NULL || equals == text || equals[1] == '\0')
        return rb_fail(err, RB_USAGE,
                       "--vary: '%.100s' is not KEY=VALUE,VALUE,... such as l2.size=3MiB,6MiB",
                       text);
    char *key = rb_strdup(text);
    key[equals - text] = '\0';
    rb_code_t rc = study_add_axis(s, key, 0, &axis, err);
    bool sampler = strcmp(key, "sample") == 0;
    free(key);
    RB_TRY(rc);
    for (const char *v = equals + 1;;) {
        size_t n = value_length(v, sampler);
        char *value = rb_strdup(v);
        value[n] = '\0';
        rc = study_add_value(s, axis, value, 0, err);
        free(value);
        RB_TRY(rc);
        if (v[n] == '\0')
            return RB_OK;
        v += n + 1;
    }
}
