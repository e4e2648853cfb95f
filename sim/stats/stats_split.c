#include "sim/stats/stats_split.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void stats_split_init(stats_split_t *s, uint64_t *live, size_t n)
{
    *s = (stats_split_t){.live = live, .n = n};
    memset(live, 0, n * sizeof(*live));
}

void stats_split_free(stats_split_t *s)
{
    free(s->tags);
    free(s->sets);
    *s = (stats_split_t){0};
}

/* The set of a launch that is not in place: new if it has none. */
static uint64_t *kept(stats_split_t *s, uint16_t tag)
{
    uint32_t *place = &s->place[tag % STATS_SPLIT_PLACES];
    size_t i = *place;
    if (i == 0 || s->tags[i - 1] != tag) {
        for (i = 1; i <= s->n_sets && s->tags[i - 1] != tag; i++)
            ;
        if (i > s->n_sets) {
            rb_grow(&s->tags, &s->cap_tags, i, sizeof(*s->tags));
            rb_grow(&s->sets, &s->cap_sets, i * s->n, sizeof(*s->sets));
            s->tags[s->n_sets] = tag;
            memset(&s->sets[s->n_sets++ * s->n], 0, s->n * sizeof(*s->sets));
        }
        *place = (uint32_t)i;
    }
    return &s->sets[(i - 1) * s->n];
}

uint64_t *stats_split_set(stats_split_t *s, uint16_t tag)
{
    return tag == s->tag ? s->live : kept(s, tag);
}

void stats_split_exchange(stats_split_t *s, uint16_t tag)
{
    memcpy(kept(s, s->tag), s->live, s->n * sizeof(*s->live));
    s->tag = tag;
    memcpy(s->live, kept(s, tag), s->n * sizeof(*s->live));
}

void stats_split_drain(stats_split_t *s, stats_split_sink_t *sink, void *ctx)
{
    sink(ctx, s->tag, s->live);
    memset(s->live, 0, s->n * sizeof(*s->live));
    for (size_t i = 0; i < s->n_sets; i++) {
        if (s->tags[i] != s->tag) /* its set is an older copy of what is in place */
            sink(ctx, s->tags[i], &s->sets[i * s->n]);
    }
    memset(s->place, 0, sizeof(s->place));
    s->n_sets = 0;
}
