#include <string.h>

#include "sim/conf/conf_internal.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file's short name, or its path if another file has the same short name. */
static const char *layer_label(const conf_t *c, size_t layer)
{
    const char *path = c->layer[layer].name, *label = base_name(path);
    for (size_t i = 0; i < c->n_layers; i++)
        if (!c->layer[i].command_line && strcmp(c->layer[i].name, path) &&
            !strcmp(base_name(c->layer[i].name), label))
            return path;
    return label;
}

/* Where an entry was set, for people: "v100.cfg:12" or "command line". */
static void entry_origin(const conf_t *c, const conf_entry_t *e, char *text, size_t size)
{
    if (c->layer[e->layer].command_line)
        snprintf(text, size, "command line");
    else
        snprintf(text, size, "%s:%d", layer_label(c, e->layer), e->line);
    // A path may contain any byte; this text goes into comments and onto terminals.
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
}

static void origin_of(const conf_t *c, size_t group, size_t param, char *text, size_t size)
{
    size_t origin = c->origin[group][param];
    if (origin)
        entry_origin(c, &c->entry[origin - 1], text, size);
    else
        snprintf(text, size, "default");
}

/* Group and parameter of "group.name"; false: no such setting. */
static bool find_setting(const conf_t *c, const char *key, size_t *group_index, size_t *param)
{
    const char *dot = strchr(key, '.');
    for (size_t g = 0; dot && g < c->n_groups; g++) {
        const param_group_t *group = c->group[g].group;
        size_t n = (size_t)(dot - key);
        if (strncmp(group->name, key, n) || group->name[n])
            continue;
        const param_t *p = param_find(group, dot + 1);
        if (!p)
            return false;
        *group_index = g;
        *param = (size_t)(p - group->params);
        return true;
    }
    return false;
}

const char *conf_origin(conf_t *c, const char *key)
{
    size_t group, param;
    if (!find_setting(c, key, &group, &param))
        return NULL;
    origin_of(c, group, param, c->origin_text, sizeof(c->origin_text));
    return c->origin_text;
}

const char *conf_source_file(const conf_t *c, const char *key, int *line)
{
    size_t group, param;
    if (!find_setting(c, key, &group, &param) || c->origin[group][param] == 0)
        return NULL;
    const conf_entry_t *e = &c->entry[c->origin[group][param] - 1];
    *line = e->line;
    return c->layer[e->layer].command_line ? NULL : c->layer[e->layer].name;
}

bool conf_value(const conf_t *c, const char *key, char text[PARAM_VALUE_TEXT])
{
    size_t group, param;
    if (!find_setting(c, key, &group, &param))
        return false;
    param_format(&c->group[group].group->params[param], c->group[group].dest, text);
    return true;
}

void conf_write_resolved(conf_t *c, const char *only, FILE *out)
{
    char value[PARAM_VALUE_TEXT];
    fprintf(out, "# Resolved configuration: every value, its unit, and where it came from.\n");
    for (size_t g = 0; g < c->n_groups; g++) {
        const param_group_t *group = c->group[g].group;
        if (only && strcmp(only, group->name))
            continue;
        fprintf(out, "\n# %s\n%s : {\n", group->help, group->name);
        for (size_t i = 0; i < group->n_params; i++) {
            const param_t *p = &group->params[i];
            param_format(p, c->group[g].dest, value);
            origin_of(c, g, i, c->origin_text, sizeof(c->origin_text));
            int width = fprintf(out, "    %s = %s;", p->name, value);
            fprintf(out, "%*s # %s%s%s\n", width < 36 ? 36 - width : 0, "", p->unit,
                    *p->unit ? "; " : "", c->origin_text);
        }
        fprintf(out, "};\n");
    }
}

void conf_hash(const conf_t *c, char text[SHA256_TEXT])
{
    sha256_t s;
    char value[PARAM_VALUE_TEXT], line[PARAM_VALUE_TEXT + 2 * CONF_KEY_MAX];
    sha256_init(&s);
    for (size_t g = 0; g < c->n_groups; g++) {
        const param_group_t *group = c->group[g].group;
        for (size_t i = 0; i < group->n_params; i++) {
            param_format(&group->params[i], c->group[g].dest, value);
            int n = snprintf(line, sizeof(line), "%s.%s=%s\n", group->name, group->params[i].name,
                             value);
            sha256_update(&s, line, (size_t)n);
        }
    }
    sha256_final_text(&s, text);
}
