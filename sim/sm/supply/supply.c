/* The supply as a whole: creation, checkpoints. */
#include "sim/sm/supply/supply_parts.h"

#include <stddef.h>

#include "sim/core/files/checkpoint_read.h"
#include "sim/core/prefetch.h"
#include "sim/sm/save_value.h"

void supply_init(sm_t *sm)
{
    fetch_init(sm);
    const_init(sm);
}

void supply_free(sm_t *sm)
{
    fetch_free(sm);
    const_free(sm);
}

uint32_t supply_requests_max(const sm_t *sm)
{
    return sm->supply.n_l1i_miss;
}

void supply_prefetch(const sm_t *sm)
{
    const size_t begin = offsetof(supply_t, l1i);
    prefetch_range((const char *)&sm->supply + begin, sizeof(sm->supply) - begin);
}

int supply_save(const sm_t *sm, FILE *out)
{
    const supply_t *u = &sm->supply;
    int rc = 0;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        const supply_core_t *core = &u->core[s];
        SAVE_VALUE(core->l1i_free)
        rc |= save_bytes(out, core->fetch, fetch_slot_bytes(sm));
        rc |= cache_save(core->l0, out);
        rc |= cache_save_chance(core->const_l0, out);
    }
    rc |= cache_save(u->l1i, out);
    rc |= cache_save_chance(u->const_l1, out);
    rc |= cache_save_chance(u->const_l15, out);
    return rc;
}

int supply_load(sm_t *sm, FILE *in, cycle_t latest)
{
    supply_t *u = &sm->supply;
    int rc = 0;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        supply_core_t *core = &u->core[s];
        LOAD_VALUE(core->l1i_free)
        rc |= load_bytes(in, core->fetch, fetch_slot_bytes(sm));
        core->fetch_end = (uint32_t)(fetch_slot_bytes(sm) / sizeof(*core->fetch));
        core->fetch_hints = UINT64_MAX;
        if (rc != 0 || core->l1i_free > latest || !fetch_is_possible(sm, core, latest) ||
            fetch_load_l0(core, in) != 0 || cache_load_chance(core->const_l0, in) != 0)
            return checkpoint_read_failed(in);
    }
    if (cache_load(u->l1i, in) != 0 || cache_load_chance(u->const_l1, in) != 0 ||
        cache_load_chance(u->const_l15, in) != 0)
        return checkpoint_read_failed(in);
    return 0;
}
