#include "frontend/tool/silicon/config_guesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_params.h"

enum { KEY_MAX = 128, LINE_MAX_BYTES = 1024 };

/* Reads line number of a file; false: it does not have that line. */
static bool read_line_of(const char *path, int number, char line[LINE_MAX_BYTES])
{
    FILE *in = fopen(path, "r");

    if (in == NULL)
        return false;
    bool found = number > 0;

    while (found && number-- > 0)
        found = fgets(line, LINE_MAX_BYTES, in) != NULL;
    fclose(in);
    return found;
}

static void trim(char **text)
{
    *text += strspn(*text, " \t");
    size_t n = strlen(*text);

    while (n > 0 && strchr(" \t\r\n;", (*text)[n - 1]) != NULL)
        (*text)[--n] = '\0';
}

static void look_at(config_guesses_t *g, const conf_t *c, const char *key)
{
    int number;
    const char *path = conf_source_file(c, key, &number);
    char line[LINE_MAX_BYTES];

    if (path == NULL || !read_line_of(path, number, line))
        return;
    char *comment = strchr(line, '#');

    if (comment == NULL || strstr(comment, "guess") == NULL)
        return;
    *comment++ = '\0';
    char *setting = line, text[LINE_MAX_BYTES + 8];

    trim(&setting);
    trim(&comment);
    snprintf(text, sizeof(text), "%s: %s", setting, comment);
    rb_grow(&g->list, &g->cap, g->n + 1, sizeof(g->list[0]));
    g->list[g->n++] = (config_guess_t){.key = rb_strdup(key), .text = rb_strdup(text)};
}

void config_guesses_find(config_guesses_t *g, const conf_t *c)
{
    char key[KEY_MAX];

    *g = (config_guesses_t){0};
    for (const gpu_group_t *group = gpu_groups; group->group; group++)
        for (size_t i = 0; i < group->group->n_params; i++) {
            snprintf(key, sizeof(key), "%s.%s", group->group->name, group->group->params[i].name);
            look_at(g, c, key);
        }
}

void config_guesses_free(config_guesses_t *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free(g->list[i].key);
        free(g->list[i].text);
    }
    free(g->list);
    *g = (config_guesses_t){0};
}
