#include "frontend/tool/library/run_totals.h"

void totals_add(run_totals_t *t, const launch_result_t *r)
{
    const uint64_t cycles_before = t->cycles;
    if (t->launches > 0 && r->start <= t->to && r->end >= t->from) {
        cycle_t from = cycle_min(t->from, r->start), to = cycle_max(t->to, r->end);
        t->cycles += (t->from - from) + (to - t->to);
        t->from = from;
        t->to = to;
    } else {
        t->cycles += launch_result_cycles(r);
        t->from = r->start;
        t->to = r->end;
    }
    t->launches++;
    t->blocks += r->blocks;
    t->warp_insts += r->warp_insts;
    t->thread_insts += r->thread_insts;
    t->launch_cycles += r->launch_cycles;
    t->warp_slot_cycles += r->warp_slot_cycles;
    t->copied_bytes += r->copied_bytes;
    stream_doubts_add(&t->doubts, &r->doubts);
    t->touched.launches += r->touched.launches;
    t->touched.warp_insts += r->touched.warp_insts;
    t->touched.cpu_seconds += r->touched.cpu_seconds;
    if (r->sampling.estimated) {
        t->launches_estimated++;
        t->run_blocks += r->sampling.simulated_blocks;
        t->run_warp_insts += r->sampling.simulated_warp_insts;
        t->run_cycles += r->sampling.simulated_cycles;
    } else {
        t->run_blocks += r->blocks;
        t->run_warp_insts += r->warp_insts;
        t->run_cycles += t->cycles - cycles_before;
    }
    stats_add((uint64_t *)&t->sm, (const uint64_t *)&r->sm, SM_STAT_COUNT);
    stats_add((uint64_t *)&t->l2, (const uint64_t *)&r->l2, L2_STAT_COUNT);
    stats_add((uint64_t *)&t->dram, (const uint64_t *)&r->dram, DRAM_STAT_COUNT);
}
