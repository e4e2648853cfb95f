/* Options of samplers, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"
#include "sim/core/memory_file.h"

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

rb_code_t sampler_options_read(const sampler_options_t *o, char *text, rb_err_t *err)
{
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
