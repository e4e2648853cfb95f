#include "frontend/tool/cli/options/completion_words.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/gen/gen.h"
#include "frontend/tool/library/config_groups.h"
#include "frontend/tool/run/results/stat_dictionary.h"
#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"
#include "sim/conf/conf.h"

completion_kind_t completion_kind(const char *values)
{
#define COMPLETION_NAME_(id, name) name,
    static const char *const names[] = {COMPLETION_KINDS(COMPLETION_NAME_)};
    if (values == NULL)
        return COMPLETION_NOTHING;
    for (unsigned i = 0; i < COMPLETION_WORDS; i++)
        if (strcmp(values, names[i]) == 0)
            return (completion_kind_t)i;
    return COMPLETION_WORDS;
}

static void print_gpu(void *out, const char *name, const char *path)
{
    (void)path;
    fprintf(out, "%s ", name);
}

static void print_setting(void *out, const param_group_t *g, const param_t *p)
{
    fprintf(out, "%s.%s= ", g->name, p->name);
}

static void print_samplers(FILE *out)
{
    for (size_t i = 0; i < n_launch_methods; i++)
        fprintf(out, "%s ", launch_methods[i]->name);
    for (size_t i = 0; i < n_inside_methods; i++)
        fprintf(out, "%s ", inside_methods[i]->ops->name);
    fputs("photon", out);
}

static void print_stats(FILE *out)
{
    size_t n;
    dictionary_entry_t *list = stat_dictionary(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s ", list[i].path);
    free(list);
}

static void print_workloads(FILE *out)
{
    gen_list_t list;
    rb_err_t err = {0};
    rb_code_t rc = gen_list_read(&list, &err);

    for (unsigned i = 0; i < list.n && rc == RB_OK; i++)
        fprintf(out, "%s ", list.kind[i].name);
    gen_list_free(&list);
}

void completion_print_words(FILE *out, completion_kind_t kind)
{
    switch (kind) {
    case COMPLETION_GPU:
        conf_visit_gpus(print_gpu, out);
        break;
    case COMPLETION_SETTING:
        completion_visit_settings(print_setting, out);
        break;
    case COMPLETION_SAMPLER:
        print_samplers(out);
        break;
    case COMPLETION_STAT:
        print_stats(out);
        break;
    case COMPLETION_WORKLOAD:
        print_workloads(out);
        break;
    case COMPLETION_COMMAND:
        for (const cli_command_t *const *c = cli_commands; *c != NULL; c++)
            fprintf(out, "%s ", (*c)->name);
        break;
    default:
        rb_panic("completion: no list of words of kind %d", (int)kind);
    }
}

void completion_print_groups(FILE *out)
{
    const param_group_t *g;
    for (size_t i = 0; (g = config_group(i)) != NULL; i++)
        fprintf(out, "%s ", g->name);
}

void completion_visit_settings(void (*visit)(void *ctx, const param_group_t *g, const param_t *p),
                               void *ctx)
{
    const param_group_t *g;
    for (size_t i = 0; (g = config_group(i)) != NULL; i++)
        for (size_t k = 0; k < g->n_params; k++)
            visit(ctx, g, &g->params[k]);
}

bool completion_print_choices(FILE *out, const param_t *p)
{
    if (p->type == PARAM_TYPE_BOOL)
        fputs(" true false", out);
    for (const param_choice_t *c = p->choices; c != NULL && c->name != NULL; c++)
        fprintf(out, " %s", c->name);
    return p->type == PARAM_TYPE_BOOL || p->choices != NULL;
}
