#include "sampling/launch/sample_syntax.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Whether a piece between commas is an option of the sampler before it: it has a '=' and no ':'
 * before. */
static bool is_option(const char *piece, size_t n)
{
    const char *equals = memchr(piece, '=', n), *colon = memchr(piece, ':', n);
    return equals != NULL && (colon == NULL || colon > equals);
}

static void add(sample_list_t *list, size_t *cap, const char *text, size_t n)
{
    rb_grow(&list->items, cap, list->n + 1, sizeof(*list->items));
    list->items[list->n] = rb_calloc(n + 1, 1);
    memcpy(list->items[list->n++], text, n);
}

/* Adds a sampler, or the samplers that a name stands for. */
static void add_sampler(sample_list_t *list, size_t *cap, const char *text, size_t n)
{
    static const char *const photon[] = {"photon_kernel", "photon_bb", "photon_warp"};
    if (n != strlen("photon") || memcmp(text, "photon", n) != 0) {
        add(list, cap, text, n);
        return;
    }
    for (size_t i = 0; i < sizeof(photon) / sizeof(photon[0]); i++)
        add(list, cap, photon[i], strlen(photon[i]));
}

rb_code_t sample_list_parse(sample_list_t *list, const char *text, rb_err_t *err)
{
    size_t cap = 0;
    *list = (sample_list_t){0};
    for (const char *at = text; at != NULL;) {
        const char *comma = strchr(at, ',');
        size_t n = comma == NULL ? strlen(at) : (size_t)(comma - at);
        bool option = is_option(at, n);
        if (n == 0 || (option && list->n == 0)) {
            sample_list_free(list);
            return rb_fail(err, RB_USAGE,
                           n == 0 ? "--sample %s: a name is missing next to a comma"
                                  : "--sample %s: starts with an option instead of a sampler",
                           text);
        }
        char **last = list->n > 0 ? &list->items[list->n - 1] : NULL;
        if (option) {
            /* In "name,x=1" the colon is missing: options follow "name:". */
            if (strchr(*last, ':') == NULL) {
                rb_fail(err, RB_USAGE, "--sample %s: options follow a colon: %s:%.*s", text, *last,
                        (int)n, at);
                sample_list_free(list);
                return RB_USAGE;
            }
            size_t had = strlen(*last);
            *last = rb_realloc(*last, had + n + 2, 1);
            (*last)[had] = ',';
            memcpy(*last + had + 1, at, n);
            (*last)[had + n + 1] = '\0';
        } else {
            add_sampler(list, &cap, at, n);
        }
        at = comma == NULL ? NULL : comma + 1;
    }
    return RB_OK;
}

bool sample_is_plugin(const char *item)
{
    return strncmp(item, SAMPLE_PLUGIN, strlen(SAMPLE_PLUGIN)) == 0;
}

size_t sample_name_length(const char *item)
{
    return strcspn(item, sample_is_plugin(item) ? "," : ":");
}

void sample_list_free(sample_list_t *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (sample_list_t){0};
}
