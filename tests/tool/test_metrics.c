#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "frontend/tool/library/metrics.h"
#include "frontend/tool/run/results/run_report.h"

/* Counters and a chip for which each metric can be computed by hand. */
typedef struct {
    gpu_spec_t spec;
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} fixture_t;

static fixture_t f;
enum { CYCLES = 15000, LAUNCH_CYCLES = 5000, SMS = 80 };

static int set_up(void **state)
{
    (void)state;
    memset(&f, 0, sizeof(f));
    f.spec.gpu.clock_mhz = 1000.0;
    f.spec.sm.sm.count = SMS;
    f.spec.sm.sm.sub_cores = 4;
    f.spec.sm.sm.max_warps = 64;
    f.spec.sm.sm.fp64_lanes = 16;
    f.spec.mem.icnt.sm_flits = 2;
    f.spec.mem.icnt.slice_flits = 1;
    f.spec.mem.l2.slices = 64;
    f.spec.mem.mem.partitions = 32;
    f.spec.mem.dram.bus_bytes = 16;
    f.spec.mem.dram.data_rate = 2;
    f.spec.mem.dram.clock_mhz = 500.0;
    return 0;
}

static double value(metric_id_t id)
{
    metric_input_t m = metric_input(&f.spec, CYCLES, LAUNCH_CYCLES, &f.sm, &f.l2, &f.dram);
    return metric_value(id, &m);
}

static void ipc_refers_to_all_cycles_and_utilisation_to_those_without_latency(void **state)
{
    (void)state;
    f.sm.warp_insts = 3000000;
    f.sm.active_cycles = 400000;
    assert_true(value(METRIC_ipc) == 3000000.0 / CYCLES);
    assert_true(value(METRIC_issue_utilization) == 3000000.0 / (SMS * 4.0 * 10000.0));
    assert_true(value(METRIC_sm_activity) == 0.5);
    assert_true(value(METRIC_ipc_per_sm) == 7.5);
}

/* A measured share above 1 would be a fault of the model and is shown; an estimated one is
 * limited to 1. */
static void estimates_stay_below_their_peaks(void **state)
{
    (void)state;
    f.sm.warp_insts = SMS * 4 * 20000ull;
    f.sm.active_cycles = 2 * SMS * 10000ull;
    f.sm.flops_fp64 = SMS * 64ull * 2 * 30000;
    f.dram.read_sectors = 10000000;
    static const struct {
        metric_id_t id;
        double most;
    } limits[] = {{METRIC_issue_utilization, 1},      {METRIC_sm_activity, 1},
                  {METRIC_dram_utilization, 1},       {METRIC_ipc, SMS * 4},
                  {METRIC_fp64_rate, SMS * 64 * 2e9}, {METRIC_dram_bandwidth, 32 * 16 * 2 * 500e6}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        metric_input_t m = metric_input(&f.spec, CYCLES, LAUNCH_CYCLES, &f.sm, &f.l2, &f.dram);
        assert_true(metric_value(limits[i].id, &m) > limits[i].most);
        m.estimated = true;
        assert_true(metric_value(limits[i].id, &m) == limits[i].most);
    }
}

static void occupancy_counts_resident_warps_while_an_sm_has_any(void **state)
{
    (void)state;
    f.sm.active_cycles = 1000;
    f.sm.state_no_warp = 999999; /* slots without a warp do not count */
    f.sm.state_selected = 6000;
    f.sm.state_long_scoreboard = 20000;
    f.sm.state_misc = 6000;
    assert_true(value(METRIC_achieved_occupancy) == 0.5);
    assert_true(metric_resident(&f.sm) == 32000);
}

static void dram_bandwidth_is_a_share_of_all_channels(void **state)
{
    (void)state;
    /* 32 channels x 16 bytes x 2 per clock at 500 MHz: 512 bytes per core cycle at 1000 MHz. */
    assert_true(metric_dram_peak(&f.spec) == 512.0);
    f.dram.read_sectors = 60000;
    f.dram.write_sectors = 20000;
    assert_true(value(METRIC_dram_utilization) == 0.5);
    assert_true(fabs(value(METRIC_dram_bandwidth) - 256e9) < 1.0);
}

static void l2_ports_move_a_sector_per_slot(void **state)
{
    (void)state;
    f.l2.data_sectors = 160000;
    assert_true(value(METRIC_l2_utilization) == 0.25); /* of 64 slices x 10000 cycles */
    f.spec.mem.icnt.slice_flits = 2;
    assert_true(value(METRIC_l2_utilization) == 0.125);
    f.spec.mem.core_mhz = f.spec.gpu.clock_mhz;
    f.spec.mem.l2.clock_mhz = f.spec.gpu.clock_mhz / 2;
    assert_true(value(METRIC_l2_utilization) == 0.25);
}

static void rates_are_quotients_of_their_counters(void **state)
{
    (void)state;
    f.sm.warp_insts = 100;
    f.sm.thread_insts = 1600;
    f.sm.branches = 8;
    f.sm.branches_uniform = 6;
    f.sm.global_load_requests = 10;
    f.sm.global_load_sectors = 40;
    f.sm.global_load_hits = 30;
    f.sm.shared_load_requests = 3;
    f.sm.shared_store_requests = 1;
    f.sm.shared_conflicts = 6;
    f.l2.read_sectors = 50;
    f.l2.read_hits = 10;
    f.l2.write_sectors = 30;
    f.l2.write_hits = 30;
    f.l2.atomic_sectors = 20;
    f.dram.row_hits = 6;
    f.dram.row_misses = 1;
    f.dram.row_conflicts = 1;
    assert_true(value(METRIC_warp_execution_efficiency) == 0.5);
    assert_true(value(METRIC_branch_efficiency) == 0.75);
    assert_true(value(METRIC_global_load_hit_rate) == 0.75);
    assert_true(value(METRIC_global_load_sectors_per_request) == 4.0);
    assert_true(value(METRIC_shared_conflicts_per_request) == 1.5);
    assert_true(value(METRIC_l2_read_hit_rate) == 0.2);
    assert_true(value(METRIC_l2_write_hit_rate) == 1.0);
    assert_true(value(METRIC_l2_hit_rate) == 0.4);
    assert_true(value(METRIC_dram_row_hit_rate) == 0.75);
}

static void the_fp64_pipe_may_belong_to_the_sub_core_or_to_the_sm(void **state)
{
    (void)state;
    f.sm.mix_fp64 = 800000; /* two cycles each at 16 lanes */
    assert_true(value(METRIC_fp64_utilization) == 1600000.0 / (SMS * 4.0 * 10000.0));
    f.spec.sm.sm.fp64_shared = true;
    assert_true(value(METRIC_fp64_utilization) == 1600000.0 / (SMS * 10000.0));
}

static void nothing_to_measure_is_not_a_zero(void **state)
{
    (void)state;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        metric_input_t m = metric_input(&f.spec, 0, 0, &f.sm, &f.l2, &f.dram);
        assert_true(isnan(metric_value((metric_id_t)i, &m)));
    }
    /* Overlapping launches: if there is more latency than cycles, 0 remains, not a negative
     * number. */
    metric_input_t m = metric_input(&f.spec, 100, 5000, &f.sm, &f.l2, &f.dram);
    assert_true(m.busy_cycles == 0.0);
}

static void every_counter_and_metric_has_a_name_of_its_own(void **state)
{
    (void)state;
    stat_group_t groups[REPORT_GROUPS];
    report_groups(groups, &f.sm, &f.l2, &f.dram);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        for (size_t i = 0; i < groups[g].n; i++) {
            assert_true(groups[g].defs[i].unit[0] != '\0');
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(groups[g].defs[i].name, groups[g].defs[k].name);
        }
    }
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(metric_defs[i].name, metric_defs[k].name);
    }
}

static void a_trace_is_called_by_the_last_part_of_its_path(void **state)
{
    (void)state;
    assert_string_equal(report_trace_name("traces/matmul-sm70"), "matmul-sm70");
    assert_string_equal(report_trace_name("traces/matmul-sm70/"), "matmul-sm70/");
    assert_string_equal(report_trace_name("x"), "x");
    assert_string_equal(report_trace_name("/"), "/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ipc_refers_to_all_cycles_and_utilisation_to_those_without_latency,
                               set_up),
        cmocka_unit_test_setup(estimates_stay_below_their_peaks, set_up),
        cmocka_unit_test_setup(occupancy_counts_resident_warps_while_an_sm_has_any, set_up),
        cmocka_unit_test_setup(dram_bandwidth_is_a_share_of_all_channels, set_up),
        cmocka_unit_test_setup(l2_ports_move_a_sector_per_slot, set_up),
        cmocka_unit_test_setup(rates_are_quotients_of_their_counters, set_up),
        cmocka_unit_test_setup(the_fp64_pipe_may_belong_to_the_sub_core_or_to_the_sm, set_up),
        cmocka_unit_test_setup(nothing_to_measure_is_not_a_zero, set_up),
        cmocka_unit_test_setup(every_counter_and_metric_has_a_name_of_its_own, set_up),
        cmocka_unit_test_setup(a_trace_is_called_by_the_last_part_of_its_path, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
