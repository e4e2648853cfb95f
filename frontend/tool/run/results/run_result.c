#include "frontend/tool/run/results/run_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/run_data.h"
#include "frontend/tool/run/results/run_report.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* A number of run.json and its destination: in a launch, in the whole run. */
typedef struct {
    char path[64];
    size_t launch, whole; /* offsets; NOWHERE */
    bool real;            /* a double; otherwise a uint64_t */
} member_t;

#define NOWHERE       SIZE_MAX
#define LAUNCH(field) offsetof(run_launch_t, field)
#define WHOLE(field)  offsetof(run_result_t, field)
#define OF_SAMPLING(field)                                                                         \
    {                                                                                              \
        "sampling." #field, LAUNCH(r.sampling.field), NOWHERE, false                               \
    }

static const member_t fixed[] = {
    {"start_cycle", LAUNCH(r.start), NOWHERE, false},
    {"cycles", LAUNCH(r.end), WHOLE(totals.cycles), false}, /* temporarily the duration; becomes the
                                                             * end once the start is known */
    {"launch_latency_cycles", LAUNCH(r.launch_cycles), WHOLE(totals.launch_cycles), false},
    {"blocks", LAUNCH(r.blocks), NOWHERE, false},
    {"warp_instructions", LAUNCH(r.warp_insts), WHOLE(totals.warp_insts), false},
    {"thread_instructions", LAUNCH(r.thread_insts), WHOLE(totals.thread_insts), false},
    {"copied_bytes", LAUNCH(r.copied_bytes), WHOLE(totals.copied_bytes), false},
    {"warp_slot_cycles", NOWHERE, WHOLE(totals.warp_slot_cycles), false},
    {"host_seconds", LAUNCH(host_seconds), NOWHERE, true},
    {"sampling.weight", LAUNCH(weight), NOWHERE, true},
    OF_SAMPLING(cycle),
    OF_SAMPLING(block),
    OF_SAMPLING(simulated_blocks),
    OF_SAMPLING(simulated_cycles),
    {"sampling.simulated_warp_instructions", LAUNCH(r.sampling.simulated_warp_insts), NOWHERE,
     false},
    {"simulated.launches", NOWHERE, WHOLE(totals.launches), false},
    {"simulated.blocks", NOWHERE, WHOLE(totals.run_blocks), false},
    {"simulated.cycles", NOWHERE, WHOLE(totals.run_cycles), false},
    {"simulated.warp_instructions", NOWHERE, WHOLE(totals.run_warp_insts), false},
    {"host.seconds", NOWHERE, WHOLE(host_seconds), true},
    {"host.cpu_seconds", NOWHERE, WHOLE(host_cpu_seconds), true},
};

enum {
    FIXED = sizeof(fixed) / sizeof(fixed[0]),
    COUNTERS = (int)SM_STAT_COUNT + (int)L2_STAT_COUNT + (int)DRAM_STAT_COUNT,
    BLOCKS_PER_SM = FIXED + COUNTERS, /* stored in a smaller integer */
    MEMBERS
};

/* Lists all members; the counters by the names of their groups. */
static void list_members(member_t members[MEMBERS])
{
    static const size_t launch[REPORT_GROUPS] = {LAUNCH(r.sm), LAUNCH(r.l2), LAUNCH(r.dram)},
                        whole[REPORT_GROUPS] = {WHOLE(totals.sm), WHOLE(totals.l2),
                                                WHOLE(totals.dram)};
    stat_group_t groups[REPORT_GROUPS];
    size_t n = FIXED;
    report_groups(groups, NULL, NULL, NULL);
    memcpy(members, fixed, sizeof(fixed));
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        for (size_t i = 0; i < groups[g].n; i++) {
            member_t *m = &members[n++];
            *m = (member_t){.launch = launch[g] + i * sizeof(uint64_t),
                            .whole = whole[g] + i * sizeof(uint64_t)};
            snprintf(m->path, sizeof(m->path), "%s.%s", groups[g].path, groups[g].defs[i].name);
        }
    }
    members[n] = (member_t){"occupancy.blocks_per_sm", NOWHERE, NOWHERE, false};
}

/* Missing numbers leave their destination unchanged. */
static void put(void *to, size_t offset, bool real, double v)
{
    if (offset == NOWHERE || isnan(v))
        return;
    void *place = (char *)to + offset;
    if (real)
        *(double *)place = v;
    else
        *(uint64_t *)place = v > 0 && v < 0x1p63 ? (uint64_t)v : 0;
}

static void take_launch(run_launch_t *l, run_data_launch_t *from, const member_t *members)
{
    launch_sampling_t *s = &l->r.sampling;
    *l = (run_launch_t){.weight = 1.0, .name = from->name};
    from->name = NULL;
    for (size_t i = 0; i < MEMBERS; i++)
        put(l, members[i].launch, members[i].real, from->values[i]);
    double blocks_per_sm = from->values[BLOCKS_PER_SM];
    if (blocks_per_sm > 0 && blocks_per_sm < UINT32_MAX)
        l->r.occupancy.blocks_per_sm = (uint32_t)blocks_per_sm;
    l->r.info.id = from->id;
    l->r.info.name = l->name;
    l->r.end += l->r.start;
    for (size_t i = 0; i < STATE_COUNT; i++)
        l->r.warp_slot_cycles += ((const uint64_t *)&l->r.sm)[i];
    if (from->sampler != NULL)
        snprintf(s->sampler, sizeof(s->sampler), "%s", from->sampler);
    if (from->evidence != NULL)
        snprintf(s->evidence, sizeof(s->evidence), "%s", from->evidence);
    s->estimated = from->estimated;
    if (s->estimated)
        return;
    s->simulated_blocks = l->r.blocks;
    s->simulated_cycles = launch_result_cycles(&l->r);
    s->simulated_warp_insts = l->r.warp_insts;
}

static int by_id(const void *a, const void *b)
{
    const run_launch_t *x = a, *y = b;
    return (x->r.info.id > y->r.info.id) - (x->r.info.id < y->r.info.id);
}

static void take_run(run_result_t *r, run_data_t *from, const member_t *members)
{
    r->estimated = from->estimated;
    r->low = from->cycles_low;
    r->high = from->cycles_high;
    for (size_t i = 0; i < MEMBERS; i++)
        put(r, members[i].whole, members[i].real, from->totals[i]);
    r->n = from->n_launches;
    r->launches = rb_calloc(r->n + 1, sizeof(*r->launches));
    for (size_t i = 0; i < r->n; i++)
        take_launch(&r->launches[i], &from->launches[i], members);
    qsort(r->launches, r->n, sizeof(*r->launches), by_id);
}

rb_code_t run_result_read(run_result_t *r, const char *path, rb_err_t *err)
{
    member_t members[MEMBERS];
    const char *paths[MEMBERS];
    run_data_t data;
    *r = (run_result_t){.low = NAN, .high = NAN};
    list_members(members);
    for (size_t i = 0; i < MEMBERS; i++)
        paths[i] = members[i].path;
    rb_code_t rc = run_data_read(&data, path, paths, MEMBERS, err);
    if (rc == RB_OK && !data.complete)
        rc = rb_fail(err, RB_TRACE, "%s: the run was stopped before its end", data.file);
    if (rc == RB_OK)
        take_run(r, &data, members);
    run_data_free(&data);
    return rc;
}

void run_result_free(run_result_t *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->launches[i].name);
    free(r->launches);
    *r = (run_result_t){0};
}

const run_launch_t *run_result_find(const run_result_t *r, uint64_t id)
{
    size_t i;
    FIND_FIRST(i, 0, r->n, r->launches[i].r.info.id >= id);
    return i < r->n && r->launches[i].r.info.id == id ? &r->launches[i] : NULL;
}
