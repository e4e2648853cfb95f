#include "frontend/tool/silicon/hardware_formula.h"

#include <stdio.h>
#include <string.h>

#include "frontend/tool/library/stat_values.h"
#include "sim/core/err.h"

/* What is read of runs. */
#define SM_PATH_(name, unit, metric, help)               "sm." #name,
#define L2_PATH_(name, unit, metric, help)               "l2." #name,
#define DRAM_PATH_(name, unit, metric, help)             "dram." #name,
#define METRIC_PATH_(name, unit, metric, help, num, den) "metrics." #name,
#define LATENCY_                                         "launch_latency_cycles"
const char *const hardware_paths[] = {
    SM_STATS(SM_PATH_) L2_STATS(L2_PATH_) DRAM_STATS(DRAM_PATH_) METRIC_LIST(METRIC_PATH_) "cycles",
    LATENCY_,
    "sampling.weight",
};
/*
 * Columns without a single corresponding statistic. Profilers count cycles from a trigger before
 * the first block's dispatch to one after the last block's end (sm__cycles_elapsed.max -
 * sm__cycles_active.max, NVIDIA's developer forum, t/286506). A rule that subtracts the launch
 * latency therefore gives two formulas, with and without it.
 */
typedef struct {
    const char *measured; /* a final '*' matches any rest of the column's name */
    const char *plus[HARDWARE_PLUS], *minus[HARDWARE_MINUS], *over;
    double factor; /* 0 means 1 */
    bool seconds;  /* cycles are divided by the core clock */
} rule_t;

static const rule_t rules[] = {
    {"gpc__cycles_elapsed.max", {"cycles"}, {LATENCY_}, NULL, 0, false},
    {"gpc__cycles_elapsed.avg", {"cycles"}, {LATENCY_}, NULL, 0, false},
    {"sm__cycles_elapsed.max", {"cycles"}, {LATENCY_}, NULL, 0, false},
    {"sm__cycles_elapsed.avg", {"cycles"}, {LATENCY_}, NULL, 0, false},
    {"gpu__time_duration.sum", {"cycles"}, {LATENCY_}, NULL, 0, true},
    {"dram__bytes_read.sum", {"dram.read_sectors"}, {0}, NULL, 32, false},
    {"dram__bytes_write.sum", {"dram.write_sectors"}, {0}, NULL, 32, false},
    {"dram__bytes.sum", {"dram.read_sectors", "dram.write_sectors"}, {0}, NULL, 32, false},
    {"dram__sectors.sum", {"dram.read_sectors", "dram.write_sectors"}, {0}, NULL, 0, false},
    {"lts__t_sectors.sum",
     {"l2.read_sectors", "l2.write_sectors", "l2.atomic_sectors", "l2.red_sectors"},
     {0},
     NULL,
     0,
     false},
    /* As L2_RH and L2_RM below, which are made of such counters, but with code. */
    {"lts__t_sectors_op_read_lookup_hit.sum",
     {"l2.read_sectors", "l2.unasked_fills"},
     {"l2.fills"},
     NULL,
     0,
     false},
    {"lts__t_sectors_op_read_lookup_miss.sum", {"l2.fills"}, {0}, NULL, 0, false},
    {"smsp__inst_issued.sum", {"sm.warp_insts"}, {0}, NULL, 0, false},
    {"sm__inst_executed.sum", {"sm.warp_insts"}, {0}, NULL, 0, false},
    /* Names of AccelWattch's tables (its gen_hw_perf_csv.py), which are in sectors. */
    {"Elapsed_Cycles", {"cycles"}, {LATENCY_}, NULL, 0, false},
    /* A merged miss counts as a hit. */
    {"L1_RH", {"sm.global_load_hits", "sm.global_load_pending"}, {0}, NULL, 0, false},
    {"L1_RM",
     {"sm.global_load_sectors"},
     {"sm.global_load_hits", "sm.global_load_pending"},
     NULL,
     0,
     false},
    {"DRAM_Rd", {"dram.read_sectors"}, {0}, NULL, 0, false},
    {"DRAM_Wr", {"dram.write_sectors"}, {0}, NULL, 0, false},
    /* Lines in flight count as hits, code is not counted, and writes never miss. A sector that is
     * fetched unasked counts when it is fetched, and as a hit when it is asked for. */
    {"L2_RH",
     {"l2.read_sectors", "l2.unasked_fills"},
     {"l2.fills", "l2.inst_sectors"},
     NULL,
     0,
     false},
    {"L2_RM", {"l2.fills"}, {0}, NULL, 0, false},
    {"L2_WH", {"l2.write_sectors"}, {0}, NULL, 0, false},
    /* Counts instructions, not conflicts. */
    {"SHRD_ACC", {"sm.shared_load_requests", "sm.shared_store_requests"}, {0}, NULL, 0, false},
    {"hw_cycles*", {"cycles"}, {LATENCY_}, NULL, 0, false},
};

enum { NO_PATH = HARDWARE_PATHS };

static size_t path_index(const char *path)
{
    for (size_t i = 0; i < HARDWARE_PATHS; i++) {
        if (path != NULL && strcmp(hardware_paths[i], path) == 0)
            return i;
    }
    RB_INVARIANT(path == NULL, "the table of hardware counters uses the unknown statistic %s",
                 path);
    return NO_PATH;
}

static bool is_named(const char *column, const char *pattern)
{
    size_t n = strlen(pattern);
    if (n > 0 && pattern[n - 1] == '*')
        return strncmp(column, pattern, n - 1) == 0;
    return strcmp(column, pattern) == 0;
}

static hardware_formula_t rule_formula(const rule_t *r)
{
    hardware_formula_t f = {.over = path_index(r->over),
                            .factor = r->factor != 0.0 ? r->factor : 1.0,
                            .seconds = r->seconds,
                            .variant = ""};
    while (f.n_plus < HARDWARE_PLUS && r->plus[f.n_plus] != NULL) {
        f.plus[f.n_plus] = path_index(r->plus[f.n_plus]);
        f.n_plus++;
    }
    while (f.n_minus < HARDWARE_MINUS && r->minus[f.n_minus] != NULL) {
        f.minus[f.n_minus] = path_index(r->minus[f.n_minus]);
        f.n_minus++;
    }
    return f;
}

static size_t find_rule(const char *column, hardware_formula_t f[HARDWARE_FORMULAS])
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const rule_t *r = &rules[i];
        if (!is_named(column, r->measured))
            continue;
        f[0] = rule_formula(r);
        if (r->minus[0] == NULL || strcmp(r->minus[0], LATENCY_) != 0)
            return 1;
        f[1] = f[0];
        f[1].n_minus = 0;
        f[0].variant = "launch latency off";
        f[1].variant = "launch latency in";
        return 2;
    }
    return 0;
}

static hardware_formula_t one_path(const stat_entry_t *e)
{
    char path[128];
    snprintf(path, sizeof(path), "%s.%s", e->group, e->name);
    return (hardware_formula_t){.plus = {path_index(path)},
                                .n_plus = 1,
                                .over = NO_PATH,
                                .factor = 1.0,
                                .share = e->real && strcmp(e->unit, "1") == 0,
                                .variant = ""};
}

/* The counter or ratio that carries the column's name. */
static bool find_mirror(const char *column, hardware_formula_t *f)
{
    static const char stalls[] = "_per_issue_active.ratio";
    for (size_t i = 0; i < stat_count(); i++) {
        const stat_entry_t e = stat_entry(i);
        const size_t n = strlen(e.metric);
        if (n == 0 || strncmp(column, e.metric, n) != 0)
            continue;
        /* Average number of warps in this state over the cycles in which one issues. */
        const bool stall = !e.real && strcmp(column + n, stalls) == 0;
        if (column[n] != '\0' && !stall)
            continue;
        *f = one_path(&e);
        if (stall)
            f->over = path_index("sm.warp_insts");
        return true;
    }
    return false;
}

size_t hardware_formulas(const char *column, hardware_formula_t f[HARDWARE_FORMULAS])
{
    size_t n = find_rule(column, f);
    return n > 0 ? n : find_mirror(column, f);
}

void hardware_formula_describe(const hardware_formula_t *f, char *text, size_t cap)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->n_plus && n < cap; i++)
        n += (size_t)snprintf(text + n, cap - n, "%s%s", i > 0 ? " + " : "",
                              hardware_paths[f->plus[i]]);
    for (size_t i = 0; i < f->n_minus && n < cap; i++)
        n += (size_t)snprintf(text + n, cap - n, " - %s", hardware_paths[f->minus[i]]);
    if (f->over != NO_PATH && n < cap)
        n += (size_t)snprintf(text + n, cap - n, " / %s", hardware_paths[f->over]);
    if (f->factor != 1.0 && n < cap)
        n += (size_t)snprintf(text + n, cap - n, " * %g", f->factor);
    if (f->seconds && n < cap)
        snprintf(text + n, cap - n, " / clock");
}

double hardware_formula_value(const hardware_formula_t *f, const double *values, double clock_mhz)
{
    double v = 0.0;
    for (size_t i = 0; i < f->n_plus; i++)
        v += values[f->plus[i]];
    for (size_t i = 0; i < f->n_minus; i++)
        v -= values[f->minus[i]];
    if (f->over != NO_PATH)
        v /= values[f->over];
    return f->seconds ? v * f->factor / (clock_mhz * 1e6) : v * f->factor;
}
