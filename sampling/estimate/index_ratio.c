#include "sampling/estimate/index_ratio.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/sampled/known_counts.h"

#define AT(field) VALUE_AT(field)
#define END       STAT_VALUES
#define LIST(...)                                                                                  \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__, END                                                                           \
    }
#define SECTORS                                                                                    \
    AT(sm.global_load_sectors), AT(sm.global_store_sectors), AT(l2.red_sectors),                   \
        AT(l2.atomic_sectors)
#define LOCAL   AT(sm.local_load_sectors), AT(sm.local_store_sectors)
#define TEXTURE AT(sm.texture_sectors), AT(sm.surface_store_sectors)
#define ATOMICS AT(sm.reduction_requests), AT(sm.atomic_requests), AT(sm.shared_atomic_requests)
#define INSTS   AT(sm.warp_insts)

/*
 * auxiliary: counters of which the index knows the sum. members: the counters of the group.
 * decides: those whose sum decides whether the ratio helps; NULL: known_counts_set() always makes the
 * members fit the known sum. OF_MEMORY: the auxiliary counts memory accesses, which an ideal SM does
 * not make; OF_MORE: these, and the members also count other things, such as fetches of code. follows: launches
 * that do more of the one also do more of the other, whatever caches hold.
 */
static const struct {
    const uint16_t *auxiliary, *members, *decides;
    enum { OF_INSTS, OF_MEMORY, OF_MORE } kind;
    bool follows;
} groups[] = {
    {LIST(SECTORS), LIST(SECTORS, AT(sm.global_load_hits), AT(l2.red_hits), AT(l2.atomic_hits)),
     NULL, OF_MEMORY, false},
    {LIST(LOCAL), LIST(LOCAL, AT(sm.local_load_hits)), NULL, OF_MEMORY, false},
    {LIST(TEXTURE), LIST(TEXTURE, AT(sm.texture_hits), AT(sm.texture_pending)), NULL, OF_MEMORY,
     false},
    {LIST(ATOMICS), LIST(ATOMICS), NULL, OF_MEMORY, false},
    {LIST(ATOMICS), LIST(AT(sm.atomic_lanes)), LIST(AT(sm.atomic_lanes)), OF_MEMORY, true},
    {LIST(SECTORS), LIST(AT(sm.global_load_pending), AT(sm.global_store_hits)),
     LIST(AT(sm.global_load_pending), AT(sm.global_store_hits)), OF_MEMORY, false},
    {LIST(AT(sm.l1_tags)),
     LIST(AT(sm.global_load_requests), AT(sm.global_store_requests), AT(sm.local_load_requests),
          AT(sm.local_store_requests), AT(sm.texture_requests), AT(sm.surface_store_requests)),
     LIST(AT(sm.global_load_requests), AT(sm.global_store_requests)), OF_MEMORY, true},
    {LIST(AT(sm.l1_tags)),
     LIST(AT(sm.l1_mshr_merges), AT(sm.l1_prefetches), AT(sm.l1_prefetch_sectors),
          AT(sm.l1_prefetches_used), AT(sm.l1_prefetches_dropped)),
     LIST(AT(sm.l1_mshr_merges), AT(sm.l1_prefetches)), OF_MEMORY, false},
    {LIST(AT(sm.l1_tags)), LIST(AT(sm.tlb_misses), AT(sm.tlb_l2_misses)), LIST(AT(sm.tlb_misses)),
     OF_MEMORY, false},
    {LIST(SECTORS, LOCAL, TEXTURE),
     LIST(AT(l2.requests), AT(l2.read_sectors), AT(l2.read_hits), AT(l2.write_sectors),
          AT(l2.write_hits), AT(l2.local_sectors), AT(l2.mshr_merges), AT(l2.data_sectors),
          AT(sm.xbar_flits_out), AT(sm.xbar_flits_in)),
     LIST(AT(l2.read_sectors), AT(l2.write_sectors)), OF_MORE, true},
    {LIST(SECTORS, LOCAL, TEXTURE),
     LIST(AT(l2.fills), AT(l2.unasked_fills), AT(l2.ecc_reads), AT(l2.writebacks),
          AT(l2.early_writebacks), AT(l2.partial_fetches), AT(dram.read_sectors),
          AT(dram.write_sectors), AT(dram.row_hits), AT(dram.row_misses), AT(dram.row_conflicts),
          AT(dram.activates), AT(dram.precharges), AT(dram.turnarounds), AT(dram.busy),
          AT(dram.read_latency), AT(dram.read_requests)),
     LIST(AT(dram.read_sectors), AT(dram.write_sectors)), OF_MORE, false},
    {LIST(INSTS),
     LIST(AT(sm.icache_l0_lookups), AT(sm.const_lookups), AT(sm.pred_off_insts),
          AT(sm.rf_write_conflicts)),
     LIST(AT(sm.icache_l0_lookups), AT(sm.const_lookups)), OF_INSTS, true},
    {LIST(INSTS),
     LIST(AT(sm.icache_l0_misses), AT(sm.icache_l1_misses), AT(sm.const_misses),
          AT(l2.inst_sectors), AT(l2.gpc_sectors)),
     LIST(AT(sm.icache_l0_misses), AT(sm.const_misses)), OF_INSTS, false},
    {LIST(AT(sm.mix_control)), LIST(AT(sm.branches), AT(sm.branches_uniform), AT(sm.barriers)),
     LIST(AT(sm.branches)), OF_INSTS, true},
    {LIST(AT(sm.mix_fp16)), LIST(AT(sm.flops_fp16)), LIST(AT(sm.flops_fp16)), OF_INSTS, true},
    {LIST(AT(sm.mix_fp32)), LIST(AT(sm.flops_fp32)), LIST(AT(sm.flops_fp32)), OF_INSTS, true},
    {LIST(AT(sm.mix_fp64)), LIST(AT(sm.flops_fp64)), LIST(AT(sm.flops_fp64)), OF_INSTS, true},
    {LIST(AT(sm.mix_tensor)), LIST(AT(sm.flops_tensor)), LIST(AT(sm.flops_tensor)), OF_INSTS, true},
    {LIST(AT(sm.mix_load), AT(sm.mix_store), AT(sm.mix_atomic)),
     LIST(AT(sm.shared_load_requests), AT(sm.shared_store_requests), AT(sm.shared_wavefronts),
          AT(sm.shared_conflicts)),
     LIST(AT(sm.shared_wavefronts)), OF_INSTS, true},
    {LIST(AT(sm.blocks)), LIST(AT(sm.warps)), LIST(AT(sm.warps)), OF_INSTS, true},
    /* Cycles without launch latency decide. */
    {LIST(INSTS),
     LIST(AT(sm.state_selected), AT(sm.state_not_selected), AT(sm.state_long_scoreboard),
          AT(sm.state_short_scoreboard), AT(sm.state_wait), AT(sm.state_math_pipe_throttle),
          AT(sm.state_lg_throttle), AT(sm.state_mio_throttle), AT(sm.state_tex_throttle),
          AT(sm.state_barrier), AT(sm.state_membar), AT(sm.state_branch_resolving),
          AT(sm.state_no_instruction), AT(sm.state_imc_miss), AT(sm.state_dispatch_stall),
          AT(sm.state_drain), AT(sm.state_sleeping), AT(sm.state_misc), AT(sm.active_cycles),
          AT(sm.l1_stall_mshr), AT(sm.l1_stall_queue), AT(sm.l1_stall_tlb), AT(sm.l1_data_busy),
          AT(sm.texture_busy), AT(l2.stall_mshr), AT(l2.stall_dram), AT(l2.stall_reply),
          AT(l2.stall_atomic), AT(dram.refreshes)),
     LIST(VALUE_CYCLES), OF_INSTS, false},
};
_Static_assert(sizeof(groups) / sizeof(groups[0]) == RATIO_GROUPS, "as many as declared");

/* Values that known_counts_set() sets; report_set_totals() sets the rest. */
static const uint16_t exact[] = {AT(sm.blocks),     AT(sm.warp_insts), AT(sm.thread_insts),
                                 VALUE_BLOCKS,      VALUE_WARP_INSTS,  VALUE_THREAD_INSTS,
                                 VALUE_COPIED_BYTES};

static double sum_of(const uint16_t *list, const double values[STAT_VALUES])
{
    double sum = 0;
    for (; *list != END; list++)
        sum += values[*list];
    return sum;
}

static double busy_cycles(const double values[STAT_VALUES])
{
    return values[VALUE_CYCLES] - values[VALUE_LAUNCH_CYCLES];
}

/* The sum that decides over a group. */
static double deciding(size_t g, const double values[STAT_VALUES])
{
    return g == RATIO_TIME ? busy_cycles(values) : sum_of(groups[g].decides, values);
}

void index_ratio_plain(index_ratio_t *r, const double sum[STAT_VALUES])
{
    *r = (index_ratio_t){0};
    memcpy(r->plain, sum, sizeof(r->plain));
    memset(r->of, RATIO_GROUPS, sizeof(r->of));
}

void ratio_samples_begin(ratio_samples_t *s, uint64_t n_samples)
{
    for (size_t g = 0; g < RATIO_GROUPS; g++) {
        s->auxiliary[g] = rb_calloc(n_samples + 1, sizeof(double));
        s->counters[g] = rb_calloc(n_samples + 1, sizeof(double));
    }
    s->least_latency = INFINITY;
    s->most_latency = 0;
}

void ratio_samples_put(ratio_samples_t *s, uint64_t sample, const double values[STAT_VALUES])
{
    for (size_t g = 0; g < RATIO_GROUPS; g++) {
        s->auxiliary[g][sample] = sum_of(groups[g].auxiliary, values);
        if (groups[g].decides != NULL)
            s->counters[g][sample] = deciding(g, values);
    }
    s->least_latency = fmin(s->least_latency, values[VALUE_LAUNCH_CYCLES]);
    s->most_latency = fmax(s->most_latency, values[VALUE_LAUNCH_CYCLES]);
}

void ratio_samples_free(ratio_samples_t *s)
{
    for (size_t g = 0; g < RATIO_GROUPS; g++) {
        free(s->auxiliary[g]);
        free(s->counters[g]);
    }
    *s = (ratio_samples_t){0};
}

/* Variance of y - ratio * a; where one launch of a stratum was sampled, as if the two parts had
 * nothing to do with each other. */
static double residual_variance(const plan_t *plan, const double *y, const double *a, double ratio,
                                double *df)
{
    double *z = rb_calloc(plan->n_samples + 1, sizeof(*z));
    double *size = rb_calloc(plan->n_samples + 1, sizeof(*size));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        z[i] = y[i] - ratio * a[i];
        size[i] = y[i] + ratio * a[i];
    }
    const double v = estimate_variance(plan, &(estimate_input_t){.value = z, .size = size}, df);
    free(z);
    free(size);
    return v;
}

/* Variance of a total of times if they vary in each cluster as they do in the profile; INFINITY: there is none. */
static double profile_variance(const plan_t *plan, const double *y)
{
    double sum = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const plan_cluster_t *c = &plan->clusters[plan->samples[i].cluster];
        const double n = (double)c->size, m = (double)c->draws;
        if (!isfinite(c->sd / c->mean))
            return (double)INFINITY;
        sum += n * (n - m) / (m * m) * pow(c->sd / c->mean * y[i], 2);
    }
    return sum;
}

/* Degrees of freedom with which samples can be better than a profile. */
#define LEAST_DF 10.0

/* least: a variance of the weighted sum that is known otherwise; INFINITY: none is. */
static bool ratio_helps(const plan_t *plan, const double *y, const double *a, double total_y,
                        double total_a, double least)
{
    const double most_cov = 0.1;
    double df, of_a;
    const double plain = residual_variance(plan, y, y, 0, &df);
    const double variance_a = residual_variance(plan, a, a, 0, &of_a);
    const double ratio = residual_variance(plan, y, a, total_y / total_a, &df);
    return plan->random && sqrt(variance_a) < most_cov * total_a &&
           ratio * (1 + sqrt(2 / df)) < fmin(plain, least) && (isinf(least) || df >= LEAST_DF);
}

/* Standard errors by which an auxiliary is off if its samples tell nothing of its spread. */
#define UNTOLD 4.0

/* Whether the weighted sum of the auxiliary is farther off than the spread of its samples explains. */
static bool is_untold(const ratio_group_t *group, size_t g, const ratio_input_t *in)
{
    double df;
    const double *a = in->samples->auxiliary[g];
    const double sd = sqrt(residual_variance(in->plan, a, a, 0, &df)) / group->auxiliary;
    return in->plan->random && fabs(group->off) > fmax(UNTOLD * sd, 1e-9);
}

static void choose_group(index_ratio_t *r, size_t g, const ratio_input_t *in)
{
    ratio_group_t *group = &r->group[g];
    const double known = sum_of(groups[g].auxiliary, r->known);
    const bool always = groups[g].decides == NULL;
    group->factor = 1;
    group->auxiliary = sum_of(groups[g].auxiliary, r->plain);
    if (!(group->auxiliary > 0) || !(known > 0))
        return;
    group->factor = known / group->auxiliary;
    group->off = group->factor - 1;
    group->untold = is_untold(group, g, in);
    if (g == RATIO_TIME && in->keep_cycles)
        return;
    group->used = always || (group->untold && groups[g].follows) ||
                  ratio_helps(in->plan, in->samples->counters[g], in->samples->auxiliary[g],
                              deciding(g, r->plain), group->auxiliary,
                              g == RATIO_TIME ? profile_variance(in->plan, in->samples->counters[g])
                                              : (double)INFINITY);
    if (g == RATIO_TIME)
        group->factor = fmax(group->factor, busy_cycles(in->simulated) / busy_cycles(r->plain));
}

static void set_kinds(index_ratio_t *r, size_t g)
{
    const bool known = sum_of(groups[g].auxiliary, r->known) > 0;
    for (const uint16_t *v = groups[g].members; *v != END; v++) {
        r->of[*v] = (uint8_t)g;
        if (r->group[g].used)
            r->kind[*v] = TOTAL_RATIO;
        else if (!known && r->plain[*v] == 0 && groups[g].kind != OF_MORE)
            r->kind[*v] = TOTAL_EXACT; /* none of it can be there */
        else if (groups[g].decides == NULL)
            r->kind[*v] = TOTAL_UNSEEN;
    }
    if (g == RATIO_TIME && r->group[g].used) {
        r->kind[VALUE_CYCLES] = TOTAL_CYCLES;
        r->kind[AT(sm.state_no_warp)] = TOTAL_NO_WARP;
    }
}

/* Counters of instructions that the index does not have are exactly 0. */
static void set_absent(index_ratio_t *r, const launch_counts_t *counts)
{
    static const struct {
        uint16_t value;
        op_class_t of[3];
    } rows[] = {
        {AT(sm.state_tex_throttle), {OP_TEX, OP_TEX, OP_TEX}},
        {AT(sm.state_barrier), {OP_BARRIER, OP_BARRIER, OP_BARRIER}},
        {AT(sm.barriers), {OP_BARRIER, OP_BARRIER, OP_BARRIER}},
        {AT(sm.state_membar), {OP_MEMBAR, OP_MEMBAR, OP_MEMBAR}},
        {AT(sm.shared_load_requests), {OP_LOAD_SH, OP_LOAD_SH, OP_LOAD_SH}},
        {AT(sm.shared_store_requests), {OP_STORE_SH, OP_STORE_SH, OP_STORE_SH}},
        {AT(sm.shared_wavefronts), {OP_LOAD_SH, OP_STORE_SH, OP_ATOM_SH}},
        {AT(sm.shared_conflicts), {OP_LOAD_SH, OP_STORE_SH, OP_ATOM_SH}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool there = r->plain[rows[i].value] > 0;
        for (size_t k = 0; k < 3; k++)
            there = there || counts->insts[rows[i].of[k]] > 0;
        if (!there)
            r->kind[rows[i].value] = TOTAL_EXACT;
    }
}

static void set_known(index_ratio_t *r, const gpu_spec_t *spec, const launch_counts_t *counts)
{
    gpu_counters_t c = {0};
    const uint64_t *counter = (const uint64_t *)&c;
    known_counts_set(&c, spec, counts);
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        r->known[VALUE_COUNTERS + i] = (double)counter[i];
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        r->kind[exact[i]] = TOTAL_EXACT;
    for (size_t i = AT(sm.mix_fp16); i < AT(sm.mix_fp16) + MIX_COUNT; i++)
        r->kind[i] = TOTAL_EXACT;
    if (!spec->sm.sm.ideal)
        r->kind[AT(sm.l1_tags)] = TOTAL_EXACT;
}

void index_ratio_choose(index_ratio_t *r, const ratio_input_t *in, const gpu_spec_t *spec)
{
    index_ratio_plain(r, in->sum);
    memcpy(r->simulated, in->simulated, sizeof(r->simulated));
    set_known(r, spec, in->known);
    for (size_t g = 0; g < RATIO_GROUPS; g++) {
        if (groups[g].kind != OF_INSTS && spec->sm.sm.ideal)
            continue;
        choose_group(r, g, in);
        set_kinds(r, g);
    }
    set_absent(r, in->known);
    if (in->samples->least_latency == in->samples->most_latency) {
        r->kind[VALUE_LAUNCH_CYCLES] = TOTAL_EXACT;
        r->launch_cycles = in->samples->most_latency * (double)in->plan->n_launches;
    }
}

void index_ratio_state_cycles(index_ratio_t *r, double cycles)
{
    const double busy = busy_cycles(r->plain), latency = r->plain[VALUE_LAUNCH_CYCLES];
    /* Rounding alone does not make the weighted sum another estimate. */
    if (!(busy > 0) || !(fabs(cycles - r->plain[VALUE_CYCLES]) > 1e-9 * cycles))
        return;
    r->stated = true;
    r->group[RATIO_TIME].factor = (cycles - latency) / busy;
    r->group[RATIO_TIME].used = true;
    for (const uint16_t *v = groups[RATIO_TIME].members; *v != END; v++) {
        r->of[*v] = RATIO_TIME;
        r->kind[*v] = r->kind[*v] == TOTAL_EXACT ? TOTAL_EXACT : TOTAL_RATIO;
    }
    r->kind[VALUE_CYCLES] = TOTAL_CYCLES;
    r->kind[AT(sm.state_no_warp)] = TOTAL_NO_WARP;
}

double *index_ratio_cycles(const index_ratio_t *r, const plan_t *plan, const ratio_samples_t *s,
                           const double **size)
{
    const ratio_group_t *group = &r->group[RATIO_TIME];
    if (!group->used || r->stated)
        return NULL;
    const uint64_t n = plan->n_samples;
    double *z = rb_calloc(2 * n + 1, sizeof(*z)), *sizes = z + n;
    const double ratio = busy_cycles(r->plain) / group->auxiliary;
    for (uint64_t i = 0; i < n; i++) {
        const double cycles = group->factor * s->counters[RATIO_TIME][i];
        const double expected = group->factor * ratio * s->auxiliary[RATIO_TIME][i];
        z[i] = cycles - expected;
        sizes[i] = cycles + expected;
    }
    *size = sizes;
    return z;
}

/* Warp slots of the chip. */
static double slots_of(const index_ratio_t *r)
{
    double sum = 0;
    for (size_t i = 0; i < STATE_COUNT; i++)
        sum += r->plain[AT(sm.state_no_warp) + i];
    return sum / r->plain[VALUE_CYCLES];
}

static void scale_time(const index_ratio_t *r, double values[STAT_VALUES])
{
    const double busy = r->group[RATIO_TIME].factor * busy_cycles(r->plain);
    double left;
    values[VALUE_CYCLES] = values[VALUE_LAUNCH_CYCLES] + busy;
    left = slots_of(r) * values[VALUE_CYCLES];
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        left -= values[AT(sm.state_no_warp) + i];
    values[AT(sm.state_no_warp)] = fmax(left, 0);
}

void index_ratio_scale(const index_ratio_t *r, double values[STAT_VALUES])
{
    for (size_t v = 0; v < STAT_VALUES; v++) {
        if (r->kind[v] == TOTAL_RATIO && groups[r->of[v]].decides != NULL)
            values[v] = fmax(values[v] * r->group[r->of[v]].factor, r->simulated[v]);
    }
    if (r->kind[VALUE_LAUNCH_CYCLES] == TOTAL_EXACT)
        values[VALUE_LAUNCH_CYCLES] = r->launch_cycles;
    if (r->group[RATIO_TIME].used)
        scale_time(r, values);
}

static void add_ratio(const index_ratio_t *r, size_t g, double total, double scaled,
                      double out[STAT_VALUES])
{
    for (const uint16_t *a = groups[g].auxiliary; *a != END; a++)
        out[*a] -= scaled * total / r->group[g].auxiliary;
}

static void add_member(const index_ratio_t *r, size_t value, double c, double out[STAT_VALUES])
{
    const double scaled = c * r->group[r->of[value]].factor;
    out[value] += scaled;
    if (!r->stated || r->of[value] != RATIO_TIME)
        add_ratio(r, r->of[value], r->plain[value], scaled, out);
}

static void add_cycles(const index_ratio_t *r, double c, double out[STAT_VALUES])
{
    const double scaled = c * r->group[RATIO_TIME].factor;
    if (r->stated) {
        out[VALUE_CYCLES] += c;
        return;
    }
    out[VALUE_CYCLES] += scaled;
    out[VALUE_LAUNCH_CYCLES] += c - scaled;
    add_ratio(r, RATIO_TIME, busy_cycles(r->plain), scaled, out);
}

static void add_no_warp(const index_ratio_t *r, double c, double out[STAT_VALUES])
{
    add_cycles(r, c * slots_of(r), out);
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        add_member(r, AT(sm.state_no_warp) + i, -c, out);
}

/* Adds c times a value. */
static void add_value(const index_ratio_t *r, size_t value, double c, double out[STAT_VALUES])
{
    switch ((total_kind_t)r->kind[value]) {
    case TOTAL_PLAIN:
        out[value] += c;
        break;
    case TOTAL_RATIO:
        add_member(r, value, c, out);
        break;
    case TOTAL_CYCLES:
        add_cycles(r, c, out);
        break;
    case TOTAL_NO_WARP:
        add_no_warp(r, c, out);
        break;
    case TOTAL_EXACT:
    case TOTAL_UNSEEN:
        break;
    }
}

bool index_ratio_residual(const index_ratio_t *r, const linear_form_t *f, double scale,
                          double out[STAT_VALUES])
{
    bool seen = true;
    for (size_t i = 0; i < f->n; i++) {
        const size_t value = f->term[i].value;
        const double c = scale * f->term[i].coefficient;
        seen = seen && (r->kind[value] != TOTAL_UNSEEN || c == 0);
        add_value(r, value, c, out);
    }
    return seen;
}

/* By how much a value would differ. */
static double doubt_of(const index_ratio_t *r, size_t value)
{
    const size_t g = r->of[value];
    if (value == AT(sm.state_no_warp)) { /* what the other states have of the cycles */
        double others = 0;
        for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
            others -= doubt_of(r, value + i);
        return others;
    }
    if (g >= RATIO_GROUPS || r->kind[value] == TOTAL_EXACT || r->kind[value] == TOTAL_UNSEEN)
        return 0;
    const ratio_group_t *group = &r->group[g];
    if (r->kind[value] == TOTAL_PLAIN && g != RATIO_TIME)
        return r->plain[value] * group->off;
    return group->untold ? r->plain[value] * group->off : 0;
}

double index_ratio_doubt(const index_ratio_t *r, const linear_form_t *f, double scale)
{
    double doubt = 0;
    for (size_t i = 0; i < f->n; i++)
        doubt += scale * f->term[i].coefficient * doubt_of(r, f->term[i].value);
    return doubt;
}

double index_ratio_most(const index_ratio_t *r, const linear_form_t *f)
{
    const size_t value = f->term[0].value;
    if (f->n != 1 || r->of[value] == RATIO_GROUPS || r->kind[value] != TOTAL_RATIO ||
        groups[r->of[value]].decides != NULL)
        return INFINITY;
    return f->term[0].coefficient * sum_of(groups[r->of[value]].auxiliary, r->known);
}
