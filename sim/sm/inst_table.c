#include "sim/sm/inst_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"
#include "sim/stats/stats.h"

enum {
    FIRST_SITES = 64, /* in tables by number */
    MAP_MAX = 1 << 20 /* longer code is found by the hash map only */
};

void inst_sites_init(inst_sites_t *s)
{
    memset(s, 0, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    inst_sites_clear(s);
}

void inst_sites_free(inst_sites_t *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->site);
    hash_map_free(&s->by_pc);
}

void inst_sites_clear(inst_sites_t *s)
{
    hash_map_clear(&s->by_pc);
    rb_grow(&s->site, &s->cap, 1, sizeof(*s->site));
    s->site[0] = (inst_site_t){0};
    s->n = 1;
}

/* 0: there are INST_SITES_MAX others. */
static uint32_t number_of(inst_sites_t *s, const inst_t *inst)
{
    for (hash_walk_t w = hash_map_walk(&s->by_pc, inst->pc); hash_walk_next(&w);)
        if (s->site[w.number].pc == inst->pc)
            return w.number;
    if (s->n >= INST_SITES_MAX)
        return 0;
    rb_grow(&s->site, &s->cap, s->n + 1, sizeof(*s->site));
    s->site[s->n] = (inst_site_t){.inst = inst, .pc = inst->pc};
    hash_map_add(&s->by_pc, inst->pc, (uint32_t)s->n);
    return (uint32_t)s->n++;
}

static uint32_t site_number(inst_sites_t *s, const inst_t *inst)
{
    pthread_mutex_lock(&s->lock);
    const uint32_t number = number_of(s, inst);
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
    free(t->waits);
    hash_map_free(&t->wait_map);
}

void inst_table_clear(inst_table_t *t)
{
    if (t->n_map > 0)
        memset(t->map, 0, t->n_map * sizeof(*t->map));
    if (t->n_counts > 0)
        memset(t->counts, 0, t->n_counts * sizeof(*t->counts));
    hash_map_clear(&t->wait_map);
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

void inst_table_wait(inst_table_t *t, uint32_t site, uint32_t other, bool longer, uint64_t cycles)
{
    if (cycles == 0)
        return;
    const uint64_t hash = (uint64_t)site << 32 | other << 1 | longer;
    for (hash_walk_t w = hash_map_walk(&t->wait_map, hash); hash_walk_next(&w);) {
        inst_wait_t *known = &t->waits[w.number];
        if (known->site == site && known->other == other && known->longer == longer) {
            known->cycles += cycles;
            return;
        }
    }
    rb_grow(&t->waits, &t->cap_waits, t->n_waits + 1, sizeof(*t->waits));
    t->waits[t->n_waits] =
        (inst_wait_t){.site = site, .other = other, .cycles = cycles, .longer = longer};
    hash_map_add(&t->wait_map, hash, (uint32_t)t->n_waits++);
}

void inst_table_add(inst_table_t *t, const inst_table_t *other)
{
    for (size_t i = 0; i < other->n_counts; i++)
        stats_add((uint64_t *)inst_table_counts(t, (uint32_t)i),
                  (const uint64_t *)&other->counts[i], INST_COUNTS_ALL);
    for (size_t i = 0; i < other->n_waits; i++) {
        const inst_wait_t *w = &other->waits[i];
        inst_table_wait(t, w->site, w->other, w->longer, w->cycles);
    }
}
