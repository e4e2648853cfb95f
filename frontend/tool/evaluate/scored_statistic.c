#include "frontend/tool/evaluate/scored_statistic.h"

#include <math.h>
#include <string.h>

#include "frontend/tool/evaluate/sampled_score.h"
#include "sim/core/msg.h"

/* Indices from stat_count() on: the DRAM's bytes, then the warp states. */
static const char dram_bytes[] = "dram_bytes", stall[] = "stall_";

static void set_name(statistic_t *s, const char *prefix, const char *name)
{
    snprintf(s->name, sizeof(s->name), "%.8s%.55s", prefix, name);
}

static void make_state(statistic_t *s, size_t state)
{
    *s = (statistic_t){.index = stat_count() + 1 + state, .share = true};
    set_name(s, stall, score_state_name(state));
}

static bool find_derived(statistic_t *s, const char *name)
{
    if (strcmp(name, dram_bytes) == 0) {
        *s = (statistic_t){.index = stat_count()};
        set_name(s, "", name);
        return true;
    }
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++) {
        make_state(s, i);
        if (strcmp(s->name, name) == 0)
            return true;
    }
    return false;
}

bool statistic_find(statistic_t *s, const char *name)
{
    static const char *const groups[] = {"", "totals.", "metrics."};
    char path[2 * STATISTIC_NAME];
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        int n = snprintf(path, sizeof(path), "%s%s", groups[i], name);
        size_t index = n < (int)sizeof(path) ? stat_find(path) : stat_count();
        if (index == stat_count())
            continue;
        *s = (statistic_t){.index = index};
        const stat_entry_t e = stat_entry(index);
        s->share = e.real && strcmp(e.unit, "1") == 0;
        /* Totals and ratios go by their names alone, whether the group is said or not. */
        if (strcmp(e.group, "totals") == 0 || strcmp(e.group, "metrics") == 0)
            set_name(s, "", e.name);
        else
            set_name(s, "", path);
        return true;
    }
    return find_derived(s, name);
}

double statistic_value(const statistic_t *s, const gpu_spec_t *spec, const run_totals_t *totals,
                       bool estimated)
{
    const stat_view_t view = {
        .spec = spec, .totals = totals, .simulated = totals, .estimated = estimated};
    const size_t known = stat_count();
    if (s->index < known)
        return stat_value_f64(&view, s->index);
    if (s->index == known)
        return SECTOR_BYTES * (double)(totals->dram.read_sectors + totals->dram.write_sectors);
    const uint64_t resident = metric_resident(&totals->sm);
    const uint64_t *states = (const uint64_t *)&totals->sm;
    return resident > 0 ? (double)states[s->index - known - 1] / (double)resident : (double)NAN;
}

/* The largest stall that is smaller than the one before, in the order of states. */
static size_t next_stall(const uint64_t *states, bool *taken)
{
    size_t largest = 0;
    for (size_t i = STATE_SELECTED + 1; i < STATE_COUNT; i++) {
        if (!taken[i] && (largest == 0 || states[i] > states[largest]))
            largest = i;
    }
    taken[largest] = true;
    return largest;
}

void statistics_read(statistic_t list[STATISTICS_READ], const run_totals_t *totals)
{
    static const char *const names[] = {"cycles",      "ipc",      "global_load_hit_rate",
                                        "l2_hit_rate", dram_bytes, "achieved_occupancy"};
    enum { NAMED = sizeof(names) / sizeof(names[0]) };
    bool taken[STATE_COUNT] = {false};
    for (size_t i = 0; i < NAMED; i++) {
        if (!statistic_find(&list[i], names[i]))
            rb_panic("%s is no statistic", names[i]);
    }
    for (size_t i = NAMED; i < STATISTICS_READ; i++)
        make_state(&list[i], next_stall((const uint64_t *)&totals->sm, taken));
}

run_totals_t statistic_launch(const launch_result_t *r)
{
    run_totals_t t = {0};
    totals_add(&t, r);
    return t;
}
