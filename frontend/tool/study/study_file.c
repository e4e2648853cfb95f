/* Reads study files (libconfig) into a study. */
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/study/study.h"
#include "frontend/tool/study/study_delta.h"
#include "sim/conf/conf_text.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

static int line_of(const config_setting_t *s)
{
    return (int)config_setting_source_line(s);
}

/* The text of a scalar in the format of -s; false: s is not a scalar. */
static bool scalar_text(const config_setting_t *s, char text[512])
{
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
        snprintf(text, 512, "%d", config_setting_get_int(s));
        return true;
    case CONFIG_TYPE_INT64:
        snprintf(text, 512, "%lld", config_setting_get_int64(s));
        return true;
    case CONFIG_TYPE_FLOAT:
        snprintf(text, 512, "%.15g", config_setting_get_float(s));
        return true;
    case CONFIG_TYPE_BOOL:
        snprintf(text, 512, "%s", config_setting_get_bool(s) ? "true" : "false");
        return true;
    case CONFIG_TYPE_STRING:
        return snprintf(text, 512, "%s", config_setting_get_string(s)) < 512;
    default:
        return false;
    }
}

static rb_code_t need_scalar(const study_t *s, const char *key, const config_setting_t *setting,
                             char text[512], rb_err_t *err)
{
    if (scalar_text(setting, text))
        return RB_OK;
    return study_fail(s, line_of(setting), err, "%.100s must be one value of at most 511 bytes",
                      key);
}

typedef rb_code_t (*take_fn)(study_t *s, const char *key, const config_setting_t *value, void *ctx,
                             rb_err_t *err);

/*
 * Calls take for every key of a group: "delta" for a direct value, "l2.size" for one in a nested
 * group.
 */
static rb_code_t each_key(study_t *s, const config_setting_t *group, take_fn take, void *ctx,
                          rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *item = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(item);
        if (!config_setting_is_group(item)) {
            RB_TRY(take(s, name, item, ctx, err));
            continue;
        }
        for (int k = 0; k < config_setting_length(item); k++) {
            const config_setting_t *value = config_setting_get_elem(item, (unsigned)k);
            char key[128];
            snprintf(key, sizeof(key), "%.60s.%.60s", name, config_setting_name(value));
            RB_TRY(take(s, key, value, ctx, err));
        }
    }
    return RB_OK;
}

/* Adds one assignment of a group; ctx: the set. */
static rb_code_t take_assignment(study_t *s, const char *key, const config_setting_t *value,
                                 void *ctx, rb_err_t *err)
{
    char text[512];
    RB_TRY(need_scalar(s, key, value, text, err));
    return study_assign(s, ctx, key, text, line_of(value), err);
}

static rb_code_t take_axis(study_t *s, const char *key, const config_setting_t *value, void *ctx,
                           rb_err_t *err)
{
    study_axis_t *axis;
    char text[512];
    (void)ctx;
    RB_TRY(study_add_axis(s, key, line_of(value), &axis, err));
    if (!config_setting_is_array(value) && !config_setting_is_list(value))
        return study_fail(s, line_of(value), err, "%s: an axis is a list of values: [ ..., ... ]",
                          key);
    int n = config_setting_length(value);
    if (n == 0)
        return study_fail(s, line_of(value), err, "the axis %s has no values", key);
    for (int i = 0; i < n; i++) {
        const config_setting_t *item = config_setting_get_elem(value, (unsigned)i);
        RB_TRY(need_scalar(s, key, item, text, err));
        RB_TRY(study_add_value(s, axis, text, line_of(value), err));
        if (strcmp(key, "delta") == 0)
            RB_TRY(delta_check(s, text, line_of(value), err));
    }
    return RB_OK;
}

static rb_code_t take_trace_group(study_t *s, const config_setting_t *group, rb_err_t *err)
{
    const char *path = NULL, *name = NULL, *profile = NULL, *match = NULL;
    int line = line_of(group);
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *item = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(item), *text = config_setting_get_string(item);
        if (text == NULL)
            return study_fail(s, line_of(item), err, "%.60s of a trace must be a text", key);
        if (strcmp(key, "path") == 0)
            path = text;
        else if (strcmp(key, "name") == 0)
            name = text;
        else if (strcmp(key, "profile") == 0)
            profile = text;
        else if (strcmp(key, "match") == 0)
            match = text;
        else
            return study_fail(s, line_of(item), err,
                              "'%.60s': a trace has path, name, match and profile", key);
    }
    if (path == NULL)
        return study_fail(s, line, err, "a trace without a path");
    char *trace = study_path(s, path),
         *profile_path = profile != NULL ? study_path(s, profile) : NULL;
    rb_code_t rc = study_add_trace(s, trace, name, profile_path, line, err);
    if (rc == RB_OK)
        s->traces[s->n_traces - 1].match = rb_strdup(match);
    free(trace);
    free(profile_path);
    return rc;
}

static rb_code_t take_traces(study_t *s, const config_setting_t *list, rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
        const char *path = config_setting_get_string(item);
        if (config_setting_is_group(item)) {
            RB_TRY(take_trace_group(s, item, err));
            continue;
        }
        if (path == NULL)
            return study_fail(s, line_of(list), err, "traces: a path in quotes is expected");
        char *trace = study_path(s, path);
        rb_code_t rc = study_add_trace(s, trace, NULL, NULL, line_of(list), err);
        free(trace);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t take_gpus(study_t *s, const config_setting_t *list, rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(list); i++) {
        const char *gpu = config_setting_get_string_elem(list, i);
        if (gpu == NULL)
            return study_fail(s, line_of(list), err, "gpus: a name in quotes is expected");
        char *name = study_gpu_is_file(gpu) ? study_path(s, gpu) : rb_strdup(gpu);
        rb_code_t rc = study_add_gpu(s, name, line_of(list), err);
        free(name);
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t take_points(study_t *s, const config_setting_t *list, rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
        if (!config_setting_is_group(item))
            return study_fail(s, line_of(list), err,
                              "points: a group of settings is expected: { l2 : { ... }; }");
        study_set_t *set = study_add_point(s);
        RB_TRY(each_key(s, item, take_assignment, set, err));
        for (size_t k = 0; k < set->n; k++) {
            if (strcmp(set->item[k].key, "delta") == 0)
                RB_TRY(delta_check(s, set->item[k].value, line_of(item), err));
        }
    }
    return RB_OK;
}

static rb_code_t take_deltas(study_t *s, const config_setting_t *group, rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *item = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(item);
        if (!config_setting_is_group(item))
            return study_fail(s, line_of(item), err, "delta %.60s: a group of settings is expected",
                              name);
        for (const delta_t *d = delta_table; d->name != NULL; d++) {
            if (strcmp(d->name, name) == 0)
                return study_fail(s, line_of(item), err,
                                  "delta %s already exists: choose another name", name);
        }
        rb_grow(&s->deltas, &s->cap_deltas, s->n_deltas + 1, sizeof(*s->deltas));
        study_delta_t *delta = &s->deltas[s->n_deltas++];
        *delta = (study_delta_t){.name = rb_strdup(name)};
        RB_TRY(each_key(s, item, take_assignment, &delta->set, err));
        for (size_t k = 0; k < delta->set.n; k++) {
            if (strchr(delta->set.item[k].key, '.') == NULL)
                return study_fail(s, line_of(item), err, "delta %.60s: '%s' is not a setting", name,
                                  delta->set.item[k].key);
        }
    }
    return RB_OK;
}

/* The parts of a study file. Deltas come first, since the others refer to them. */
static const struct {
    const char *name;
    bool group; /* { } if set, otherwise a list */
} parts[] = {{"deltas", true},   {"traces", false}, {"gpus", false},
             {"settings", true}, {"points", false}, {"axes", true}};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static rb_code_t check_parts(const study_t *s, const config_setting_t *root, rb_err_t *err)
{
    for (int i = 0; i < config_setting_length(root); i++) {
        const config_setting_t *item = config_setting_get_elem(root, (unsigned)i);
        const char *name = config_setting_name(item);
        suggest_t like;
        size_t k = 0;
        suggest_begin(&like, name);
        for (; k < PARTS && strcmp(parts[k].name, name) != 0; k++)
            suggest_offer(&like, parts[k].name);
        if (k == PARTS && like.best != NULL)
            return study_fail(s, line_of(item), err, "unknown word '%.60s'; did you mean '%s'?",
                              name, like.best);
        if (k == PARTS)
            return study_fail(s, line_of(item), err,
                              "unknown word '%.60s': a study has traces, gpus, settings, axes, "
                              "points and deltas",
                              name);
        bool list = config_setting_is_array(item) || config_setting_is_list(item);
        if (parts[k].group ? !config_setting_is_group(item) : !list)
            return study_fail(s, line_of(item), err, "%s must be %s", name,
                              parts[k].group ? "a group: { ... }" : "a list: ( ..., ... )");
    }
    return RB_OK;
}

static rb_code_t take_part(study_t *s, const char *name, const config_setting_t *item,
                           rb_err_t *err)
{
    if (strcmp(name, "deltas") == 0)
        return take_deltas(s, item, err);
    if (strcmp(name, "traces") == 0)
        return take_traces(s, item, err);
    if (strcmp(name, "gpus") == 0)
        return take_gpus(s, item, err);
    if (strcmp(name, "settings") == 0)
        return each_key(s, item, take_assignment, &s->common, err);
    if (strcmp(name, "points") == 0)
        return take_points(s, item, err);
    return each_key(s, item, take_axis, NULL, err);
}

static rb_code_t take_tree(study_t *s, const config_t *tree, rb_err_t *err)
{
    const config_setting_t *root = config_root_setting(tree);
    RB_TRY(check_parts(s, root, err));
    for (size_t i = 0; i < PARTS; i++) {
        const config_setting_t *item = config_setting_get_member(root, parts[i].name);
        if (item != NULL)
            RB_TRY(take_part(s, parts[i].name, item, err));
    }
    return RB_OK;
}

static rb_code_t parse(study_t *s, const char *text, rb_err_t *err)
{
    config_t tree;
    config_init(&tree);
    rb_code_t rc = config_read_string(&tree, text) == CONFIG_TRUE
                       ? take_tree(s, &tree, err)
                       : study_fail(s, conf_text_error_line(text, config_error_line(&tree)), err,
                                    "%s", config_error_text(&tree));
    config_destroy(&tree);
    return rc;
}

rb_code_t study_read_file(study_t *s, const char *path, rb_err_t *err)
{
    struct stat st;
    char *text;
    size_t n;
    RB_TRY(conf_text_read(path, &st, &text, &n, err));
    s->file = rb_strdup(path);
    rb_code_t rc = conf_text_check(path, text, n, err);
    if (rc == RB_OK)
        rc = parse(s, text, err);
    free(text);
    return rc;
}
