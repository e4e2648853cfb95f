#include "sampling/predict/stack_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

enum { SECTORS = 4, POSITIONS = 4 /* per kept line */ };

/* No access yet. */
#define NEVER INFINITY

typedef struct {
    uint64_t line;
    uint32_t at;           /* its position in time */
    float since[SECTORS];  /* largest distance of the line since the sector was fetched */
    float dirty[SECTORS];  /* ... since it was written */
} entry_t;

struct line_stack {
    entry_t *entry; /* owned */
    size_t n, most;
    uint32_t *slot;  /* owned; hash table of entry + 1 */
    size_t n_slots;  /* a power of two */
    uint32_t *owner; /* owned; by position, from 1: entry + 1; 0: none */
    uint32_t *tree;  /* owned; Fenwick tree: positions in use */
    uint32_t positions, next, oldest;
    unsigned halvings;
    bool exact;
};

/* --- histogram -------------------------------------------------------------------------------- */

static size_t bin_of(double distance)
{
    int exponent;
    if (distance < DISTANCE_EXACT)
        return (size_t)distance;
    const double part = frexp(distance, &exponent); /* 0.5 .. 1 */
    const size_t bin = DISTANCE_EXACT + (size_t)(exponent - 5) * 16 + (size_t)((part - 0.5) * 32);
    return bin < DISTANCE_BINS ? bin : DISTANCE_BINS - 1;
}

/* The lowest distance of a bin. */
static double bin_low(size_t bin)
{
    if (bin <= DISTANCE_EXACT)
        return (double)bin;
    const size_t k = bin - DISTANCE_EXACT;
    return ldexp(0.5 + (double)(k % 16) / 32, (int)(k / 16) + 5);
}

static void note(distances_t *d, double distance, double weight)
{
    d->all += weight;
    if (isinf(distance))
        d->never += weight;
    else
        d->bin[bin_of(distance)] += weight;
}

double distances_missed(const distances_t *d, double lines)
{
    double missed = d->never;
    for (size_t i = DISTANCE_BINS; i-- > 0;) {
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

static size_t home(const line_stack_t *s, uint64_t line)
{
    return (size_t)mix64(line) & (s->n_slots - 1);
}

static uint32_t *find(line_stack_t *s, uint64_t line)
{
    size_t i = home(s, line);
    while (s->slot[i] != 0 && s->entry[s->slot[i] - 1].line != line)
        i = (i + 1) & (s->n_slots - 1);
    return &s->slot[i];
}

static bool is_sampled(const line_stack_t *s, uint64_t line)
{
    return s->halvings == 0 || mix64(line + MIX64_STEP) >> (64 - s->halvings) == 0;
}

/* Numbers the positions anew, and forgets lines that are not sampled any more, or, of an exact stack,
 * those beyond `keep` that were used longest ago. */
static void rebuild(line_stack_t *s, size_t keep)
{
    entry_t *entry = rb_calloc(s->most + 1, sizeof(*entry));
    size_t n = 0, seen = 0;
    for (uint32_t at = 1; at < s->next; at++) {
        if (s->owner[at] == 0)
            continue;
        const entry_t *e = &s->entry[s->owner[at] - 1];
        if (s->n - seen++ <= keep && is_sampled(s, e->line))
            entry[n++] = *e;
    }
    free(s->entry);
    s->entry = entry;
    s->n = n;
    memset(s->slot, 0, s->n_slots * sizeof(*s->slot));
    memset(s->owner, 0, (s->positions + 1) * sizeof(*s->owner));
    memset(s->tree, 0, (s->positions + 1) * sizeof(*s->tree));
    for (size_t i = 0; i < n; i++) {
        entry[i].at = (uint32_t)i + 1;
        s->owner[i + 1] = (uint32_t)i + 1;
        tree_add(s, (uint32_t)i + 1, 1);
        *find(s, entry[i].line) = (uint32_t)i + 1;
    }
    s->next = (uint32_t)n + 1;
}

line_stack_t *stack_create(size_t most, bool exact)
{
    line_stack_t *s = rb_calloc(1, sizeof(*s));
    *s = (line_stack_t){.most = most, .exact = exact, .n_slots = 1, .next = 1};
    while (s->n_slots < 2 * most + 2)
        s->n_slots *= 2;
    s->positions = (uint32_t)(POSITIONS * most + 2);
    s->entry = rb_calloc(most + 1, sizeof(*s->entry));
    s->slot = rb_calloc(s->n_slots, sizeof(*s->slot));
    s->owner = rb_calloc((size_t)s->positions + 1, sizeof(*s->owner));
    s->tree = rb_calloc((size_t)s->positions + 1, sizeof(*s->tree));
    return s;
}

void stack_destroy(line_stack_t *s)
{
    if (s == NULL)
        return;
    free(s->entry);
    free(s->slot);
    free(s->owner);
    free(s->tree);
    free(s);
}

double stack_rate(const line_stack_t *s)
{
    return ldexp(1, -(int)s->halvings);
}

/* Moves the line to the top. Returns its entry; *distance: NEVER for a new one. */
static entry_t *touch(line_stack_t *s, uint64_t line, double *distance)
{
    if (s->next > s->positions)
        rebuild(s, s->most);
    uint32_t *slot = find(s, line);
    *distance = NEVER;
    if (*slot == 0) {
        entry_t *e = &s->entry[s->n++];
        *slot = (uint32_t)s->n;
        *e = (entry_t){.line = line};
        for (unsigned i = 0; i < SECTORS; i++)
            e->since[i] = e->dirty[i] = NEVER;
    } else {
        const uint32_t at = s->entry[*slot - 1].at;
        *distance = ldexp((double)(s->n - tree_below(s, at)), (int)s->halvings);
        tree_add(s, at, UINT32_MAX);
        s->owner[at] = 0;
    }
    entry_t *e = &s->entry[*slot - 1];
    e->at = s->next++;
    s->owner[e->at] = *slot;
    tree_add(s, e->at, 1);
    return e;
}

/* --- sectors ---------------------------------------------------------------------------------- */

/* A read of the sectors of one group. */
static void read_group(entry_t *e, unsigned wanted, unsigned group, double weight,
                       stack_counts_t *counts)
{
    double fetched = 0;
    for (unsigned i = 0; i < SECTORS; i++) {
        if (!(wanted >> i & 1))
            continue;
        note(&counts->read, e->since[i], weight);
        fetched = e->since[i] > fetched ? e->since[i] : fetched;
    }
    for (unsigned i = 0; i < SECTORS; i++) {
        if (!(group >> i & 1))
            continue;
        /* In smaller caches the group is fetched, as far as it is not there. */
        note(&counts->fill, e->since[i] < fetched ? e->since[i] : fetched, weight);
        if (wanted >> i & 1 || isinf(fetched))
            e->since[i] = 0;
    }
}

static void write_sectors(entry_t *e, unsigned sectors, double weight, stack_counts_t *counts)
{
    for (unsigned i = 0; i < SECTORS; i++) {
        if (!(sectors >> i & 1))
            continue;
        note(&counts->write, e->since[i], weight);
        note(&counts->dirty, e->dirty[i], weight);
        e->since[i] = e->dirty[i] = 0;
    }
}

void stack_access(line_stack_t *s, uint64_t line, unsigned sectors, unsigned group, stack_use_t use,
                  stack_counts_t *counts)
{
    double distance;
    if (!is_sampled(s, line))
        return;
    if (s->n == s->most && *find(s, line) == 0) {
        s->halvings += !s->exact;
        rebuild(s, s->exact ? s->most - s->most / 4 : s->most);
        if (!is_sampled(s, line))
            return;
    }
    entry_t *e = touch(s, line, &distance);
    const double weight = ldexp(1, (int)s->halvings);
    for (unsigned i = 0; i < SECTORS && !isinf(distance); i++) {
        e->since[i] = fmaxf(e->since[i], (float)distance);
        e->dirty[i] = fmaxf(e->dirty[i], (float)distance);
    }
    if (use == STACK_COPY) {
        for (unsigned i = 0; i < SECTORS; i++)
            e->since[i] = sectors >> i & 1 ? 0 : e->since[i];
        return;
    }
    const unsigned all = (1u << group) - 1;
    for (unsigned g = 0; g < SECTORS && use != STACK_WRITE; g += group)
        if (sectors & all << g)
            read_group(e, sectors & all << g, all << g, weight, counts);
    if (use != STACK_READ)
        write_sectors(e, sectors, weight, counts);
}
