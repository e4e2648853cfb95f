#include "sampling/predict/stack_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/hash_map.h"
#include "sim/core/mix64.h"

/* Positions in time: at first, and at most for each line that is kept. Their number is a power of two. */
enum { SECTORS = 4, FIRST_POSITIONS = 1 << 10, POSITIONS = 4 };

/* No access yet. */
#define NEVER UINT32_MAX

/* The last access was in an earlier part of the launch. */
#define FAR (UINT32_MAX - 1)

/* The entry stands for lines that were skipped; since[0] is their number. */
#define SKIPPED UINT64_MAX

/* Distances are in sampled lines. */
typedef struct {
    uint64_t line;
    uint32_t at;             /* its position in time */
    uint32_t part;           /* of the last access */
    uint32_t user;           /* of the last access */
    uint64_t fetched;        /* number of the access that fetched the line */
    uint8_t partial;         /* sectors of which only some bytes were written */
    uint32_t since[SECTORS]; /* largest distance of the line since the sector was fetched */
    uint32_t dirty[SECTORS]; /* ... since it was written */
} entry_t;

struct line_stack {
    entry_t *entry, *spare; /* owned */
    size_t cap, cap_spare;
    size_t n, most;
    uint32_t skipped; /* lines, less one for each of their entries */
    double fresh, novel;
    uint32_t part, first_part; /* now; of the launch */
    hash_map_t map;            /* of lines */
    uint32_t *owner;           /* owned; by position, from 1: entry + 1; 0: none */
    uint32_t *tree;            /* owned; Fenwick tree: positions in use */
    uint32_t positions, next;
    unsigned halvings;
    double weight; /* 2 ^ halvings */
    bool exact;
    unsigned may_halve; /* times, of an exact one */
    uint64_t now;       /* number of the access */
    double flight, room;
};

/* --- histogram -------------------------------------------------------------------------------- */

static size_t bin_of(uint64_t distance)
{
    if (distance < DISTANCE_EXACT)
        return (size_t)distance;
    const unsigned top = 63 - (unsigned)__builtin_clzll(distance); /* 4 or more */
    return DISTANCE_EXACT + (top - 4) * 16 + (distance >> (top - 4) & 15);
}

/* The lowest distance of a bin. */
static double bin_low(size_t bin)
{
    if (bin < DISTANCE_EXACT)
        return (double)bin;
    const size_t k = bin - DISTANCE_EXACT;
    return (double)((uint64_t)(16 + k % 16) << k / 16);
}

/* The bin of a distance, as it is counted. */
static double *bin_at(distances_t *d, uint64_t distance)
{
    const size_t bin = bin_of(distance);
    d->used = bin >= d->used ? bin + 1 : d->used;
    return &d->bin[bin];
}

/* n sectors of that distance. */
static void note(distances_t *d, const line_stack_t *s, uint32_t distance, unsigned n)
{
    const double weight = n * s->weight;
    d->all += weight;
    if (distance == NEVER)
        d->never += weight;
    else if (distance == FAR)
        d->far += weight;
    else
        *bin_at(d, (uint64_t)distance << s->halvings) += weight;
}

void distances_add(distances_t *d, double distance, double n)
{
    *bin_at(d, (uint64_t)distance) += n;
}

double distances_missed(const distances_t *d, double lines)
{
    double missed = d->never;
    for (size_t i = d->used; i-- > 0;) {
        const double low = bin_low(i), high = bin_low(i + 1);
        if (high <= lines)
            break;
        missed += d->bin[i] * (low >= lines ? 1 : (high - lines) / (high - low));
    }
    return missed;
}

/* --- order of use ----------------------------------------------------------------------------- */

static void tree_add(line_stack_t *s, uint32_t at, uint32_t by)
{
    for (; at <= s->positions; at += at & (0 - at))
        s->tree[at] += by;
}

static uint32_t tree_below(const line_stack_t *s, uint32_t at)
{
    uint32_t sum = 0;
    for (; at > 0; at &= at - 1)
        sum += s->tree[at];
    return sum;
}

/* The line's entry; NULL: there is none. */
static entry_t *find(const line_stack_t *s, uint64_t line, uint64_t hash)
{
    for (hash_walk_t w = hash_map_walk(&s->map, hash); hash_walk_next(&w);)
        if (s->entry[w.number].line == line)
            return &s->entry[w.number];
    return NULL;
}

static bool is_sampled(const line_stack_t *s, uint64_t hash)
{
    return s->halvings == 0 || hash >> (64 - s->halvings) == 0;
}

/* Positions 1 .. n are in use, and no others. */
static void fill_tree(line_stack_t *s, uint32_t n)
{
    for (uint32_t at = 1; at <= s->positions; at++) {
        const uint32_t below = at - (at & (0 - at));
        s->tree[at] = at <= n ? at - below : n > below ? n - below : 0;
    }
}

/* Counts the lines of an entry beyond one. */
static void push_down(line_stack_t *s, const entry_t *e)
{
    tree_add(s, e->at, e->since[0] - 1);
    s->skipped += e->since[0] - 1;
}

/* Numbers the positions anew, and forgets lines that are not sampled any more, or, of an exact stack,
 * those beyond `keep` that were used longest ago. */
static void rebuild(line_stack_t *s, size_t keep)
{
    rb_grow(&s->spare, &s->cap_spare, s->n, sizeof(*s->spare));
    entry_t *entry = s->spare;
    const size_t cap = s->cap;
    size_t n = 0, seen = 0;
    hash_map_clear(&s->map);
    for (uint32_t at = 1; at < s->next; at++) {
        const uint32_t owner = s->owner[at];
        s->owner[at] = 0;
        if (owner == 0 || s->n - seen++ > keep)
            continue;
        const uint64_t line = s->entry[owner - 1].line, hash = mix64(line);
        if (line != SKIPPED && !is_sampled(s, hash))
            continue;
        entry[n] = s->entry[owner - 1];
        if (line != SKIPPED)
            hash_map_add(&s->map, hash, (uint32_t)n);
        n++;
        entry[n - 1].at = (uint32_t)n;
        s->owner[n] = (uint32_t)n; /* a position that was looked at before */
    }
    s->spare = s->entry;
    s->entry = entry;
    s->cap = s->cap_spare;
    s->cap_spare = cap;
    s->n = n;
    fill_tree(s, (uint32_t)n);
    s->next = (uint32_t)n + 1;
    s->skipped = 0;
    for (size_t i = 0; i < n; i++)
        if (entry[i].line == SKIPPED)
            push_down(s, &entry[i]);
}

/* Twice as many positions: the last one has the sum of all. */
static void add_positions(line_stack_t *s)
{
    const size_t old = s->positions + 1, more = s->positions;
    s->owner = rb_realloc(s->owner, old + more, sizeof(*s->owner));
    s->tree = rb_realloc(s->tree, old + more, sizeof(*s->tree));
    memset(s->owner + old, 0, more * sizeof(*s->owner));
    memset(s->tree + old, 0, more * sizeof(*s->tree));
    s->positions *= 2;
    s->tree[s->positions] = (uint32_t)s->n + s->skipped;
}

/* There is no room for another line or position. */
static void make_room(line_stack_t *s, bool full)
{
    if (!full && s->positions < POSITIONS * s->most) {
        add_positions(s);
        return;
    }
    const bool forget = full && s->exact && s->halvings >= s->may_halve;
    if (full && !forget) {
        s->halvings++;
        s->weight *= 2;
        for (size_t i = 0; i < s->n; i++)
            if (s->entry[i].line == SKIPPED)
                s->entry[i].since[0] = (s->entry[i].since[0] + 1) / 2;
    }
    rebuild(s, forget ? s->most / 2 : s->most);
}

line_stack_t *stack_create(size_t most, bool exact)
{
    line_stack_t *s = rb_calloc(1, sizeof(*s));
    *s = (line_stack_t){.most = most, .exact = exact, .next = 1, .weight = 1};
    s->positions = FIRST_POSITIONS;
    s->owner = rb_calloc((size_t)s->positions + 1, sizeof(*s->owner));
    s->tree = rb_calloc((size_t)s->positions + 1, sizeof(*s->tree));
    return s;
}

void stack_destroy(line_stack_t *s)
{
    if (s == NULL)
        return;
    free(s->entry);
    free(s->spare);
    hash_map_free(&s->map);
    free(s->owner);
    free(s->tree);
    free(s);
}

void stack_may_halve(line_stack_t *s, unsigned times)
{
    s->may_halve = times;
}

void stack_clear(line_stack_t *s)
{
    if (s->next == 1)
        return;
    memset(s->owner, 0, s->next * sizeof(*s->owner));
    memset(s->tree, 0, s->next * sizeof(*s->tree));
    for (uint32_t at = s->next; at <= s->positions; at += at & (0 - at))
        s->tree[at] = 0;
    hash_map_clear(&s->map);
    s->n = 0;
    s->next = 1;
    s->skipped = 0;
    if (s->exact) {
        s->halvings = 0;
        s->weight = 1;
    }
}

void stack_flight(line_stack_t *s, double flight, double room)
{
    s->flight = flight;
    s->room = room;
}

void stack_part(line_stack_t *s, bool first)
{
    s->part++;
    if (first)
        s->first_part = s->part;
}

double stack_fresh(const line_stack_t *s)
{
    return s->fresh;
}

double stack_novel(const line_stack_t *s)
{
    return s->novel;
}

void stack_skip(line_stack_t *s, double lines)
{
    const double most = UINT32_MAX / 4 - s->skipped, sampled = fmin(lines / s->weight, most);
    if (sampled < 1)
        return;
    if (s->n == s->most || s->next > s->positions)
        make_room(s, s->n == s->most);
    if (s->n == s->most)
        return;
    rb_grow(&s->entry, &s->cap, s->n + 1, sizeof(*s->entry));
    entry_t *e = &s->entry[s->n++];
    *e = (entry_t){.line = SKIPPED, .at = s->next++, .since = {(uint32_t)sampled}};
    s->owner[e->at] = (uint32_t)s->n;
    tree_add(s, e->at, 1);
    push_down(s, e);
}

static void distances_sum(distances_t *sum, const distances_t *part, double factor)
{
    for (size_t i = 0; i < part->used; i++)
        sum->bin[i] += factor * part->bin[i];
    sum->used = part->used > sum->used ? part->used : sum->used;
    sum->never += factor * part->never;
    sum->far += factor * part->far;
    sum->all += factor * part->all;
}

static void distances_clear(distances_t *d)
{
    memset(d->bin, 0, d->used * sizeof(*d->bin));
    d->never = d->far = d->all = 0;
    d->used = 0;
}

void stack_counts_clear(stack_counts_t *c)
{
    distances_clear(&c->read);
    distances_clear(&c->write);
    distances_clear(&c->fill);
    distances_clear(&c->dirty);
    c->partial = c->late = 0;
}

void stack_counts_add(stack_counts_t *sum, const stack_counts_t *part, double factor)
{
    distances_sum(&sum->read, &part->read, factor);
    distances_sum(&sum->write, &part->write, factor);
    distances_sum(&sum->fill, &part->fill, factor);
    distances_sum(&sum->dirty, &part->dirty, factor);
    sum->partial += factor * part->partial;
    sum->late += factor * part->late;
}

double stack_rate(const line_stack_t *s)
{
    return 1 / s->weight;
}

static entry_t *add(line_stack_t *s, uint64_t line, uint64_t hash)
{
    rb_grow(&s->entry, &s->cap, s->n + 1, sizeof(*s->entry));
    entry_t *e = &s->entry[s->n];
    hash_map_add(&s->map, hash, (uint32_t)s->n++);
    s->fresh += s->weight;
    *e = (entry_t){.line = line};
    for (unsigned i = 0; i < SECTORS; i++)
        e->since[i] = e->dirty[i] = NEVER;
    return e;
}

/* Moves a line to the top. Returns its distance; NEVER for a new one. */
static uint32_t touch(line_stack_t *s, entry_t *e)
{
    uint32_t distance = NEVER;
    if (e->at != 0) {
        if (e->at + 1 == s->next && e->part == s->part) /* it is at the top */
            return 0;
        distance = e->part != s->part && e->part >= s->first_part
                       ? FAR
                       : (uint32_t)s->n + s->skipped - tree_below(s, e->at);
        tree_add(s, e->at, UINT32_MAX);
        s->owner[e->at] = 0;
    }
    s->novel += e->at == 0 || e->part != s->part ? s->weight : 0;
    e->part = s->part;
    e->at = s->next++;
    s->owner[e->at] = (uint32_t)(e - s->entry) + 1;
    tree_add(s, e->at, 1);
    return distance;
}

/* --- sectors ---------------------------------------------------------------------------------- */

/* A read of the sectors of one group. */
static void read_group(const line_stack_t *s, entry_t *e, unsigned wanted, unsigned group,
                       stack_counts_t *counts)
{
    uint32_t fetched = 0;
    for (unsigned i = 0; i < SECTORS; i++) {
        if (!(wanted >> i & 1))
            continue;
        note(&counts->read, s, e->since[i], 1);
        fetched = e->since[i] > fetched ? e->since[i] : fetched;
    }
    for (unsigned i = 0; i < SECTORS; i++) {
        if (!(group >> i & 1))
            continue;
        /* In smaller caches the group is fetched, as far as it is not there. */
        note(&counts->fill, s, e->since[i] < fetched ? e->since[i] : fetched, 1);
        if (wanted >> i & 1 || fetched == NEVER)
            e->since[i] = 0;
    }
}

/* The groups that have wanted sectors. */
static unsigned groups_of(unsigned wanted, unsigned size)
{
    const unsigned all = (1u << size) - 1;
    unsigned groups = 0;
    for (unsigned g = 0; g < SECTORS; g += size)
        groups |= wanted & all << g ? all << g : 0;
    return groups;
}

/* A read of all of these sectors, of all groups. */
static void read_sectors(const line_stack_t *s, entry_t *e, const stack_use_t *use,
                         stack_counts_t *counts)
{
    const unsigned all = (1u << use->group) - 1, groups = groups_of(use->sectors, use->group);
    const uint32_t since = e->since[0];
    if (since != e->since[1] || since != e->since[2] || since != e->since[3]) {
        for (unsigned g = 0; g < SECTORS; g += use->group)
            if (groups >> g & 1)
                read_group(s, e, use->sectors & all << g, all << g, counts);
        return;
    }
    const unsigned fetched = since == NEVER ? groups : use->sectors;
    note(&counts->read, s, since, (unsigned)__builtin_popcount(use->sectors));
    note(&counts->fill, s, since, (unsigned)__builtin_popcount(groups));
    for (unsigned i = 0; i < SECTORS; i++)
        e->since[i] = fetched >> i & 1 ? 0 : since;
}

static void write_sectors(const line_stack_t *s, entry_t *e, unsigned sectors, unsigned full,
                          stack_counts_t *counts)
{
    for (unsigned i = 0; i < SECTORS; i++) {
        const unsigned bit = 1u << i;
        if (!(sectors & bit))
            continue;
        note(&counts->write, s, e->since[i], 1);
        note(&counts->dirty, s, e->dirty[i], 1);
        /* A second part completes a sector: which bytes were written is not kept. */
        if (e->partial & bit)
            counts->partial -= s->weight;
        e->partial =
            (uint8_t)(full & bit || e->partial & bit || e->since[i] != NEVER ? e->partial & ~bit
                                                                             : e->partial | bit);
        if (e->partial & bit)
            counts->partial += s->weight;
        e->since[i] = e->dirty[i] = 0;
    }
}

void stack_access(line_stack_t *s, uint64_t line, const stack_use_t *use, stack_counts_t *counts)
{
    const uint64_t hash = mix64(line);
    s->now++;
    if (!is_sampled(s, hash))
        return;
    entry_t *e = find(s, line, hash);
    const bool full = e == NULL && s->n == s->most;
    if (full || s->next > s->positions) {
        make_room(s, full);
        if (!is_sampled(s, hash))
            return;
        e = find(s, line, hash);
        if (e == NULL && s->n == s->most) /* all of them are sampled still */
            return;
    }
    if (e == NULL)
        e = add(s, line, hash);
    const uint32_t distance = touch(s, e);
    if (use->again != NULL && e->user == use->user)
        counts = use->again;
    e->user = use->user;
    if (distance == NEVER || distance * s->weight >= s->room)
        e->fetched = s->now;
    else if ((double)(s->now - e->fetched) < s->flight)
        counts->late += s->weight * __builtin_popcount(use->sectors);
    for (unsigned i = 0; i < SECTORS && distance != NEVER; i++) {
        e->since[i] = e->since[i] > distance ? e->since[i] : distance;
        e->dirty[i] = e->dirty[i] > distance ? e->dirty[i] : distance;
    }
    if (use->copy) {
        for (unsigned i = 0; i < SECTORS; i++)
            e->since[i] = 0;
        return;
    }
    if (use->read)
        read_sectors(s, e, use, counts);
    if (use->write)
        write_sectors(s, e, use->sectors, use->full, counts);
}
