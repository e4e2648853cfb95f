#include "frontend/cli/config_guesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_params.h"

enum { KEY_MAX = 128, LINE_MAX_BYTES = 1024 };

/* The line that an origin "PATH:LINE" names; false: it names none. */
static bool read_origin(const char *origin, char line[LINE_MAX_BYTES])
{
    const char *colon = strrchr(origin, ':');

    if (colon == NULL)
        return false;
    unsigned long number = strtoul(colon + 1, NULL, 10);
    char *path = rb_strdup(origin);

    path[colon - origin] = '\0';
    FILE *in = fopen(path, "r");

    free(path);
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

static void look_at(config_guesses_t *g, conf_t *c, const char *key)
{
    const char *origin = conf_origin(c, key);
    char line[LINE_MAX_BYTES];

    if (origin == NULL || !read_origin(origin, line))
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

void config_guesses_find(config_guesses_t *g, conf_t *c)
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
