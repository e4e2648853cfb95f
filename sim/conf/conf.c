#include "sim/conf/conf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conf/conf_internal.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

conf_t *conf_create(void)
{
    return rb_calloc(1, sizeof(conf_t));
}

static void forget_groups(conf_t *c)
{
    for (size_t g = 0; g < c->n_groups; g++)
        free(c->origin[g]);
    free(c->origin);
    free(c->group);
    c->origin = NULL;
    c->group = NULL;
    c->n_groups = 0;
}

void conf_destroy(conf_t *c)
{
    if (!c)
        return;
    conf_rewind(c, (conf_mark_t){0});
    forget_groups(c);
    for (size_t i = 0; i < c->n_added; i++)
        free(c->added[i].dest);
    free(c->added);
    free(c->layer);
    free(c->entry);
    free(c);
}

size_t conf_add_layer(conf_t *c, const char *name, bool command_line)
{
    rb_grow(&c->layer, &c->cap_layers, c->n_layers + 1, sizeof(*c->layer));
    c->layer[c->n_layers] = (conf_layer_t){rb_strdup(name), command_line};
    return c->n_layers++;
}

void conf_add_entry(conf_t *c, const char *group, const char *key, value_t *value, size_t layer,
                    int line)
{
    rb_grow(&c->entry, &c->cap_entries, c->n_entries + 1, sizeof(*c->entry));
    c->entry[c->n_entries++] =
        (conf_entry_t){rb_strdup(group), rb_strdup(key), *value, layer, line};
    *value = (value_t){0};
}

size_t conf_overrides(const conf_t *c)
{
    return c->n_sets;
}

/* Copies text[0..n) without white space at its ends. false: it is empty or does not fit. */
static bool copy_trimmed(char *out, size_t size, const char *text, size_t n)
{
    while (n && isspace((unsigned char)*text))
        text++, n--;
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (!n || n >= size)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

rb_code_t conf_set(conf_t *c, const char *assignment, rb_err_t *err)
{
    char group[CONF_KEY_MAX], key[CONF_KEY_MAX], word[PARAM_VALUE_TEXT];
    const char *equals = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    if (!equals || !dot || dot > equals ||
        !copy_trimmed(group, sizeof(group), assignment, (size_t)(dot - assignment)) ||
        !copy_trimmed(key, sizeof(key), dot + 1, (size_t)(equals - dot - 1)) ||
        !copy_trimmed(word, sizeof(word), equals + 1, strlen(equals + 1)))
        return rb_fail(err, RB_USAGE, "-s %.200s: write it as GROUP.NAME=VALUE, e.g. l2.size=3MiB",
                       assignment);
    value_t value = {.kind = VALUE_WORD, .s = rb_strdup(word)};
    size_t layer = conf_add_layer(c, assignment, true);
    conf_add_entry(c, group, key, &value, layer, 0);
    c->n_sets++;
    return RB_OK;
}

conf_mark_t conf_mark(const conf_t *c)
{
    return (conf_mark_t){c->n_layers, c->n_entries, c->n_sets};
}

static void free_entry(conf_entry_t *e)
{
    free(e->group);
    free(e->key);
    value_free(&e->value);
}

void conf_rewind(conf_t *c, conf_mark_t mark)
{
    while (c->n_entries > mark.n_entries)
        free_entry(&c->entry[--c->n_entries]);
    while (c->n_layers > mark.n_layers)
        free(c->layer[--c->n_layers].name);
    c->n_sets = mark.n_sets;
}

/* Reports an error at the place where entry e was set. */
RB_PRINTF(4, 5)
static rb_code_t fail_at(const conf_t *c, const conf_entry_t *e, rb_err_t *err, const char *fmt,
                         ...)
{
    char text[768];
    const conf_layer_t *l = &c->layer[e->layer];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (l->command_line)
        return rb_fail(err, RB_USAGE, "-s %.200s: %s", l->name, text);
    return rb_fail(err, RB_CONFIG, "%.200s:%d: %s", l->name, e->line, text);
}

static rb_code_t unknown_group(const conf_t *c, const conf_entry_t *e, rb_err_t *err)
{
    suggest_t near;
    suggest_begin(&near, e->group);
    for (size_t g = 0; g < c->n_groups; g++) {
        const param_group_t *group = c->group[g].group;
        if (!*e->key && param_find(group, e->group))
            return fail_at(c, e, err, "'%s' belongs in a group: %s : { %s = ...; };", e->group,
                           group->name, e->group);
        suggest_offer(&near, group->name);
    }
    if (near.best)
        return fail_at(c, e, err, "unknown group '%s'; did you mean '%s'?", e->group, near.best);
    return fail_at(c, e, err, "unknown group '%s'; 'rubato config explain' lists all", e->group);
}

static rb_code_t unknown_key(const conf_t *c, const conf_entry_t *e, const param_group_t *in,
                             rb_err_t *err)
{
    suggest_t near;
    suggest_begin(&near, e->key);
    for (size_t i = 0; i < in->n_params; i++)
        suggest_offer(&near, in->params[i].name);
    if (near.best)
        return fail_at(c, e, err, "unknown setting '%s.%s'; did you mean '%s.%s'?", e->group,
                       e->key, e->group, near.best);
    for (size_t g = 0; g < c->n_groups; g++)
        if (param_find(c->group[g].group, e->key))
            return fail_at(c, e, err, "unknown setting '%s.%s'; did you mean '%s.%s'?", e->group,
                           e->key, c->group[g].group->name, e->key);
    return fail_at(c, e, err, "unknown setting '%s.%s'; 'rubato config explain %s' lists all",
                   e->group, e->key, e->group);
}

/* Whether a file has a setting that resolved configurations of earlier versions wrote, and that did
 * nothing unless a variant was chosen that is gone, too. */
static bool is_gone(const conf_t *c, const conf_entry_t *e)
{
    return !c->layer[e->layer].command_line && strncmp(e->group, "photon_", 7) == 0 &&
           strcmp(e->key, "unbiased") == 0;
}

static rb_code_t apply_entry(conf_t *c, size_t index, rb_err_t *err)
{
    const conf_entry_t *e = &c->entry[index];
    char why[PARAM_VALUE_TEXT + 128];
    size_t g = 0;
    while (g < c->n_groups && strcmp(c->group[g].group->name, e->group))
        g++;
    if (g == c->n_groups)
        return unknown_group(c, e, err);
    const param_group_t *group = c->group[g].group;
    if (!*e->key)
        return fail_at(c, e, err, "'%s' is a group: %s : { NAME = VALUE; };", e->group, e->group);
    const param_t *p = param_find(group, e->key);
    if (!p && is_gone(c, e))
        return RB_OK;
    if (!p)
        return unknown_key(c, e, group, err);
    if (!param_assign(p, &e->value, c->group[g].dest, why, sizeof(why)))
        return fail_at(c, e, err, "%s.%s: %s", e->group, e->key, why);
    c->origin[g][p - group->params] = index + 1;
    return RB_OK;
}

void conf_add_group(conf_t *c, const param_group_t *group)
{
    rb_grow(&c->added, &c->cap_added, c->n_added + 1, sizeof(*c->added));
    c->added[c->n_added++] = (conf_group_t){group, rb_calloc(1, group->spec_size)};
}

const void *conf_group_values(const conf_t *c, const param_group_t *group)
{
    for (size_t i = 0; i < c->n_added; i++)
        if (c->added[i].group == group)
            return c->added[i].dest;
    return NULL;
}

/* Per parameter, whether a user sets it; free with free(). A default in a file does not count: resolved
 * configurations have all of them. */
static bool *given_in(const conf_t *c, size_t g)
{
    const param_group_t *group = c->group[g].group;
    bool *given = rb_calloc(group->n_params, sizeof(*given));
    void *defaults = rb_calloc(1, group->spec_size);
    param_group_defaults(group, defaults);
    for (size_t i = 0; i < group->n_params; i++) {
        char now[PARAM_VALUE_TEXT], def[PARAM_VALUE_TEXT];
        const size_t entry = c->origin[g][i];
        param_format(&group->params[i], c->group[g].dest, now);
        param_format(&group->params[i], defaults, def);
        given[i] = entry != 0 &&
                   (c->layer[c->entry[entry - 1].layer].command_line || strcmp(now, def) != 0);
    }
    free(defaults);
    return given;
}

static void preset_group(const conf_t *c, size_t g)
{
    if (c->group[g].group->presets == NULL)
        return;
    bool *given = given_in(c, g);
    param_group_preset(c->group[g].group, c->group[g].dest, given);
    free(given);
}

bool *conf_group_given(const conf_t *c, const param_group_t *group)
{
    for (size_t g = 0; g < c->n_groups; g++)
        if (c->group[g].group == group)
            return given_in(c, g);
    return rb_calloc(group->n_params, sizeof(bool));
}

rb_code_t conf_apply(conf_t *c, const conf_group_t *groups, size_t n, rb_err_t *err)
{
    forget_groups(c);
    c->n_groups = n + c->n_added;
    c->group = rb_calloc(c->n_groups, sizeof(*c->group));
    c->origin = rb_calloc(c->n_groups, sizeof(*c->origin));
    for (size_t g = 0; g < c->n_groups; g++) {
        const conf_group_t *group = &c->group[g];
        c->group[g] = g < n ? groups[g] : c->added[g - n];
        c->origin[g] = rb_calloc(group->group->n_params, sizeof(**c->origin));
        param_group_defaults(group->group, group->dest);
    }
    for (size_t i = 0; i < c->n_entries; i++)
        RB_TRY(apply_entry(c, i, err));
    for (size_t g = 0; g < c->n_groups; g++)
        preset_group(c, g);
    return RB_OK;
}
