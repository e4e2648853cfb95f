#include "frontend/tool/cli/run/sampler_help.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/plugin/plugin.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

static const char word[] = "help";

/* A sampler of one of the two tables. */
typedef struct {
    const char *name, *help;
    const param_group_t *options;
} entry_t;

/* What a user should start with. */
static const struct {
    const char *sample, *when;
} starts[] = {
    {"stem_online", "a program of many launches: simulates as many as its bound needs"},
    {"smarts", "launches of 60 waves and more: measures units all over each"},
    {"stem", "a program of which you have measured times (--profile)"},
};
enum { N_STARTS = sizeof(starts) / sizeof(starts[0]) };

static bool is_start(const char *name)
{
    for (size_t i = 0; i < N_STARTS; i++) {
        if (strcmp(starts[i].sample, name) == 0)
            return true;
    }
    return false;
}

static size_t count(void)
{
    return n_launch_methods + n_inside_methods;
}

static entry_t entry_at(size_t i)
{
    if (i < n_launch_methods) {
        const launch_method_t *m = launch_methods[i];
        return (entry_t){m->name, m->help, m->options};
    }
    const inside_method_t *m = inside_methods[i - n_launch_methods];
    return (entry_t){m->ops->name, m->help, m->options};
}

static void print_options(const entry_t *e, FILE *out)
{
    for (size_t i = 0; i < e->options->n_params; i++) {
        const param_t *p = &e->options->params[i];
        char range[PARAM_VALUE_TEXT];
        param_range(p, range);
        fprintf(out, "  %s\n      %s\n      legal: %s\n      default: %s\n", p->name, p->help,
                range, p->def[0] != '\0' ? p->def : "none");
    }
}

bool sampler_help_wanted(const char *sample)
{
    const char *colon = strrchr(sample, ':');
    return strcmp(colon != NULL ? colon + 1 : sample, word) == 0;
}

/* What each variant sets, and what that follows. */
static void print_presets(const entry_t *e, FILE *out)
{
    const param_preset_t *r = e->options->presets;
    for (; r != NULL && r->choice != NULL; r++) {
        if (r == e->options->presets || strcmp(r->choice, r[-1].choice) != 0)
            fprintf(out, "  with variant=%s, unless given:\n", r->choice);
        fprintf(out, "      %s=%s: %s\n", r->name, r->value, r->source);
    }
}

static void print_entry(const entry_t *e, FILE *out)
{
    fprintf(out, "%s: %s\n", e->name, e->help);
    print_options(e, out);
    print_presets(e, out);
}

/* Help on a sampler from outside, read from the object file. */
static rb_code_t help_on_plugin(const char *name, size_t n, FILE *out, rb_err_t *err)
{
    plugin_t *plugin;
    char *item = rb_format("%.*s", (int)n, name);
    rb_code_t rc = plugin_open(&plugin, item, err);
    free(item);
    RB_TRY(rc);
    const entry_t e = {plugin->name, plugin->sampler->help, &plugin->options};
    print_entry(&e, out);
    plugin_close(plugin);
    return RB_OK;
}

static rb_code_t help_on(const char *name, size_t n, FILE *out, rb_err_t *err)
{
    suggest_t like;
    char text[64];
    snprintf(text, sizeof(text), "%.*s", (int)n, name);
    suggest_begin(&like, text);
    for (size_t i = 0; i < count(); i++) {
        entry_t e = entry_at(i);
        if (strcmp(e.name, text) == 0) {
            print_entry(&e, out);
            return RB_OK;
        }
        suggest_offer(&like, e.name);
    }
    return like.best != NULL
               ? rb_fail(err, RB_USAGE, "unknown sampler '%s'; did you mean '%s'?", text, like.best)
               : rb_fail(err, RB_USAGE, "unknown sampler '%s'; --sample help lists them", text);
}

rb_code_t sampler_help(const char *sample, FILE *out, rb_err_t *err)
{
    const char *colon = strrchr(sample, ':');
    if (colon != NULL && sample_is_plugin(sample) && strchr(sample, ':') != colon)
        return help_on_plugin(sample, (size_t)(colon - sample), out, err);
    if (colon != NULL)
        return help_on(sample, (size_t)(colon - sample), out, err);
    fputs("Start with one of these, which state their error:\n", out);
    for (size_t i = 0; i < N_STARTS; i++)
        fprintf(out, "  %-20s %s\n", starts[i].sample, starts[i].when);
    for (size_t i = 0; i < count(); i++) {
        entry_t e = entry_at(i);
        if (i == 0)
            fputs("\nOthers that choose launches:\n", out);
        else if (i == n_launch_methods)
            fputs("\nOthers inside launches (their options are settings, too):\n", out);
        if (!is_start(e.name))
            fprintf(out, "  %-20s %s\n", e.name, e.help);
    }
    fputs("\nplugin:FILE.so is a sampler of your own (docs/plugins.md).\n"
          "NAME:help and plugin:FILE.so:help describe the options of a sampler.\n",
          out);
    return RB_OK;
}
