/* Methods and their options as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_sampler.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

const launch_method_t *launch_method_find(const char *name)
{
    for (size_t i = 0; i < n_launch_methods; i++) {
        if (strcmp(launch_methods[i]->name, name) == 0)
            return launch_methods[i];
    }
    return NULL;
}

static rb_code_t unknown_method(const char *name, rb_err_t *err)
{
    suggest_t near;
    char list[512] = "";
    size_t used = 0;
    suggest_begin(&near, name);
    for (size_t i = 0; i < n_launch_methods && used < sizeof(list); i++) {
        suggest_offer(&near, launch_methods[i]->name);
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : " ",
                                 launch_methods[i]->name);
    }
    if (near.best != NULL)
        return rb_fail(err, RB_USAGE, "unknown launch sampler '%.60s'; did you mean '%s'?", name,
                       near.best);
    return rb_fail(err, RB_USAGE, "unknown launch sampler '%.60s'; there are: %s", name, list);
}

static rb_code_t unknown_option(const launch_method_t *method, const char *option, rb_err_t *err)
{
    suggest_t near;
    suggest_begin(&near, option);
    for (size_t i = 0; i < method->options->n_params; i++)
        suggest_offer(&near, method->options->params[i].name);
    if (near.best != NULL)
        return rb_fail(err, RB_USAGE, "%s has no option '%.60s'; did you mean '%s'?", method->name,
                       option, near.best);
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < method->options->n_params && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : " ",
                                 method->options->params[i].name);
    return rb_fail(err, RB_USAGE, "%s has no option '%.60s'; it has: %s", method->name, option,
                   list);
}

/* "5%" as 0.05, "on" and "off" as truth values; other text unchanged. */
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

rb_code_t launch_choice_set(launch_choice_t *choice, const char *option, const char *value,
                            rb_err_t *err)
{
    const param_t *p = param_find(choice->method->options, option);
    char why[PARAM_VALUE_TEXT * 2], word[PARAM_VALUE_TEXT];
    if (p == NULL)
        return unknown_option(choice->method, option, err);
    if (strlen(value) >= sizeof(word))
        return rb_fail(err, RB_USAGE, "%s:%s: the value is too long", choice->method->name, option);
    snprintf(word, sizeof(word), "%s", value);
    plain_value(p, word, sizeof(word));
    value_t v = {.kind = VALUE_WORD, .s = word};
    if (!param_assign(p, &v, choice->options, why, sizeof(why)))
        return rb_fail(err, RB_USAGE, "%s:%s: %s", choice->method->name, option, why);
    return RB_OK;
}

static rb_code_t set_options(launch_choice_t *choice, char *text, rb_err_t *err)
{
    for (char *at = text, *next; at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = '\0';
        char *equals = strchr(at, '=');
        if (equals == NULL)
            return rb_fail(err, RB_USAGE, "%s: '%.60s' is not option=value", choice->method->name,
                           at);
        *equals = '\0';
        RB_TRY(launch_choice_set(choice, at, equals + 1, err));
    }
    return RB_OK;
}

rb_code_t launch_choice_parse(launch_choice_t *choice, const char *text, rb_err_t *err)
{
    char *copy = rb_strdup(text), *colon = strchr(copy, ':');
    rb_code_t rc = RB_OK;
    if (colon != NULL)
        *colon = '\0';
    *choice = (launch_choice_t){.method = launch_method_find(copy)};
    if (choice->method == NULL) {
        rc = unknown_method(copy, err);
    } else {
        choice->options = rb_calloc(choice->method->options->spec_size, 1);
        param_group_defaults(choice->method->options, choice->options);
        if (colon != NULL)
            rc = set_options(choice, colon + 1, err);
    }
    free(copy);
    if (rc != RB_OK)
        launch_choice_free(choice);
    return rc;
}

char *launch_choice_text(const launch_choice_t *choice)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        rb_panic("no memory for the options of a sampler");
    fputs(choice->method->name, out);
    bool first = true;
    for (size_t i = 0; i < choice->method->options->n_params; i++) {
        const param_t *p = &choice->method->options->params[i];
        char value[PARAM_VALUE_TEXT];
        param_format(p, choice->options, value);
        size_t n = strlen(value);
        bool quoted = n >= 2 && value[0] == '"';
        if (quoted && n == 2)
            continue; /* empty text: the default of the options that are text */
        fprintf(out, "%c%s=%.*s", first ? ':' : ',', p->name, (int)(quoted ? n - 2 : n),
                quoted ? value + 1 : value);
        first = false;
    }
    fclose(out);
    return text;
}

void launch_choice_free(launch_choice_t *choice)
{
    free(choice->options);
    *choice = (launch_choice_t){0};
}
