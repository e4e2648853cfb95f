#include "sim/sm/inst_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"
#include "sim/stats/stats.h"

enum {
    FIRST_BITS = 8,   /* of the hash tables */
    FIRST_SITES = 64, /* in tables by number */
    MAP_MAX = 1 << 20 /* longer code is found by the hash table only */
};

void inst_sites_init(inst_sites_t *s)
{
    memset(s, 0, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    s->bits = FIRST_BITS;
    s->slot = rb_calloc((size_t)1 << s->bits, sizeof(*s->slot));
    inst_sites_clear(s);
}

void inst_sites_free(inst_sites_t *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->site);
    free(s->slot);
}

void inst_sites_clear(inst_sites_t *s)
{
    memset(s->slot, 0, ((size_t)1 << s->bits) * sizeof(*s->slot));
    rb_grow(&s->site, &s->cap, 1, sizeof(*s->site));
    s->site[0] = (inst_site_t){0};
    s->n = 1;
}

static size_t home_of(uint64_t key, unsigned bits)
{
    return (size_t)(mix64(key) >> (64 - bits));
}

/* The place of an instruction in the hash table, or a free place for it. */
static size_t place_of(const inst_sites_t *s, uint32_t pc)
{
    const size_t mask = ((size_t)1 << s->bits) - 1;
    size_t at = home_of(pc, s->bits);
    while (s->slot[at] != 0 && s->site[s->slot[at]].pc != pc)
        at = (at + 1) & mask;
    return at;
}

static void sites_grow(inst_sites_t *s)
{
    free(s->slot);
    s->bits++;
    s->slot = rb_calloc((size_t)1 << s->bits, sizeof(*s->slot));
    for (size_t i = 1; i < s->n; i++)
        s->slot[place_of(s, s->site[i].pc)] = (uint32_t)i;
}

static uint32_t site_number(inst_sites_t *s, const inst_t *inst)
{
    pthread_mutex_lock(&s->lock);
    size_t at = place_of(s, inst->pc);
    if (s->slot[at] == 0 && s->n < INST_SITES_MAX) {
        if (2 * s->n >= (size_t)1 << s->bits) {
            sites_grow(s);
            at = place_of(s, inst->pc);
        }
        rb_grow(&s->site, &s->cap, s->n + 1, sizeof(*s->site));
        s->site[s->n] = (inst_site_t){.inst = inst, .pc = inst->pc};
        s->slot[at] = (uint32_t)s->n++;
    }
    const uint32_t number = s->slot[at];
    pthread_mutex_unlock(&s->lock);
    return number;
}

void inst_table_init(inst_table_t *t, inst_sites_t *sites)
{
    memset(t, 0, sizeof(*t));
    t->sites = sites;
}

void inst_table_free(inst_table_t *t)
{
    free(t->map);
    free(t->counts);
    free(t->wait);
}

void inst_table_clear(inst_table_t *t)
{
    if (t->n_map > 0)
        memset(t->map, 0, t->n_map * sizeof(*t->map));
    if (t->n_counts > 0)
        memset(t->counts, 0, t->n_counts * sizeof(*t->counts));
    if (t->wait != NULL)
        memset(t->wait, 0, sizeof(*t->wait) << t->wait_bits);
    t->n_waits = 0;
}

/* Lengthens a zeroed list of n elements to at least `need`. Returns the new length. */
static size_t lengthen(void *ptr_to_ptr, size_t n, size_t need, size_t size)
{
    size_t more = n == 0 ? FIRST_SITES : 2 * n;
    while (more < need)
        more *= 2;
    char *list;
    memcpy(&list, ptr_to_ptr, sizeof(list));
    list = rb_realloc(list, more, size);
    memset(list + n * size, 0, (more - n) * size);
    memcpy(ptr_to_ptr, &list, sizeof(list));
    return more;
}

void inst_table_grow(inst_table_t *t, uint32_t site)
{
    t->n_counts = lengthen(&t->counts, t->n_counts, (size_t)site + 1, sizeof(*t->counts));
}

uint32_t inst_table_find(inst_table_t *t, const inst_t *inst)
{
    const uint32_t number = site_number(t->sites, inst), at = inst->pc / INST_TABLE_STEP;
    if (inst->pc % INST_TABLE_STEP != 0 || at >= MAP_MAX)
        return number;
    if (at >= t->n_map)
        t->n_map = lengthen(&t->map, t->n_map, (size_t)at + 1, sizeof(*t->map));
    t->map[at] = number;
    return number;
}

static inst_wait_t *wait_place(const inst_table_t *t, uint32_t site, uint32_t other, bool longer)
{
    const size_t mask = ((size_t)1 << t->wait_bits) - 1;
    size_t at = home_of((uint64_t)site << 32 | other << 1 | longer, t->wait_bits);
    for (;; at = (at + 1) & mask) {
        inst_wait_t *w = &t->wait[at];
        if (w->cycles == 0 || (w->site == site && w->other == other && w->longer == longer))
            return w;
    }
}

static void waits_grow(inst_table_t *t)
{
    inst_wait_t *before = t->wait;
    const size_t n = before == NULL ? 0 : (size_t)1 << t->wait_bits;
    t->wait_bits = before == NULL ? FIRST_BITS : t->wait_bits + 1;
    t->wait = rb_calloc((size_t)1 << t->wait_bits, sizeof(*t->wait));
    for (size_t i = 0; i < n; i++) {
        if (before[i].cycles != 0)
            *wait_place(t, before[i].site, before[i].other, before[i].longer) = before[i];
    }
    free(before);
}

void inst_table_wait(inst_table_t *t, uint32_t site, uint32_t other, bool longer, uint64_t cycles)
{
    if (cycles == 0)
        return;
    if (t->wait == NULL || 2 * t->n_waits >= (size_t)1 << t->wait_bits)
        waits_grow(t);
    inst_wait_t *w = wait_place(t, site, other, longer);
    if (w->cycles == 0) {
        *w = (inst_wait_t){.site = site, .other = other, .longer = longer};
        t->n_waits++;
    }
    w->cycles += cycles;
}

void inst_table_add(inst_table_t *t, const inst_table_t *other)
{
    for (size_t i = 0; i < other->n_counts; i++)
        stats_add((uint64_t *)inst_table_counts(t, (uint32_t)i),
                  (const uint64_t *)&other->counts[i], INST_COUNTS_ALL);
    const size_t n = other->wait == NULL ? 0 : (size_t)1 << other->wait_bits;
    for (size_t i = 0; i < n; i++) {
        const inst_wait_t *w = &other->wait[i];
        inst_table_wait(t, w->site, w->other, w->longer, w->cycles);
    }
}
