/* Checkpoint of a chip at rest: all state that survives a launch, part by part. */
#include <errno.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/streams/overlap_loop.h"

static const char checkpoint_magic[8] = "rbchip07";

static int put(FILE *out, const void *data, size_t bytes)
{
    return bytes == 0 || fwrite(data, bytes, 1, out) == 1 ? 0 : -1;
}

static int get(FILE *in, void *data, size_t bytes)
{
    return bytes == 0 || fread(data, bytes, 1, in) == 1 ? 0 : -1;
}

rb_code_t gpu_save(const gpu_t *g, FILE *out, rb_err_t *err)
{
    const uint64_t n_codes = g->n_codes;
    const uint8_t left_out = g->left_out, in_graph = g->run.loop != NULL;
    int rc = put(out, checkpoint_magic, sizeof(checkpoint_magic));
    rc |= put(out, &g->next_start, sizeof(g->next_start));
    rc |= put(out, &g->epoch, sizeof(g->epoch));
    rc |= put(out, &n_codes, sizeof(n_codes));
    rc |= put(out, g->code, g->n_codes * sizeof(*g->code));
    rc |= put(out, &g->n_noted, sizeof(g->n_noted));
    rc |= put(out, &g->reached, sizeof(g->reached));
    rc |= put(out, &left_out, sizeof(left_out));
    rc |= block_scheduler_save(&g->scheduler, out);
    for (uint32_t i = 0; i < g->n_sms; i++)
        rc |= sm_save(g->sm[i], out);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        rc |= partition_save(g->partition[i], out);
    rc |= mmu_save(g->mmu, out);
    rc |= put(out, &in_graph, sizeof(in_graph));
    if (in_graph)
        rc |= overlap_loop_save(g->run.loop, out);
    if (rc != 0)
        return rb_fail(err, RB_IO, "cannot write the checkpoint: %s", strerror(errno));
    return RB_OK;
}

/* Limits for a chip at rest, larger than any configuration needs: from the end of a launch to the
 * next one, and until the last part is free. */
enum { REST_CYCLES_MAX = 1 << 24, BUSY_CYCLES_MAX = 1 << 20, CODES_MAX = 1 << 24 };

/* Loads the time and the list of known code. */
static bool load_head(gpu_t *g, cycle_t *next_start, FILE *in, cycle_t end)
{
    uint64_t n_codes = 0;
    int rc = get(in, next_start, sizeof(*next_start));
    rc |= get(in, &g->epoch, sizeof(g->epoch));
    rc |= get(in, &n_codes, sizeof(n_codes));
    if (rc != 0 || *next_start < end || *next_start - end > REST_CYCLES_MAX || n_codes > CODES_MAX)
        return false;
    rb_grow(&g->code, &g->cap_codes, (size_t)n_codes, sizeof(*g->code));
    g->n_codes = (size_t)n_codes;
    return get(in, g->code, g->n_codes * sizeof(*g->code)) == 0;
}

/* Loads how far in the program the caches are (before_launch.c). */
static bool load_place(gpu_t *g, FILE *in)
{
    uint8_t left_out = 0;
    int rc = get(in, &g->n_noted, sizeof(g->n_noted));
    rc |= get(in, &g->reached, sizeof(g->reached));
    rc |= get(in, &left_out, sizeof(left_out));
    g->left_out = left_out != 0;
    return rc == 0 && left_out <= 1;
}

/* Checks that no credit of the crossbar is lost: a port without its credits would wait forever. */
static bool credits_hold(const gpu_t *g)
{
    const uint32_t slices = g->map.slices_per_partition;
    for (uint32_t i = 0; i < g->n_sms; i++) {
        const xbar_out_t *out = sm_sends(g->sm[i]);
        const xbar_in_t *in = sm_receives(g->sm[i]);
        for (uint32_t s = 0; s < g->n_partitions * slices; s++) {
            const partition_t *p = g->partition[s / slices];
            if (!xbar_credits_hold(out, s, partition_receives(p, s % slices), i) ||
                !xbar_credits_hold(partition_sends(p, s % slices), i, in, s))
                return false;
        }
    }
    return true;
}

/* Keeps the rest of the image, which is the progress of a graph, until the graph is known. */
static int load_graph(gpu_t *g, FILE *in)
{
    uint8_t in_graph = 0;
    size_t cap = 0;
    if (get(in, &in_graph, sizeof(in_graph)) != 0 || in_graph > 1)
        return -1;
    for (int c; (c = fgetc(in)) != EOF; g->graph_image[g->n_graph_image++] = (char)c)
        rb_grow(&g->graph_image, &cap, g->n_graph_image + 1, 1);
    return (in_graph == 1) == (g->n_graph_image > 0) ? 0 : -1;
}

static bool load_parts(gpu_t *g, FILE *in, cycle_t latest)
{
    int rc = block_scheduler_load(&g->scheduler, in, latest);
    for (uint32_t i = 0; rc == 0 && i < g->n_sms; i++)
        rc = sm_load(g->sm[i], in, latest);
    for (uint32_t i = 0; rc == 0 && i < g->n_partitions; i++)
        rc = partition_load(g->partition[i], in, latest);
    return rc == 0 && mmu_load(g->mmu, in) == 0 && load_graph(g, in) == 0 && credits_hold(g);
}

rb_code_t gpu_load(gpu_t *g, FILE *in, cycle_t end, rb_err_t *err)
{
    char magic[sizeof(checkpoint_magic)];
    cycle_t next_start;
    if (get(in, magic, sizeof(magic)) != 0 || memcmp(magic, checkpoint_magic, sizeof(magic)) != 0)
        return rb_fail(err, RB_TRACE, "it was made by another version of rubato");
    if (!load_head(g, &next_start, in, end))
        return rb_fail(err, RB_TRACE, "its time does not fit a launch that ended at %llu",
                       (unsigned long long)end);
    if (!load_place(g, in) || !load_parts(g, in, next_start + BUSY_CYCLES_MAX))
        return rb_fail(err, RB_TRACE, "it is incomplete or contains an impossible state");
    g->next_start = next_start;
    engine_set_now(g->engine, next_start);
    return RB_OK;
}
