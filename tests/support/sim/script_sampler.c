#include "tests/support/sim/script_sampler.h"

static rb_code_t script_open(const sampler_t *s, const sampler_launch_t *launch, rb_err_t *err)
{
    script_t *t = s->state;
    (void)err;
    assert_true(launch->slots > 0);
    t->intervals = 0;
    t->in_forward = false;
    return RB_OK;
}

static void see(script_t *t, const interval_records_t *r)
{
    const uint64_t head[] = {r->cycle, r->warp_insts, r->blocks_done, r->next_block, r->resident};
    sha256_update(&t->seen, head, sizeof(head));
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++) {
        for (size_t i = 0; i < r->retired[kind].n; i++) {
            const retired_t *e = &r->retired[kind].list[i];
            const uint64_t row[] = {e->start, e->retire, e->block, e->n_insts,
                                    e->pc,    e->sm,     e->warp};
            sha256_update(&t->seen, row, sizeof(row));
            assert_true(e->start < e->retire);
            if (i > 0)
                assert_true(e[-1].retire < e->retire ||
                            (e[-1].retire == e->retire && e[-1].sm <= e->sm));
        }
    }
}

static bool script_interval(const sampler_t *s, const interval_records_t *r, fast_forward_t *out)
{
    script_t *t = s->state;
    see(t, r);
    t->warps += r->retired[RETIRED_WARP].n;
    t->blocks += r->retired[RETIRED_BLOCK].n;
    t->basic_blocks += r->retired[RETIRED_BASIC_BLOCK].n;
    for (size_t i = 0; i < r->retired[RETIRED_BASIC_BLOCK].n; i++)
        t->bb_insts += r->retired[RETIRED_BASIC_BLOCK].list[i].n_insts;
    t->warp_insts = r->warp_insts;
    t->last_next = r->next_block;
    t->l2_taken = r->l2_taken;
    t->l2_moved = r->l2_moved;
    t->l2_touched = r->l2_touched;
    if (++t->intervals != t->decide_at)
        return false;
    *out = t->forward;
    t->in_forward = true;
    return true;
}

static block_action_t script_block(const sampler_t *s, uint64_t block, cycle_t *cycles)
{
    const script_t *t = s->state;
    *cycles = t->hold;
    if (t->in_forward && block < t->forward.until)
        return BLOCK_HOLD_SLOT;
    return t->keep_every != 0 && block % t->keep_every != 0 ? BLOCK_SKIP : BLOCK_SIMULATE;
}

static double script_end(const sampler_t *s, uint64_t skipped, const left_moves_t *moves)
{
    script_t *t = s->state;
    (void)moves;
    t->skipped = skipped;
    t->in_forward = false;
    return t->added;
}

const sampler_ops_t script_ops = {
    .name = "script",
    .retired = 1u << RETIRED_WARP | 1u << RETIRED_BLOCK | 1u << RETIRED_BASIC_BLOCK,
    .launch_open = script_open,
    .interval_end = script_interval,
    .block_dispatch = script_block,
    .fast_forward_end = script_end,
};

launch_result_t run_script(const gpu_spec_t *spec, trace_source_t *source, int threads,
                           cycle_t window, script_t *t)
{
    static lab_results_t results;
    const sampler_t sampler = {&script_ops, t};
    sha256_init(&t->seen);
    lab_run_sampled(spec, source, threads, window, &sampler, 1, &results);
    assert_int_equal(results.n, 1);
    return results.launch[0];
}
