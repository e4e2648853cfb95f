#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/parts/cache/cache_internal.h"

/* The lines of a set of the older cache, most recently used first, and where c has them. */
typedef struct {
    uint32_t n;
    cache_line_t *line; /* owned */
    cache_tag_t **at;   /* owned; NULL: absent */
    bool *may_tell;     /* owned; c lacks the line, or has it unmodified and this cache modified */
    size_t cap, cap_at, cap_may_tell;
} older_set_t;

static void free_set(older_set_t *s)
{
    free(s->line);
    free(s->at);
    free(s->may_tell);
}

static void room_for(older_set_t *s, uint32_t n)
{
    s->n = n;
    rb_grow(&s->line, &s->cap, n, sizeof(*s->line));
    rb_grow(&s->at, &s->cap_at, n, sizeof(*s->at));
    rb_grow(&s->may_tell, &s->cap_may_tell, n, sizeof(*s->may_tell));
}

/* The ways of a set in their order of use, one after the other. */
typedef struct {
    uint8_t narrow[NARROW_WAYS];
    uint32_t way; /* wide: the one before */
} order_t;

static void find_order(order_t *o, const cache_t *c, uint32_t set)
{
    if (c->narrow)
        narrow_order(cache_narrow(c, set), c->ways, o->narrow);
}

static uint32_t way_at(order_t *o, const cache_t *c, uint32_t set, uint32_t place)
{
    if (c->narrow)
        return o->narrow[place];
    o->way = cache_way_by_use(c, set, place, o->way);
    return o->way;
}

static void take_set(older_set_t *s, const cache_t *older, uint32_t set)
{
    order_t order;
    find_order(&order, older, set);
    room_for(s, cache_set_count(older, set));
    for (uint32_t place = 0; place < s->n; place++) {
        const uint32_t way = way_at(&order, older, set, place);
        s->line[place] = cache_line_copy(older, cache_tag_at(older, set, way));
    }
}

/* Adds the older state of the sectors of a line that has been used since. */
static void merge_line(cache_t *c, cache_tag_t *t, const cache_line_t *older)
{
    const cache_written_t *since = cache_written(c, t);
    const uint8_t partial = since != NULL ? since->partial : 0;
    cache_tag_fill(t, older->valid);
    if (since == NULL && (older->written.dirty | older->written.partial) == 0)
        return;
    cache_written_t *w = cache_write(c, t);
    const uint8_t whole = cache_tag_valid(t);
    w->dirty |= older->written.dirty;
    w->partial = (uint8_t)((partial | older->written.partial) & ~whole);
    for (uint32_t s = 0; s < SECTORS_PER_LINE; s++) {
        w->bytes[s] |= older->written.bytes[s];
        if (w->partial >> s & 1 && w->bytes[s] == UINT32_MAX) {
            cache_tag_fill(t, (uint8_t)(1u << s));
            w->partial &= (uint8_t) ~(1u << s);
        }
    }
}

/* Adds an absent line as the least recently used one. */
static void add_oldest(cache_t *c, cache_key_t k, const cache_line_t *older, bool modified)
{
    cache_line_t victim; /* unused: the set has room */
    bool evicted;
    cache_tag_t *t = cache_insert_key(c, k, &victim, &evicted);
    cache_way_age(c, k.set, cache_set_count(c, k.set) - 1);
    cache_tag_fill(t, older->valid);
    if (modified && (older->written.dirty | older->written.partial) != 0)
        *cache_write(c, t) = older->written;
}

/* Lines of a set that c has but not the older cache; that the older one has modified but not c. */
typedef struct {
    uint32_t since, modified_before;
} difference_t;

/* Also finds the lines in c. */
static difference_t difference(cache_t *c, older_set_t *older, uint32_t set)
{
    difference_t d = {.since = cache_set_count(c, set)};
    for (uint32_t place = 0; place < older->n; place++) {
        const cache_line_t *line = &older->line[place];
        cache_tag_t *t = cache_lookup_key(c, cache_key_in_set(c, line->line, set), false);
        older->at[place] = t;
        const bool modifies =
            line->written.dirty != 0 && (t == NULL || cache_written(c, t) == NULL);
        older->may_tell[place] = t == NULL || modifies;
        d.since -= t != NULL;
        d.modified_before += modifies;
    }
    return d;
}

/* A line was evicted before it was used again if what was used after it in the older cache, and
 * what came new until then, filled the set. Half of the new lines are assumed to have come first. */
static void merge_present(cache_t *c, const older_set_t *older, uint32_t set, uint32_t since,
                          uint32_t most)
{
    const uint32_t first = since / 2;
    cache_line_t cleaned;
    for (uint32_t place = 0; place < older->n && place + first < c->ways; place++)
        if (older->at[place] != NULL)
            merge_line(c, older->at[place], &older->line[place]);
    while (cache_modified(c, (cache_key_t){.set = set}) > most)
        (void)cache_clean_oldest(c, (cache_key_t){.set = set}, &cleaned);
}

static void add_absent(cache_t *c, const older_set_t *older, uint32_t set, uint32_t most)
{
    for (uint32_t place = 0; place < older->n && cache_set_count(c, set) < c->ways; place++) {
        const cache_key_t k = cache_key_in_set(c, older->line[place].line, set);
        if (older->at[place] == NULL)
            add_oldest(c, k, &older->line[place], cache_modified(c, k) < most);
    }
}

/* writes: to the set since the older state; at least one for each line that c has modified. */
static void put_set_beneath(cache_t *c, older_set_t *older, uint32_t set, uint32_t modified_ways,
                            uint32_t writes)
{
    /* Above the limit each write since has cleaned a line. */
    const difference_t d = difference(c, older, set);
    const uint32_t since = cache_modified(c, (cache_key_t){.set = set});
    const uint32_t all = d.modified_before + since;
    const uint32_t cleaned = writes > since ? writes : since;
    const uint32_t most = all > modified_ways + cleaned ? all - cleaned : modified_ways;
    merge_present(c, older, set, d.since, most);
    add_absent(c, older, set, most);
}

/* Puts a set beneath an empty one, where that is simple. */
static bool copy_set(cache_t *c, const cache_t *older, uint32_t set)
{
    if (!c->narrow || c->planes > 0 || cache_set_count(c, set) > 0)
        return false;
    const size_t first = (size_t)set * c->ways;
    memcpy(cache_narrow(c, set), cache_narrow(older, set), c->narrow_bytes);
    for (uint32_t w = 0; w < cache_set_count(older, set); w++) {
        c->tag[first + w] = older->tag[first + w] & ~(cache_tag_t)CACHE_TAG_MARK;
        if (older->tag[first + w] & CACHE_TAG_WRITTEN)
            c->written[first + w] = older->written[first + w];
    }
    c->count += cache_set_count(older, set);
    return true;
}

/* The lines of a narrow set, most recently used first. */
typedef struct {
    uint32_t n, modified;
    cache_tag_t tag[NARROW_WAYS];
    cache_written_t written[NARROW_WAYS]; /* of tags with CACHE_TAG_WRITTEN */
} recent_set_t;

/* Takes the lines out of a set of c, which is empty then. */
static void take_out(recent_set_t *r, cache_t *c, uint32_t set)
{
    narrow_set_t *s = cache_narrow(c, set);
    uint8_t order[NARROW_WAYS];
    narrow_order(s, c->ways, order);
    r->n = s->count;
    r->modified = cache_modified(c, (cache_key_t){.set = set});
    for (uint32_t i = 0; i < r->n; i++) {
        const size_t at = (size_t)set * c->ways + order[i];
        r->tag[i] = c->tag[at];
        if (r->tag[i] & CACHE_TAG_WRITTEN)
            r->written[i] = c->written[at];
    }
    c->count -= s->count;
    s->count = 0;
    s->modified = 0;
}

/* How many lines of a set were used after one of its ways. */
static uint32_t used_after(const cache_t *c, uint32_t set, uint32_t way)
{
    narrow_set_t *s = cache_narrow(c, set);
    const uint8_t *stamp = narrow_stamps(s, c->ways);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += stamp[i] > stamp[way];
    return n;
}

/* Puts a line into a set that has its older state, if it was not evicted in between. */
static void put_over(cache_t *c, cache_tag_t *at, const cache_tag_t *recent,
                     const cache_written_t *written, bool merge)
{
    const cache_line_t older = cache_line_copy(c, at);
    *at = cache_tag_line(*at);
    cache_tag_fill(at, cache_tag_valid(recent));
    if (*recent & CACHE_TAG_WRITTEN)
        *cache_write(c, at) = *written;
    if (merge)
        merge_line(c, at, &older);
}

/*
 * The same as put_set_beneath(), which takes time for each older line, for narrow sets: copies the older
 * set and puts the lines of c over it, which are few after a short walk.
 */
static void put_set_over(cache_t *c, const cache_t *older, uint32_t set, uint32_t modified_ways,
                         uint32_t writes)
{
    recent_set_t r;
    uint32_t way[NARROW_WAYS], since = 0, both = 0;
    cache_line_t dropped;
    bool evicted;
    take_out(&r, c, set);
    (void)copy_set(c, older, set);
    const uint32_t before = cache_modified(c, (cache_key_t){.set = set});
    for (uint32_t i = 0; i < r.n; i++) {
        way[i] = cache_narrow_find(c, cache_key_in_set(c, cache_tag_line(r.tag[i]), set));
        since += way[i] == CACHE_NO_WAY;
    }
    /* All places in the order of use are those before any line is put. */
    for (uint32_t i = 0; i < r.n; i++) {
        if (way[i] == CACHE_NO_WAY)
            continue;
        cache_tag_t *at = cache_tag_at(c, set, way[i]);
        const bool modified = cache_written(c, at) != NULL;
        both += modified && (r.tag[i] & CACHE_TAG_WRITTEN) != 0;
        cache_narrow(c, set)->modified &= ~(UINT64_C(1) << way[i]);
        put_over(c, at, &r.tag[i], &r.written[i], used_after(c, set, way[i]) + since / 2 < c->ways);
    }
    for (uint32_t i = r.n; i-- > 0;)
        if (way[i] != CACHE_NO_WAY)
            cache_way_touch(c, set, way[i]);
    for (uint32_t i = r.n; i-- > 0;) {
        const cache_key_t k = cache_key_in_set(c, cache_tag_line(r.tag[i]), set);
        if (way[i] == CACHE_NO_WAY)
            put_over(c, cache_insert_key(c, k, &dropped, &evicted), &r.tag[i], &r.written[i],
                     false);
        else
            cache_way_touch(c, set, way[i]);
    }
    const uint32_t all = before + r.modified - both;
    const uint32_t cleaned = writes > r.modified ? writes : r.modified;
    const uint32_t most = all > modified_ways + cleaned ? all - cleaned : modified_ways;
    while (cache_modified(c, (cache_key_t){.set = set}) > most)
        (void)cache_clean_oldest(c, (cache_key_t){.set = set}, &dropped);
}

uint32_t cache_put_beneath(cache_t *c, const cache_t *older, uint32_t modified_ways,
                           const uint32_t *writes)
{
    const uint32_t before = c->count;
    older_set_t of = {0};
    for (uint32_t set = 0; set < c->sets; set++) {
        if (cache_set_count(older, set) == 0 || cache_set_count(c, set) == c->ways ||
            copy_set(c, older, set))
            continue;
        if (c->narrow && c->planes == 0) {
            put_set_over(c, older, set, modified_ways, writes[set]);
            continue;
        }
        take_set(&of, older, set);
        put_set_beneath(c, &of, set, modified_ways, writes[set]);
    }
    free_set(&of);
    return c->count - before;
}

/* --- lists of lines -------------------------------------------------------------------------- */

void cache_lines_free(cache_lines_t *l)
{
    free(l->count);
    free(l->writes);
    free(l->tag);
    free(l->written);
    *l = (cache_lines_t){0};
}

size_t cache_lines_bytes(const cache_lines_t *l)
{
    return l->n_sets * (sizeof(*l->count) + sizeof(*l->writes)) + l->n * sizeof(*l->tag) +
           l->n_written * sizeof(*l->written);
}

static void add_line(cache_lines_t *l, const cache_t *c, const cache_tag_t *t)
{
    l->tag[l->n++] = *t;
    if (*t & CACHE_TAG_WRITTEN) {
        rb_grow(&l->written, &l->cap_written, l->n_written + 1, sizeof(*l->written));
        l->written[l->n_written++] = cache_line_copy(c, t).written;
    }
}

void cache_lines_add(cache_lines_t *l, const cache_t *c, const uint32_t *writes)
{
    rb_grow(&l->count, &l->cap_sets, l->n_sets + c->sets, sizeof(*l->count));
    rb_grow(&l->writes, &l->cap_writes, l->n_sets + c->sets, sizeof(*l->writes));
    memcpy(l->writes + l->n_sets, writes, c->sets * sizeof(*writes));
    rb_grow(&l->tag, &l->cap, l->n + c->count, sizeof(*l->tag));
    for (uint32_t set = 0; set < c->sets; set++) {
        const uint32_t n = cache_set_count(c, set);
        order_t order;
        find_order(&order, c, set);
        l->count[l->n_sets++] = (uint16_t)n;
        for (uint32_t place = 0; place < n; place++)
            add_line(l, c, cache_tag_at(c, set, way_at(&order, c, set, place)));
    }
}

/* The lines of the next set of a list. */
static void next_set(older_set_t *s, cache_lines_at_t *at)
{
    const cache_lines_t *l = at->lines;
    room_for(s, l->count[at->set++]);
    for (uint32_t i = 0; i < s->n; i++) {
        const cache_tag_t t = l->tag[at->tag++];
        s->line[i] = (cache_line_t){.line = cache_tag_line(t), .valid = cache_tag_valid(&t)};
        if (t & CACHE_TAG_WRITTEN)
            s->line[i].written = l->written[at->written++];
    }
}

/* Whether another cache has the line, and has it modified if it is modified in c. */
static bool has_alike(cache_t *other, cache_t *c, const cache_tag_t *t, uint64_t line)
{
    const cache_tag_t *there = cache_lookup_key(other, cache_key_of(other, line), false);
    return there != NULL && (cache_written(c, t) == NULL || cache_written(other, there) != NULL);
}

/* How many of the lines that are now in c, or modified there, are not so in another cache. */
static uint32_t count_news(cache_t *c, const older_set_t *of, uint32_t set, cache_t *other)
{
    uint32_t news = 0;
    for (uint32_t place = 0; place < of->n; place++) {
        if (!of->may_tell[place])
            continue;
        const uint64_t line = of->line[place].line;
        const cache_tag_t *t = cache_lookup_key(c, cache_key_in_set(c, line, set), false);
        news += t != NULL && !has_alike(other, c, t, line);
    }
    return news;
}

uint32_t cache_put_lines_beneath(cache_t *c, cache_lines_at_t *at, uint32_t modified_ways,
                                 cache_t *other, uint32_t *writes)
{
    older_set_t of = {0};
    uint32_t news = 0;
    for (uint32_t set = 0; set < c->sets; set++) {
        const uint32_t written = at->lines->writes[at->set];
        if (at->lines->count[at->set] == 0) {
            at->set++;
            continue;
        }
        next_set(&of, at);
        if (cache_set_count(c, set) < c->ways) {
            put_set_beneath(c, &of, set, modified_ways, writes[set]);
            news += count_news(c, &of, set, other);
        }
        writes[set] += written;
    }
    free_set(&of);
    return news;
}
