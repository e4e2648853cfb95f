/*
 * Checkpoint of a chip at rest: everything that outlives a launch, part by part.
 */
#include <errno.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

static const char checkpoint_magic[8] = "rbchip04";

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
    uint64_t n_code_ids = g->n_code_ids;
    int rc = put(out, checkpoint_magic, sizeof(checkpoint_magic));
    rc |= put(out, &g->next_start, sizeof(g->next_start));
    rc |= put(out, &g->epoch, sizeof(g->epoch));
    rc |= put(out, &n_code_ids, sizeof(n_code_ids));
    rc |= put(out, g->code_id, g->n_code_ids * sizeof(*g->code_id));
    rc |= block_scheduler_save(&g->scheduler, out);
    for (uint32_t i = 0; i < g->n_sms; i++)
        rc |= sm_save(g->sm[i], out);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        rc |= partition_save(g->partition[i], out);
    rc |= mmu_save(g->mmu, out);
    if (rc != 0)
        return rb_fail(err, RB_IO, "cannot write the checkpoint: %s", strerror(errno));
    return RB_OK;
}

rb_code_t gpu_load(gpu_t *g, FILE *in, rb_err_t *err)
{
    enum { CODE_IDS_MAX = 1 << 24 };
    char magic[sizeof(checkpoint_magic)];
    uint64_t n_code_ids = 0;
    cycle_t next_start = 0;
    int rc = get(in, magic, sizeof(magic));
    if (rc != 0 || memcmp(magic, checkpoint_magic, sizeof(magic)) != 0)
        return rb_fail(err, RB_TRACE, "the checkpoint is not one of this version of rubato");
    rc = get(in, &next_start, sizeof(next_start));
    rc |= get(in, &g->epoch, sizeof(g->epoch));
    rc |= get(in, &n_code_ids, sizeof(n_code_ids));
    if (rc != 0 || n_code_ids > CODE_IDS_MAX)
        return rb_fail(err, RB_TRACE, "the checkpoint is damaged");
    rb_grow(&g->code_id, &g->cap_code_ids, (size_t)n_code_ids, sizeof(*g->code_id));
    g->n_code_ids = (size_t)n_code_ids;
    rc |= get(in, g->code_id, g->n_code_ids * sizeof(*g->code_id));
    rc |= block_scheduler_load(&g->scheduler, in);
    for (uint32_t i = 0; i < g->n_sms; i++)
        rc |= sm_load(g->sm[i], in);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        rc |= partition_load(g->partition[i], in);
    rc |= mmu_load(g->mmu, in);
    if (rc != 0)
        return rb_fail(err, RB_TRACE, "the checkpoint is damaged or incomplete");
    g->next_start = next_start;
    engine_set_now(g->engine, next_start);
    return RB_OK;
}
