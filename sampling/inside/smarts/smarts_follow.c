/*
 * smarts with the units of another configuration: the same blocks are measured. Their number may be smaller, because
 * a change varies less than what changes: the units are divided into groups of neighbours, and one of each is
 * measured, the same one by all that follow with the same seed.
 */
#include <math.h>

#include "sampling/inside/smarts/smarts_state.h"
#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

rb_code_t smarts_follow_begin(smarts_state_t *s, const launch_info_t *launch, rb_err_t *err)
{
    if (s->followed.launches == 0)
        return RB_OK;
    s->base = unit_file_find(&s->followed, launch->id);
    if (s->base != NULL &&
        (s->base->code != launch->code_id || s->base->blocks != launch->n_blocks))
        return rb_fail(err, RB_TRACE, "launch %llu is another one in the run that is followed",
                       (unsigned long long)launch->id);
    if (s->base != NULL && s->base->n < UNIT_PAIRS_LEAST)
        s->base = NULL;
    return RB_OK;
}

size_t smarts_follow_units(const smarts_state_t *s)
{
    return s->base->n < s->options.pairs ? s->base->n : s->options.pairs;
}

/* A unit of group k whose blocks are still to come; NULL: none. */
static const measured_unit_t *choose(const smarts_state_t *s, size_t k, double front)
{
    const size_t groups = smarts_follow_units(s), first = k * s->base->n / groups,
                 end = (k + 1) * s->base->n / groups;
    const uint64_t random = mix64(s->seed ^ mix64(s->base->launch << 32 | k));
    for (size_t i = 0; i < end - first; i++) {
        const measured_unit_t *u = &s->base->unit[first + (random + i) % (end - first)];
        if (u->begin >= front)
            return u;
    }
    return NULL;
}

bool smarts_follow_next(smarts_state_t *s, double front, uint64_t first)
{
    const size_t groups = smarts_follow_units(s);
    const measured_unit_t *u = NULL;
    while (u == NULL && s->group < groups)
        u = choose(s, s->group++, front);
    if (u == NULL)
        return false;
    const measured_unit_t *last = &s->base->unit[s->group * s->base->n / groups - 1];
    /* This chip may take more blocks to settle. */
    const double slots = (double)s->look.slots, own = u->begin - (s->plan.settle + 1) * slots;
    s->strata[s->n] =
        (smarts_stratum_t){.first = first,
                           .end = last->stratum_end > first ? last->stratum_end : first + 1,
                           .start = (uint64_t)fmax(fmin((double)u->resume, own), 0)};
    const double larger = (double)s->launch->spec->mem.l2.size / s->base->l2_bytes;
    s->places[s->n] = (smarts_place_t){.of = u->of,
                                       .last = last->last,
                                       .walked = (uint64_t)ceil((double)u->walked * larger),
                                       .begin = u->begin,
                                       .end = u->end};
    return true;
}

/* A number for this choice of units. */
static uint64_t choice_of(const smarts_state_t *s)
{
    uint64_t hash = mix64(s->seed);
    for (size_t i = 0; i < s->n; i++)
        hash = mix64(hash ^ (uint64_t)(s->places[i].begin * 2) ^ s->places[i].resume << 32);
    return hash;
}

void smarts_keep_units(smarts_state_t *s, const launch_estimate_t *counted)
{
    launch_units_t l = {.launch = s->launch->info->id,
                        .code = s->launch->info->code_id,
                        .blocks = s->launch->info->n_blocks,
                        .choice = s->base != NULL ? s->base->choice : choice_of(s),
                        .chosen = s->base != NULL ? s->base->chosen : s->n,
                        .l2_bytes = (double)s->launch->spec->mem.l2.size,
                        .counted = *counted,
                        .unit = rb_calloc(s->n + 1, sizeof(*l.unit)),
                        .n = s->n};
    for (size_t i = 0; i < s->n; i++) {
        const smarts_place_t *p = &s->places[i];
        measured_unit_t *u = &l.unit[i];
        *u = (measured_unit_t){.of = p->of,
                               .last = p->last,
                               .resume = p->resume,
                               .walked = p->walked,
                               .stratum_end = s->strata[i].end,
                               .begin = p->begin,
                               .end = p->end,
                               .weight = s->units[i].weight,
                               .insts = s->units[i].insts,
                               .measured.cycles = s->units[i].cycles};
        for (size_t k = 0; k < GPU_COUNTERS; k++)
            u->measured.counter[k] = (double)((const uint64_t *)&s->units[i].counters)[k];
    }
    rb_grow(&s->measured.list, &s->measured.cap, s->measured.n + 1, sizeof(l));
    s->measured.list[s->measured.n++] = l;
}
