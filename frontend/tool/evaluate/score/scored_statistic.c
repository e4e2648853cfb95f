#include "frontend/tool/evaluate/score/scored_statistic.h"

#include <stdio.h>
#include <string.h>

#include "frontend/tool/evaluate/score/sampled_score.h"

bool statistic_find(statistic_t *s, const char *name)
{
    static const char *const groups[] = {"", "totals.", "metrics."};
    char path[2 * STATISTIC_NAME];
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        int n = snprintf(path, sizeof(path), "%s%s", groups[i], name);
        size_t index = n < (int)sizeof(path) ? stat_find(path) : stat_count();
        if (index == stat_count())
            continue;
        const stat_entry_t e = stat_entry(index);
        const bool alone = strcmp(e.group, "totals") == 0 || strcmp(e.group, "metrics") == 0;
        *s = (statistic_t){.index = index, .share = e.real && strcmp(e.unit, "1") == 0};
        snprintf(s->name, sizeof(s->name), "%s%s%s", alone ? "" : e.group, alone ? "" : ".",
                 e.name);
        return true;
    }
    return false;
}

double statistic_value(const statistic_t *s, const gpu_spec_t *spec, const run_totals_t *totals,
                       bool estimated)
{
    const stat_view_t view = {
        .spec = spec, .totals = totals, .simulated = totals, .estimated = estimated};
    return stat_value_f64(&view, s->index);
}

/* The largest stall that is not taken yet. */
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

static void must_find(statistic_t *s, const char *name)
{
    RB_INVARIANT(statistic_find(s, name), "%s is no statistic", name);
}

void statistics_read(statistic_t list[STATISTICS_READ], const run_totals_t *totals)
{
    static const char *const names[] = {"cycles",      "ipc",        "global_load_hit_rate",
                                        "l2_hit_rate", "dram_bytes", "achieved_occupancy"};
    enum { NAMED = sizeof(names) / sizeof(names[0]) };
    bool taken[STATE_COUNT] = {false};
    for (size_t i = 0; i < NAMED; i++)
        must_find(&list[i], names[i]);
    for (size_t i = NAMED; i < STATISTICS_READ; i++) {
        char name[STATISTIC_NAME];
        snprintf(name, sizeof(name), "state_%s_share",
                 score_state_name(next_stall((const uint64_t *)&totals->sm, taken)));
        must_find(&list[i], name);
    }
}

run_totals_t statistic_launch(const launch_result_t *r)
{
    run_totals_t t = {0};
    totals_add(&t, r);
    return t;
}
