/* Options of samplers, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/log.h"

static rb_code_t unknown_option(const sampler_options_t *o, const char *option, rb_err_t *err)
{
    suggest_t near;
    suggest_begin(&near, option);
    for (size_t i = 0; i < o->group->n_params; i++)
        suggest_offer(&near, o->group->params[i].name);
    if (near.best != NULL)
        return rb_fail(err, RB_USAGE, "%s has no option '%.60s'; did you mean '%s'?", o->name,
                       option, near.best);
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < o->group->n_params && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : " ",
                                 o->group->params[i].name);
    return rb_fail(err, RB_USAGE, "%s has no option '%.60s'; it has: %s", o->name, option, list);
}

/* Replaces "5%" by 0.05, and "on" and "off" by truth values; leaves other text unchanged. */
static void plain_value(const param_t *p, char *text, size_t size)
{
    char *end;
    size_t n = strlen(text);
    if (p->type == PARAM_TYPE_BOOL && strcmp(text, "on") == 0)
        snprintf(text, size, "true");
    else if (p->type == PARAM_TYPE_BOOL && strcmp(text, "off") == 0)
        snprintf(text, size, "false");
    if (p->type != PARAM_TYPE_F64 || n < 2 || text[n - 1] != '%')
        return;
    double share = strtod(text, &end) / 100;
    if (end == text + n - 1)
        snprintf(text, size, "%.15g", share);
}

rb_code_t sampler_options_set(const sampler_options_t *o, const char *option, const char *value,
                              rb_err_t *err)
{
    const param_t *p = param_find(o->group, option);
    char why[PARAM_VALUE_TEXT * 2], word[PARAM_VALUE_TEXT];
    if (p == NULL)
        return unknown_option(o, option, err);
    if (strlen(value) >= sizeof(word))
        return rb_fail(err, RB_USAGE, "%s:%s: the value is too long", o->name, option);
    snprintf(word, sizeof(word), "%s", value);
    plain_value(p, word, sizeof(word));
    value_t v = {.kind = VALUE_WORD, .s = word};
    if (!param_assign(p, &v, o->values, why, sizeof(why)))
        return rb_fail(err, RB_USAGE, "%s:%s: %s", o->name, option, why);
    return RB_OK;
}

static bool is_word(const char *word, size_t n, const char *list)
{
    return strlen(word) == n && strncmp(word, list, n) == 0;
}

/* The number of a choice of p; -1: it has no such choice. */
static int choice_of(const param_t *p, const char *word, size_t n)
{
    for (int i = 0; p->choices != NULL && p->choices[i].name != NULL; i++)
        if (is_word(p->choices[i].name, n, word))
            return i;
    return -1;
}

/* Whether all n characters of a list "slope, waves" are choices of p; *on: one of them is set. */
static bool are_choices(const param_t *p, const char *list, size_t n, const void *values, bool *on)
{
    *on = false;
    for (size_t at = 0, length; at < n; at += length + 2) {
        length = strcspn(list + at, ",:");
        const int choice = choice_of(p, list + at, length);
        if (choice < 0)
            return false;
        *on |=
            *(const uint32_t *)(const void *)((const char *)values + p->offset) == (uint32_t)choice;
    }
    return true;
}

bool sampler_option_idle(const sampler_options_t *o, const param_t *option, char why[128])
{
    const size_t n = strcspn(option->help, ":;.");
    for (size_t i = 0; option->help[n] == ':' && i < o->group->n_params; i++) {
        const param_t *p = &o->group->params[i];
        bool on;
        if (p == option || p->type != PARAM_TYPE_ENUM ||
            !are_choices(p, option->help, n, o->values, &on))
            continue;
        snprintf(why, 128, "only with %s = %.*s", p->name, (int)n, option->help);
        return !on;
    }
    return false;
}

static bool is_default(const sampler_options_t *o, const param_t *option)
{
    char now[PARAM_VALUE_TEXT], before[PARAM_VALUE_TEXT];
    void *values = rb_calloc(1, o->group->spec_size);
    param_group_defaults(o->group, values);
    param_format(option, o->values, now);
    param_format(option, values, before);
    free(values);
    return strcmp(now, before) == 0;
}

/* Warns of a named option that cannot act. Texts with all options have the defaults of such. */
static void tell_idle(const sampler_options_t *o, const char *option)
{
    const param_t *p = param_find(o->group, option);
    char why[128];
    if (p != NULL && sampler_option_idle(o, p, why) && !is_default(o, p))
        rb_warn_once("%s: option %s has no effect here: it acts %s", o->name, option, why);
}

/* Sets the variant that a text names, and what follows from it. Other mistakes are found later. */
static rb_code_t read_variant(const sampler_options_t *o, const char *text, rb_err_t *err)
{
    static const char key[] = "variant=";
    const char *at = text;
    while (at != NULL && strncmp(at, key, strlen(key)) != 0) {
        at = strchr(at, ',');
        at = at == NULL ? NULL : at + 1;
    }
    if (at == NULL || o->group->presets == NULL)
        return RB_OK;
    char *value = rb_strdup(at + strlen(key));
    value[strcspn(value, ",")] = '\0';
    rb_code_t rc = sampler_options_set(o, "variant", value, err);
    free(value);
    if (rc == RB_OK)
        param_group_preset(o->group, o->values, o->given);
    return rc;
}

rb_code_t sampler_options_read(const sampler_options_t *o, char *text, rb_err_t *err)
{
    RB_TRY(read_variant(o, text, err));
    const char *end = text + strlen(text);
    for (char *at = text, *next; at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = '\0';
        char *equals = strchr(at, '=');
        if (equals == NULL)
            return rb_fail(err, RB_USAGE, "%s: '%.60s' is not option=value", o->name, at);
        *equals = '\0';
        RB_TRY(sampler_options_set(o, at, equals + 1, err));
    }
    for (const char *at = text, *value; at < end; at = value + strlen(value) + 1) {
        value = at + strlen(at) + 1;
        tell_idle(o, at);
    }
    return RB_OK;
}

char *sampler_options_text(const sampler_options_t *o)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    fputs(o->name, out);
    /* After "plugin:FILE.so" the options begin with a comma. */
    bool first = strchr(o->name, ':') == NULL;
    for (size_t i = 0; i < o->group->n_params; i++) {
        const param_t *p = &o->group->params[i];
        char value[PARAM_VALUE_TEXT];
        param_format(p, o->values, value);
        size_t n = strlen(value);
        bool quoted = n >= 2 && value[0] == '"';
        if (quoted && n == 2)
            continue; /* empty text is the default of text options */
        fprintf(out, "%c%s=%.*s", first ? ':' : ',', p->name, (int)(quoted ? n - 2 : n),
                quoted ? value + 1 : value);
        first = false;
    }
    return memory_file_close(&text, NULL);
}
