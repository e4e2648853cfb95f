#include "sim/gpu/warming/trail.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

/* Threads of a warp; low bits of `when`; this many items are searched for what later ones cover. */
enum { WARP_THREADS = 32, ORDER_BITS = 32, TRAIL_MANY = 1 << 17 };

void trail_init(trail_t *t, const gpu_t *g)
{
    const sm_config_t *sm = &g->spec.sm;
    *t = (trail_t){.n_sms = g->n_sms,
                   .n_sub_cores = sm->sm.sub_cores,
                   .ahead = sm->icache.prefetch + 1, /* a warp may be one line ahead */
                   .page = sm->tlb.page};
}

void trail_free(trail_t *t)
{
    free(t->item);
}

static trail_item_t *new_item(trail_t *t)
{
    rb_grow(&t->item, &t->cap, t->n + 1, sizeof(*t->item));
    return &t->item[t->n++];
}

/* By kind and address; the latest use first. */
static int by_address(const void *x, const void *y)
{
    const trail_item_t *a = x, *b = y;
    if (a->code != b->code)
        return a->code ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->when != b->when ? (a->when > b->when ? -1 : 1) : 0;
}

/* Removes uses that later ones cover. */
static void drop_covered(trail_t *t)
{
    uint32_t sms = 0, sub_cores = 0;
    size_t n = 0;
    qsort(t->item, t->n, sizeof(*t->item), by_address);
    for (size_t i = 0; i < t->n; i++) {
        const trail_item_t item = t->item[i];
        if (n == 0 || item.code != t->item[n - 1].code || item.address != t->item[n - 1].address)
            sms = sub_cores = 0;
        else if (item.sms <= sms && item.sub_cores <= sub_cores)
            continue;
        sms = item.sms > sms ? item.sms : sms;
        sub_cores = item.sub_cores > sub_cores ? item.sub_cores : sub_cores;
        t->item[n++] = item;
    }
    t->n = n;
}

/* The SMs and sub-cores that a launch uses. */
static uint32_t sms_of(const trail_t *t, const launch_info_t *info)
{
    return info->n_blocks < t->n_sms ? (uint32_t)info->n_blocks : t->n_sms;
}

static uint8_t sub_cores_of(const trail_t *t, const launch_info_t *info)
{
    const uint64_t threads = (uint64_t)info->block[0] * info->block[1] * info->block[2];
    const uint64_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    const uint64_t per_sm = (info->n_blocks + t->n_sms - 1) / t->n_sms;
    return (uint8_t)(warps * per_sm < t->n_sub_cores ? warps * per_sm : t->n_sub_cores);
}

void trail_begin(trail_t *t, uint64_t position, const launch_info_t *info)
{
    if (t->n > TRAIL_MANY)
        drop_covered(t);
    t->begun = t->n;
    t->when = position << ORDER_BITS;
    t->sms = sms_of(t, info);
    t->sub_cores = sub_cores_of(t, info);
    memset(t->seen_code, 0xff, sizeof(t->seen_code)); /* nothing */
    memset(t->seen_page, 0xff, sizeof(t->seen_page));
}

void trail_add(trail_t *t, uint64_t address, bool code)
{
    *new_item(t) = (trail_item_t){.address = address,
                                  .when = ++t->when,
                                  .sms = t->sms,
                                  .code = code,
                                  .sub_cores = code ? t->sub_cores : 0};
}

static int by_use(const void *x, const void *y)
{
    const trail_item_t *a = x, *b = y;
    return a->when != b->when ? (a->when < b->when ? -1 : 1) : by_address(x, y);
}

/* Stream buffers fetch the lines that follow a line, whether they are executed or not. */
static void add_ahead(trail_t *t, size_t i, size_t end)
{
    const trail_item_t last = t->item[i];
    uint64_t limit = last.address + (uint64_t)t->ahead * LINE_BYTES;
    if (i + 1 < end && t->item[i + 1].code && t->item[i + 1].address <= limit)
        limit = t->item[i + 1].address - LINE_BYTES;
    for (uint64_t line = last.address + LINE_BYTES; line <= limit; line += LINE_BYTES) {
        trail_item_t *item = new_item(t);
        *item = last;
        item->address = line;
        item->sub_cores = 0;
    }
}

void trail_end(trail_t *t)
{
    const size_t end = t->n;
    if (end == t->begun)
        return;
    qsort(t->item + t->begun, end - t->begun, sizeof(*t->item), by_address);
    for (size_t i = t->begun; i < end && t->item[i].code; i++) {
        if (i + 1 == end || t->item[i + 1].address != t->item[i].address)
            add_ahead(t, i, end);
    }
}

void trail_drop(trail_t *t)
{
    t->n = t->begun;
}

void trail_adapt(const trail_t *t, const launch_info_t *info, trail_item_t *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        items[i].sms = sms_of(t, info);
        if (items[i].sub_cores > 0)
            items[i].sub_cores = sub_cores_of(t, info);
    }
}

size_t trail_copy(const trail_t *t, trail_item_t **items)
{
    const size_t n = t->n - t->begun;
    *items = rb_calloc(n, sizeof(**items));
    for (size_t i = 0; i < n; i++) {
        (*items)[i] = t->item[t->begun + i];
        (*items)[i].when &= (UINT64_C(1) << ORDER_BITS) - 1;
    }
    return n;
}

void trail_repeat(trail_t *t, uint64_t position, const trail_item_t *items, size_t n)
{
    if (t->n > TRAIL_MANY)
        drop_covered(t);
    for (size_t i = 0; i < n; i++) {
        trail_item_t *item = new_item(t);
        *item = items[i];
        item->when |= position << ORDER_BITS;
    }
}

static void apply_item(const trail_item_t *item, gpu_t *g)
{
    const uint32_t slice = addr_map_slice(&g->map, item->address);
    partition_t *home = g->partition[slice / g->map.slices_per_partition];
    for (uint32_t i = 0; i < item->sms; i++) {
        const uint32_t sm = g->scheduler.placement.order[i];
        if (!item->code) {
            sm_learn_page(g->sm[sm], item->address);
            continue;
        }
        sm_learn_code(g->sm[sm], item->address, item->sub_cores);
        partition_learn_code(home, slice, item->address, sm);
    }
    if (!item->code)
        mmu_learn(g->mmu, item->address & ~(g->spec.sm.tlb.l2_page - 1));
}

void trail_apply(trail_t *t, gpu_t *g)
{
    if (t->n == 0)
        return;
    drop_covered(t);
    qsort(t->item, t->n, sizeof(*t->item), by_use);
    for (size_t i = 0; i < t->n; i++)
        apply_item(&t->item[i], g);
    t->n = 0;
}
