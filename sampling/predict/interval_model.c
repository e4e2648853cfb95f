#include "sampling/predict/interval_model.h"

#include <string.h>

#include "sim/sm/sm.h"

interval_latencies_t interval_unloaded(const gpu_spec_t *spec)
{
    const sm_config_t *sm = &spec->sm;
    const double clocks = spec->gpu.clock_mhz / spec->mem.dram.clock_mhz;
    const double dram =
        spec->mem.dram.perfect ? 0 : clocks * (spec->mem.dram.tRCD + spec->mem.dram.tCL);
    const double beyond_l1 = (double)sm->l1.miss_latency + spec->mem.icnt.request_latency +
                             spec->mem.l2.latency + spec->mem.icnt.reply_latency +
                             sm->l1.fill_latency;
    interval_latencies_t l;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        l.of[c] = sm_fixed_latency(&sm->lat, (op_class_t)c);
    l.of[OP_LDC] = sm->constant.l1_latency;
    l.of[OP_LOAD_LG] = sm->sm.mem_issue_latency + beyond_l1 +
                       (spec->mem.l2.perfect ? 0 : spec->mem.dram.latency + dram);
    l.of[OP_ATOM_LG] = sm->sm.mem_issue_latency + beyond_l1 + spec->mem.l2.atomic_latency;
    l.of[OP_STORE_LG] = l.of[OP_ATOM_LG];
    l.of[OP_LOAD_SH] = sm->shared.latency;
    l.of[OP_ATOM_SH] = sm->shared.atomic_latency;
    l.of[OP_BARRIER] = sm->sm.barrier_latency;
    l.of[OP_MEMBAR] = sm->sm.membar_gpu_latency;
    l.branch = sm->sm.branch_taken_latency;
    return l;
}

void interval_observe(interval_latencies_t *l, const latency_sum_t *observed, uint64_t at_least)
{
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        /* for a store it is known when the warp may continue, not when it is done */
        if (c != OP_STORE_LG && observed[c].n > 0 && observed[c].n >= at_least)
            l->of[c] = (double)observed[c].cycles / (double)observed[c].n;
    }
}

static double issued(interval_warp_t *w, double at, double step, double done)
{
    w->next = at + step;
    w->done = done > w->done ? done : w->done;
    return at;
}

double interval_issue(interval_warp_t *w, const inst_t *inst, double latency)
{
    double issue = w->next;
    for (unsigned d = 0; d < inst->n_wait; d++)
        issue = w->ready[inst->dep[d]] > issue ? w->ready[inst->dep[d]] : issue;
    for (unsigned d = inst->n_wait - inst->n_set; d < inst->n_wait; d++)
        w->ready[inst->dep[d]] = issue + latency;
    return issued(w, issue, 1, issue + latency);
}

double interval_issue_controlled(interval_warp_t *w, const inst_t *inst, double latency,
                                 double read, uint32_t zero_stall)
{
    double issue = w->next;
    const unsigned wait = ctl_wait_mask(inst->ctl);
    const unsigned write = ctl_write_barrier(inst->ctl), held = ctl_read_barrier(inst->ctl);
    for (unsigned b = 0; b < 6; b++)
        if (wait >> b & 1 && w->counter[b] > issue)
            issue = w->counter[b];
    if (write < 6 && w->counter[write] < issue + latency)
        w->counter[write] = issue + latency;
    if (held < 6 && w->counter[held] < issue + read)
        w->counter[held] = issue + read;
    return issued(w, issue, inst->gap != 0 ? inst->gap : zero_stall, issue + latency);
}

double interval_time(const interval_latencies_t *l, const inst_t *code, uint32_t known, uint32_t n,
                     bool drained)
{
    interval_warp_t w;
    double last = 0;
    memset(&w, 0, sizeof(w));
    for (uint32_t i = 0; i < known; i++)
        last = interval_issue(&w, &code[i], l->of[code[i].cls]);
    const uint32_t flags = code[known - 1].flags;
    double next = flags & INST_BRANCH    ? last + l->branch
                  : flags & INST_BARRIER ? last + l->of[OP_BARRIER]
                                         : last + 1;
    if ((drained || flags & INST_EXIT) && w.done > next)
        next = w.done;
    return next * ((double)n / (double)known);
}
