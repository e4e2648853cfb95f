#include "tests/support/sampling/made_units.h"

#include <math.h>

#include "sampling/math/quantile.h"

smarts_unit_t made_unit(double sectors, double cycles)
{
    smarts_unit_t u = {.cycles = cycles * INSTS / 1000, .insts = INSTS, .weight = 5e6};
    u.counters.sm.warp_insts = INSTS;
    u.counters.sm.state_selected = INSTS;
    u.counters.sm.state_no_warp = (uint64_t)(cycles * INSTS / 1000) * 32 - INSTS;
    u.counters.l2.read_sectors = u.surveyed.read_sectors = INSTS / 10;
    u.counters.l2.fills = (uint64_t)(sectors * INSTS / 1000 * 0.9);
    u.counters.dram.read_sectors = u.counters.l2.fills;
    u.surveyed.fills = (uint64_t)(sectors * INSTS / 1000);
    u.surveyed.warp_insts = INSTS;
    return u;
}

void made_ask(made_t *m, double left_sectors)
{
    m->q = (smarts_question_t){
        .units = m->unit, .n = UNITS, .confidence = 0.95, .explain = 3, .bias = 0.01};
    m->q.left.warp_insts = 50000000;
    m->q.left.read_sectors = 5000000;
    m->q.left.fills = (uint64_t)(left_sectors * 50000);
}

double made_counter(const launch_estimate_t *e, size_t offset)
{
    return e->counter[offset / sizeof(uint64_t)];
}

double made_half(const launch_estimate_t list[UNITS], size_t offset, size_t among)
{
    double mean = 0, squares = 0, x[UNITS];
    for (size_t i = 0; i < UNITS; i++) {
        x[i] = made_counter(&list[i], offset) / (among == 0 ? 1 : made_counter(&list[i], among));
        mean += x[i] / UNITS;
    }
    for (size_t i = 0; i < UNITS; i++)
        squares += pow(x[i] - mean, 2);
    return interval_factor(0.95, UNITS - 1) * sqrt((UNITS - 1) * squares / UNITS);
}

void made_complete(made_t *m, launch_estimate_t *whole, launch_estimate_t list[UNITS])
{
    smarts_answer_t a;
    smarts_answer(&a, &m->q);
    *whole = (launch_estimate_t){0};
    smarts_complete(&a, &m->q, whole, list);
    smarts_answer_free(&a);
}
