/*
 * Assembly: shards, their connections, counters.
 */
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/warming/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static void create_sms(gpu_t *g, const uint16_t *slice_shard, const uint8_t *slice_port,
                       const distance_t *distance)
{
    const gpu_spec_t *s = &g->spec;
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_wiring_t wiring = {
            .index = i,
            .n_slices = s->mem.l2.slices,
            .map = &g->map,
            .slice_shard = slice_shard,
            .slice_port = slice_port,
            .distance = distance,
            .departures = g->crossing != NULL ? crossing_log(g->crossing, i) : NULL,
            .scheduler_shard = g->scheduler_shard,
            .mmu_shard = g->mmu_shard,
            .mmu_latency = s->mem.mmu.latency,
            .request_latency = s->mem.icnt.request_latency,
            .completion_latency = s->sched.completion_latency,
            .port_flits = s->mem.icnt.sm_flits,
            .data_interval = s->mem.icnt.data_interval,
            .stores_first = s->mem.icnt.stores_first,
            .flit_bytes = s->mem.icnt.flit_bytes,
            .buffer = s->mem.icnt.buffer,
            .credit_batch = s->mem.icnt.credit_batch,
            .perfect_icnt = s->mem.icnt.perfect,
            .clock_mhz = s->gpu.clock_mhz,
        };
        g->sm[i] = sm_create(&s->sm, &wiring);
        uint16_t shard = engine_add_shard(g->engine, &sm_shard_ops, g->sm[i]);
        RB_INVARIANT(shard == g->sm_shard[i], "shard numbers do not match");
    }
}

static void create_partitions(gpu_t *g, const distance_t *distance)
{
    for (uint32_t i = 0; i < g->n_partitions; i++) {
        g->partition[i] = partition_create(&g->spec.mem, &g->map, i, g->n_sms);
        partition_connect(g->partition[i], g->sm_shard, distance);
        uint16_t shard = engine_add_shard(g->engine, &partition_shard_ops, g->partition[i]);
        RB_INVARIANT(shard == g->partition_shard[i], "shard numbers do not match");
    }
}

static uint32_t sent_hook(void *gpu, cycle_t from, unsigned half)
{
    const gpu_t *g = gpu;
    return crossing_sent(g->crossing, g->engine, from, half);
}

static void transit_hook(void *gpu, uint32_t part)
{
    const gpu_t *g = gpu;
    crossing_transit(g->crossing, part);
}

/* ran: see engine_hooks_t; NULL: none. */
static void set_hooks(gpu_t *g, void (*ran)(void *ctx, engine_step_t step, uint32_t number))
{
    const engine_hooks_t hooks = {
        .ctx = g,
        .boundary = gpu_boundary_hook,
        .sent = g->crossing != NULL ? sent_hook : NULL,
        .transit = transit_hook,
        .idle_task = gpu_idle_hook,
        .ran = ran,
    };
    engine_set_hooks(g->engine, &hooks);
}

gpu_t *gpu_create(const gpu_spec_t *spec, int threads, cycle_t window)
{
    gpu_t *g = rb_calloc(1, sizeof(*g));
    g->spec = *spec;
    g->spec.mem.core_mhz = spec->gpu.clock_mhz;
    cycle_t exact = gpu_spec_window(spec);
    g->window = window == 0 || window > exact ? exact : window;
    g->threads = g->window_threads = threads;
    g->engine = engine_create(threads, g->window);
    g->n_sms = spec->sm.sm.count;
    g->n_partitions = spec->mem.mem.partitions;
    uint32_t slices = spec->mem.l2.slices, per_partition = slices / g->n_partitions;
    addr_map_init(&g->map, g->n_partitions, slices, spec->mem.mem.interleave, spec->mem.mem.hash);
    g->sm = rb_calloc(g->n_sms, sizeof(sm_t *));
    g->partition = rb_calloc(g->n_partitions, sizeof(partition_t *));
    g->sm_shard = rb_calloc(g->n_sms, sizeof(*g->sm_shard));
    g->partition_shard = rb_calloc(g->n_partitions, sizeof(*g->partition_shard));

    /* Shards are numbered in the order in which they are added below. */
    uint16_t shard = 0;
    for (uint32_t i = 0; i < g->n_sms; i++)
        g->sm_shard[i] = shard++;
    for (uint32_t i = 0; i < g->n_partitions; i++)
        g->partition_shard[i] = shard++;
    g->scheduler_shard = shard++;
    g->mmu_shard = shard;

    uint16_t *slice_shard = rb_calloc(slices, sizeof(*slice_shard));
    uint8_t *slice_port = rb_calloc(slices, sizeof(*slice_port));
    for (uint32_t s = 0; s < slices; s++) {
        slice_shard[s] = g->partition_shard[s / per_partition];
        slice_port[s] = (uint8_t)(s % per_partition);
    }
    distance_t distance;
    gpu_spec_distance(spec, &distance);
    g->crossing = crossing_create(&g->spec.mem, engine_longest_window(g->engine), g->n_sms);
    create_sms(g, slice_shard, slice_port, &distance);
    create_partitions(g, &distance);
    free(slice_shard);
    free(slice_port);
    block_scheduler_init(&g->scheduler, &g->spec, g->sm_shard);
    engine_add_shard(g->engine, &block_scheduler_ops, &g->scheduler);
    g->mmu = mmu_create(&g->spec.mem.mmu, (uint32_t)spec->sm.tlb.l2_page, g->sm_shard);
    engine_add_shard(g->engine, &mmu_shard_ops, g->mmu);
    feed_init(&g->feed);
    g->demand = block_scheduler_demand(&g->spec, engine_longest_window(g->engine));
    set_hooks(g, NULL);
    return g;
}

static void watch_hook(void *gpu, engine_step_t step, uint32_t number)
{
    const gpu_t *g = gpu;
    g->watch(g->watch_ctx, step, number);
}

void gpu_watch(gpu_t *g, int threads, gpu_watch_fn_t ran, void *ctx)
{
    RB_INVARIANT(g->threads == 1, "a chip of %d threads is watched", g->threads);
    g->window_threads = threads;
    g->watch = ran;
    g->watch_ctx = ctx;
    set_hooks(g, watch_hook);
}

void gpu_destroy(gpu_t *g)
{
    if (g == NULL)
        return;
    engine_destroy(g->engine);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_destroy(g->sm[i]);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        partition_destroy(g->partition[i]);
    mmu_destroy(g->mmu);
    crossing_destroy(g->crossing);
    footprints_destroy(g->footprints);
    for (unsigned i = 0; i < GPU_SPARE_L2; i++)
        gpu_free_l2(g, g->spare_l2[i]);
    block_scheduler_free(&g->scheduler);
    feed_destroy(&g->feed);
    inst_collector_destroy(g->insts);
    free(g->sm);
    free(g->partition);
    free(g->sm_shard);
    free(g->partition_shard);
    free(g->code);
    free(g->graph_image);
    free(g);
}
