#include "frontend/tool/library/stat_values.h"

#include <stdio.h>
#include <string.h>

/* X(group, name, value, unit, help): expressions of v, a const stat_view_t *. */
#define HEAD_STATS(X)                                                                              \
    X("totals", "cycles", v->totals->cycles, "cycles", "core cycles, launch latency included")     \
    X("totals", "estimated", v->estimated, "truth", "1: samplers left out part of the whole")      \
    X("totals", "launch_latency_cycles", v->totals->launch_cycles, "cycles",                       \
      "launch latency of all launches")                                                            \
    X("totals", "seconds", 0, "s", "the cycles at the core clock")                                 \
    X("totals", "warp_instructions", v->totals->warp_insts, "warp instructions", "issued")         \
    X("totals", "thread_instructions", v->totals->thread_insts, "thread instructions",             \
      "active lanes of the issued instructions")                                                   \
    X("totals", "warp_slot_cycles", v->totals->warp_slot_cycles, "warp cycles",                    \
      "SMs x warp slots x cycles: the sum of all warp states")                                     \
    X("totals", "copied_bytes", v->totals->copied_bytes, "bytes", "host copies before launches")   \
    X("totals", "dram_bytes",                                                                      \
      SECTOR_BYTES *(v->totals->dram.read_sectors + v->totals->dram.write_sectors), "bytes",       \
      "bytes that DRAM reads and writes")                                                          \
    X("simulated", "launches", v->simulated->launches, "launches", "simulated at least in part")   \
    X("simulated", "blocks", v->simulated->run_blocks, "blocks", "thread blocks simulated")        \
    X("simulated", "cycles", v->simulated->run_cycles, "cycles", "simulated")                      \
    X("simulated", "warp_instructions", v->simulated->run_warp_insts, "warp instructions",         \
      "simulated")

#define HEAD_ROW_(group, name, value, unit, help) {group, name, unit, "", help, false},
static const stat_entry_t head[] = {HEAD_STATS(HEAD_ROW_)};
enum { N_HEAD = sizeof(head) / sizeof(head[0]) };

static bool is_time(const stat_entry_t *e)
{
    return strcmp(e->unit, "s") == 0;
}

void report_groups(stat_group_t groups[REPORT_GROUPS], const sm_stats_t *sm, const l2_stats_t *l2,
                   const dram_stats_t *dram)
{
    groups[0] = (stat_group_t){"sm", sm_stat_defs, SM_STAT_COUNT, (const uint64_t *)sm};
    groups[1] = (stat_group_t){"l2", l2_stat_defs, L2_STAT_COUNT, (const uint64_t *)l2};
    groups[2] = (stat_group_t){"dram", dram_stat_defs, DRAM_STAT_COUNT, (const uint64_t *)dram};
}

/* The group of counter number i; *i becomes its number in the group. False: it is a metric. */
static bool find_group(const stat_view_t *v, size_t *i, stat_group_t *group)
{
    stat_group_t groups[REPORT_GROUPS];
    if (v != NULL)
        report_groups(groups, &v->totals->sm, &v->totals->l2, &v->totals->dram);
    else
        report_groups(groups, NULL, NULL, NULL);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        *group = groups[g];
        if (*i < group->n)
            return true;
        *i -= group->n;
    }
    return false;
}

size_t stat_count(void)
{
    return N_HEAD + SM_STAT_COUNT + L2_STAT_COUNT + DRAM_STAT_COUNT + METRIC_COUNT;
}

stat_entry_t stat_entry(size_t i)
{
    stat_group_t group;
    if (i < N_HEAD) {
        stat_entry_t e = head[i];
        e.real = is_time(&e);
        return e;
    }
    i -= N_HEAD;
    if (find_group(NULL, &i, &group)) {
        const stat_def_t *d = &group.defs[i];
        return (stat_entry_t){group.path, d->name, d->unit, d->metric, d->help, false};
    }
    const metric_def_t *m = &metric_defs[i];
    return (stat_entry_t){"metrics", m->name, m->unit, m->metric, m->help, true};
}

size_t stat_find(const char *path)
{
    const char *dot = strchr(path, '.');
    size_t i = 0, n = dot != NULL ? (size_t)(dot - path) : 0;
    for (; i < stat_count(); i++) {
        stat_entry_t e = stat_entry(i);
        if (n > 0 && strncmp(e.group, path, n) == 0 && e.group[n] == '\0' &&
            strcmp(e.name, dot + 1) == 0)
            break;
    }
    return i;
}

uint64_t stat_value_u64(const stat_view_t *v, size_t i)
{
#define HEAD_VALUE_(group, name, value, unit, help) value,
    const uint64_t values[] = {HEAD_STATS(HEAD_VALUE_)};
    stat_group_t group;
    if (i < N_HEAD)
        return values[i];
    i -= N_HEAD;
    return find_group(v, &i, &group) ? group.values[i] : 0;
}

double stat_value_f64(const stat_view_t *v, size_t i)
{
    const run_totals_t *t = v->totals;
    const stat_entry_t e = stat_entry(i);
    if (!e.real)
        return (double)stat_value_u64(v, i);
    if (is_time(&e) && i < N_HEAD)
        return (double)t->cycles / (v->spec->gpu.clock_mhz * 1e6);
    metric_input_t m = metric_input(v->spec, t->cycles, t->launch_cycles, &t->sm, &t->l2, &t->dram);
    m.estimated = v->estimated;
    return metric_value((metric_id_t)(i - (stat_count() - METRIC_COUNT)), &m);
}
