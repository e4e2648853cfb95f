/* Import of GPGPU-Sim configurations. The texts are our own, written from the documented keys. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/input/gpgpusim/config_import.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_conf.h"
#include "sim/parts/cache/replacement.h"
#include "sim/sm/subcore/scheduler/scheduler.h"
#include "tests/support/test.h"

static const char volta[] =
    "# a Volta card\n"
    "-gpgpu_ptx_force_max_capability 70\n"
    "-gpgpu_compute_capability_major 7\n-gpgpu_compute_capability_minor 0\n"
    "-gpgpu_kernel_launch_latency 4000\n-gpgpu_TB_launch_latency 0\n"
    "-gpgpu_n_clusters 40\n-gpgpu_n_cores_per_cluster 2\n"
    "-gpgpu_n_mem 24 # channels\n-gpgpu_n_sub_partition_per_mchannel 2\n"
    "-gpgpu_clock_domains 1200.0:1200.0:1200.0:850.0\n"
    "-gpgpu_shader_core_pipeline 2048:32\n-gpgpu_shader_cta 32\n-gpgpu_shader_registers 65536\n"
    "-gpgpu_num_sched_per_core 4\n-gpgpu_scheduler lrr\n-gpgpu_num_reg_banks 8\n"
    "-gpgpu_unified_l1d_size 128\n-gpgpu_shmem_option 0,8,16,32,64,96\n"
    "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n"
    "-gpgpu_l1_latency 20\n-gpgpu_smem_latency 20\n"
    "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n"
    "-gpgpu_l2_rop_latency 160\n-dram_latency 100\n-gpgpu_perf_sim_memcpy 1\n"
    "-gpgpu_memory_partition_indexing 2\n"
    "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR\n"
    "-gpgpu_dram_buswidth 16\n-gpgpu_dram_burst_length 2\n-dram_data_command_freq_ratio 2\n"
    "-gpgpu_n_mem_per_ctrlr 1\n-gpgpu_frfcfs_dram_sched_queue_size 64\n-gpgpu_dram_scheduler 1\n"
    "-gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:\n"
    "    CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\n"
    "-dram_write_queue_size 128:108:32\n-icnt_flit_size 40\n-icnt_in_buffer_limit 512\n"
    "-gpgpu_adaptive_cache_config 1\n-gpgpu_flush_l1_cache 1\n-gpgpu_gmem_skip_L1D 0\n"
    "-gpgpu_perfect_inst_const_cache 1\n-gpgpu_concurrent_kernel_sm 0\n"
    "-gpgpu_operand_collector_num_units_gen 8\n-made_up_key 1 2 3\n-no_value\n";

static const char volta_trace[] = "-trace_opcode_latency_initiation_int 2,2\n"
                                  "-trace_opcode_latency_initiation_sp 2,1\n"
                                  "-trace_opcode_latency_initiation_dp 8,4\n"
                                  "-trace_opcode_latency_initiation_sfu 20,8\n"
                                  "-specialized_unit_1 1,4,4,4,4,BRA\n"
                                  "-trace_opcode_latency_initiation_spec_op_1 4,4\n";

static const char turing[] =
    "-gpgpu_compute_capability_major 7 -gpgpu_compute_capability_minor 5 -gpgpu_n_clusters 30\n"
    "-gpgpu_n_mem 12 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_clock_domains "
    "1365:1300:1365:3500.5\n"
    "-gpgpu_shader_core_pipeline 1024:32 -gpgpu_l2_rop_latency 194 -gpgpu_unified_l1d_size 96\n"
    "-gpgpu_shmem_option 32,64 -gpgpu_cache:dl2 S:64:128:16,F:B:m:L:P,A:192:4,32:0,32\n"
    "-gpgpu_dram_buswidth 2 -gpgpu_dram_burst_length 16 -dram_data_command_freq_ratio 4\n"
    "-trace_opcode_latency_initiation_dp 64,64 -dram_latency 96\n"
    "-gpgpu_memory_partition_indexing 0 -gpgpu_adaptive_cache_config 1\n";

static char *write_file(const char *name, const char *text)
{
    static char path[2][64];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof(path[0]), "import-%s", name);
    FILE *f = fopen(path[turn], "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path[turn];
}

typedef struct {
    rb_err_t err;
    rb_code_t code;
    char *config, *report; /* owned */
    gpu_spec_t spec;
} imported_t;

static char *print(const import_t *im, bool report)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    if (report)
        import_write_report(im, "", out);
    else
        import_write_config(im, out);
    fclose(out);
    return text;
}

/* Imports one or two files; second may be NULL. */
static imported_t import_text(const char *first, const char *second)
{
    imported_t r;
    memset(&r, 0, sizeof(r));
    import_t *im = import_create();
    char *path = write_file("gpgpusim.config", first);
    r.code = import_read(im, path, &r.err);
    unlink(path);
    if (r.code == RB_OK && second) {
        path = write_file("trace.config", second);
        r.code = import_read(im, path, &r.err);
        unlink(path);
    }
    if (r.code == RB_OK)
        r.code = import_map(im, &r.err);
    if (r.code == RB_OK) {
        r.config = print(im, false);
        r.report = print(im, true);
        conf_t *c = conf_create();
        if (conf_load_text(c, "imported", r.config, strlen(r.config), &r.err) != RB_OK ||
            gpu_spec_from_conf(&r.spec, c, &r.err) != RB_OK)
            fail_msg("%s\n%s", r.err.text, r.config);
        conf_destroy(c);
    }
    import_destroy(im);
    return r;
}

static imported_t import_good(const char *first, const char *second)
{
    imported_t r = import_text(first, second);
    if (r.code != RB_OK)
        fail_msg("%s", r.err.text);
    return r;
}

static void release(imported_t *r)
{
    free(r->config);
    free(r->report);
}

static void a_volta_card_keeps_its_numbers(void **state)
{
    (void)state;
    imported_t r = import_good(volta, volta_trace);
    const gpu_spec_t *s = &r.spec;
    assert_int_equal(s->gpu.arch, 70);
    assert_true(s->gpu.clock_mhz == 1200);
    assert_int_equal(s->gpu.launch_latency, 4000);
    assert_int_equal(s->sm.sm.count, 80);
    assert_int_equal(s->sm.sm.max_warps, 64);
    assert_int_equal(s->sm.sm.scheduler, SCHEDULER_LRR);
    assert_int_equal(s->sm.sm.rf_banks, 2);
    assert_int_equal(s->sm.sm.fp32_lanes, 32);
    assert_int_equal(s->sm.sm.fp64_lanes, 8);
    assert_false(s->sm.sm.fp64_shared);
    assert_int_equal(s->sm.sm.xu_lanes, 4);
    assert_int_equal(s->sm.lat.fp32, 7);
    assert_int_equal(s->sm.lat.fp64, 13);
    assert_int_equal(s->sm.lat.mufu, 25);
    assert_int_equal(s->sm.l1.unified, 128 << 10);
    assert_int_equal(s->sm.l1.carveouts.n, 6);
    assert_int_equal(s->sm.l1.mshrs, 512);
    assert_int_equal(s->sm.l1.mshr_merge, 8);
    assert_int_equal(s->sm.l1.latency, 24);
    assert_int_equal(s->sm.shared.latency, 25);
    assert_int_equal(s->mem.mem.partitions, 24);
    assert_int_equal(s->mem.mem.interleave, 256);
    assert_int_equal(s->mem.mem.hash, HASH_IPOLY);
    assert_int_equal(s->mem.icnt.flit_bytes, 32);
    assert_int_equal(s->mem.l2.slices, 48);
    assert_int_equal(s->mem.l2.size, 4608 << 10);
    assert_int_equal(s->mem.l2.ways, 24);
    assert_int_equal(s->mem.l2.replacement, REPLACEMENT_LRU);
    assert_int_equal(s->mem.dram.latency, 100);
    assert_int_equal(s->mem.dram.burst_bytes, 32);
    assert_int_equal(s->mem.dram.write_high, 108);
    assert_int_equal(s->mem.dram.tRC, 40);
    assert_int_equal(s->mem.dram.tCL, 12);
    assert_int_equal(s->mem.dram.tCCDL, 2);
    assert_int_equal(s->mem.dram.banks, 16);
    release(&r);
}

static void an_l2_hit_takes_as_long_as_in_the_simulator_it_came_from(void **state)
{
    (void)state;
    imported_t r = import_good(volta, NULL);
    const gpu_spec_t *s = &r.spec;
    assert_int_equal(s->sm.sm.mem_issue_latency + s->sm.l1.miss_latency +
                         s->mem.icnt.request_latency + s->mem.l2.latency +
                         s->mem.icnt.reply_latency + s->sm.l1.fill_latency,
                     172); // measured there with rop latency 160
    release(&r);
}

static void a_turing_card_inherits_turing_and_shares_its_fp64_unit(void **state)
{
    (void)state;
    imported_t r = import_good(turing, NULL);
    const gpu_spec_t *s = &r.spec;
    assert_non_null(strstr(r.config, "inherit = \"turing.cfg\";"));
    assert_int_equal(s->gpu.arch, 75);
    assert_int_equal(s->sm.sm.count, 30);
    assert_int_equal(s->sm.sm.max_warps, 32);
    assert_int_equal(s->sm.sm.lsu_lanes, 16);
    assert_true(s->sm.sm.fp64_shared);
    assert_int_equal(s->sm.sm.fp64_lanes, 2);
    assert_int_equal(s->mem.l2.size, 3 << 20);
    assert_int_equal(s->mem.l2.replacement, REPLACEMENT_FIFO);
    assert_int_equal(s->mem.mem.hash, HASH_NONE);
    assert_true(s->mem.dram.clock_mhz == 3500.5);
    assert_non_null(strstr(r.report, "crossbar and L2 run at the core clock"));
    release(&r);
}

static void every_key_is_listed_once_with_what_became_of_it(void **state)
{
    (void)state;
    imported_t r = import_good(volta, volta_trace);
    assert_non_null(strstr(r.report, "same         -gpgpu_shader_cta 32 -> sm.max_blocks = 32\n"));
    assert_non_null(strstr(r.report, "approximated -gpgpu_l1_latency 20 -> l1.latency = 24: "));
    assert_non_null(strstr(r.report, "lost         -made_up_key 1 2 3: rubato does not know"));
    assert_non_null(strstr(r.report, "lost         -no_value : rubato does not know"));
    assert_non_null(strstr(r.report, "approximated -gpgpu_operand_collector_num_units_gen 8: "));
    size_t keys = 0, lines = 0;
    for (const char *c = volta; *c; c++)
        keys += c[0] == '-' && (c == volta || c[-1] == '\n');
    for (const char *c = volta_trace; *c; c++)
        keys += c[0] == '-' && (c == volta_trace || c[-1] == '\n');
    for (const char *c = r.report; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, keys + 1);
    char total[32];
    snprintf(total, sizeof(total), "\n%zu keys: ", keys);
    assert_non_null(strstr(r.report, total));
    // The list also stands in the file.
    assert_non_null(strstr(r.config, "\n# same         -gpgpu_shader_cta 32"));
    release(&r);
}

/* The L1 does not take what shared memory leaves, and is as large as the file says. */
static void an_l1_of_fixed_size_keeps_its_size(void **state)
{
    (void)state;
    imported_t r = import_good("-gpgpu_adaptive_cache_config 0\n-gpgpu_unified_l1d_size 128\n"
                               "-gpgpu_shmem_option 0,64,96\n-gpgpu_shmem_size 49152\n"
                               "-gpgpu_cache:dl1 S:4:128:8,L:E:m:N:L,A:512:8,16:0,32\n",
                               NULL);
    const gpu_spec_t *s = &r.spec;
    assert_int_equal(s->sm.l1.unified, (4 << 10) + (48 << 10));
    assert_int_equal(s->sm.l1.carveouts.n, 1);
    assert_int_equal(s->sm.l1.carveouts.v[0], 48 << 10);
    assert_int_equal(s->sm.l1.write, WRITE_POLICY_EVICT);
    assert_non_null(strstr(r.report, " 0 lost"));
    release(&r);
    r = import_good("-gpgpu_cache:dl1 64:128:4,L:B:m:L:L,A:256:8,16:0\n", NULL);
    assert_int_equal(r.spec.sm.l1.sets, 64);
    assert_int_equal(r.spec.sm.l1.write, WRITE_POLICY_WRITE_BACK);
    assert_false(r.spec.sm.l1.hash_sets);
    release(&r);
    r = import_good("-gpgpu_cache:dl1 64:128:4,L:L:m:N:H,A:256:8,16:0\n", NULL);
    assert_true(r.spec.sm.l1.hash_sets);
    release(&r);
    r = import_good("-gpgpu_cache:dl1 none\n", NULL);
    assert_false(r.spec.sm.l1.enabled);
    release(&r);
}

static void launches_of_several_streams_and_perfect_parts_are_taken_over(void **state)
{
    (void)state;
    imported_t r = import_good("-gpgpu_concurrent_kernel_sm 1\n-gpgpu_max_concurrent_kernel 16\n"
                               "-gpgpu_perfect_mem 1\n-gpgpu_l2_rop_latency 300\n"
                               "-gpgpu_simple_dram_model 1\n-dram_elimnate_rw_turnaround 1\n"
                               "-gpgpu_dram_timing_opt nbk=16:CDLR=7\n",
                               NULL);
    assert_int_equal(r.spec.gpu.concurrent_launches, 16);
    assert_true(r.spec.mem.l2.perfect && r.spec.mem.icnt.perfect && r.spec.mem.dram.perfect);
    assert_in_range(r.spec.mem.icnt.request_latency, 1, 10);
    assert_int_equal(r.spec.mem.dram.tCDLR, 0);
    assert_non_null(strstr(r.report, " 0 lost"));
    release(&r);
}

/* Two units of a kind in each sub-core, or one for two of them. */
static void the_number_of_units_is_in_the_lanes(void **state)
{
    (void)state;
    static const char trace[] = "-trace_opcode_latency_initiation_sp 2,4\n"
                                "-trace_opcode_latency_initiation_sfu 20,4\n";
    imported_t r = import_good("-gpgpu_num_sp_units 8\n-gpgpu_num_sfu_units 2\n", trace);
    assert_int_equal(r.spec.sm.sm.fp32_lanes, 16);
    assert_int_equal(r.spec.sm.sm.xu_lanes, 4);
    release(&r);
    r = import_good("-gpgpu_num_sp_units 8\n", NULL);
    assert_non_null(strstr(r.report, "lost         -gpgpu_num_sp_units 8: no initiation interval"));
    release(&r);
}

/* Before 2020 many names had no prefix. What a whole file leaves out has Accel-Sim's default. */
static void old_names_and_silence_mean_what_they_mean_there(void **state)
{
    (void)state;
    static const char old[] = "-gpgpu_n_clusters 80 -gpgpu_n_mem 32 -rop_latency 160\n"
                              "-gpgpu_clock_domains 1132:1132:1132:850 -l1_latency 28\n"
                              "-adaptive_volta_cache_config 1 -Write_Queue_Size 64:48:16\n";
    imported_t r = import_good(old, NULL);
    assert_int_equal(r.spec.sm.l1.latency, 32);
    assert_int_equal(r.spec.gpu.launch_latency, 0);
    assert_non_null(strstr(r.report, "approximated -rop_latency 160 -> icnt.request_latency"));
    assert_non_null(strstr(r.report, "same         -gpgpu_kernel_launch_latency 0 (not set: "));
    assert_non_null(strstr(r.report, "lost         -gpgpu_flush_l1_cache 0 (not set: "));
    release(&r);
    r = import_good("-gpgpu_n_clusters 70\n", NULL);
    assert_int_equal(r.spec.gpu.launch_latency, 5000);
    release(&r);
}

/* Of these rubato has one value each; a study that varies them is not silently the same. */
static void what_rubato_has_in_one_way_only_is_lost_in_another(void **state)
{
    static const char *const lost[] = {"gpgpu_sub_core_model 0",
                                       "gpgpu_max_insn_issue_per_warp 2",
                                       "gpgpu_flush_l1_cache 0",
                                       "gpgpu_operand_collector_num_units_gen 16",
                                       "gpgpu_memory_partition_indexing 1",
                                       "gpgpu_cache:dl1 S:4:128:64,L:R:m:L:L,A:512:8,16:0,32",
                                       "gpgpu_cache:dl2 S:32:128:24,L:T:m:L:P,A:192:4,32:0,32",
                                       "gpgpu_max_insn 1000000",
                                       "gpgpu_clock_domains 1132:1132:900:850",
                                       "network_mode 1",
                                       "icnt_subnets 1",
                                       "gpgpu_cache:dl2_texture_only 1",
                                       "gpgpu_shmem_size 1024",
                                       "gpgpu_num_int_units 0"};
    (void)state;
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
        char text[200], want[220];
        snprintf(text, sizeof(text), "-gpgpu_n_mem 32\n-%s\n", lost[i]);
        snprintf(want, sizeof(want), "lost         -%s", lost[i]);
        imported_t r = import_good(text, NULL);
        if (strstr(r.report, want) == NULL)
            fail_msg("'%s' is not in: %s", want, r.report);
        assert_non_null(strstr(r.report, " 1 lost"));
        release(&r);
    }
}

static void the_last_of_two_equal_keys_counts(void **state)
{
    (void)state;
    imported_t r = import_good("-gpgpu_n_clusters 10\n-gpgpu_n_clusters 20\n", NULL);
    assert_int_equal(r.spec.sm.sm.count, 20);
    assert_non_null(strstr(r.report, "no effect    -gpgpu_n_clusters 10: overridden further down"));
    release(&r);
}

static void what_cannot_be_is_listed_and_not_taken(void **state)
{
    (void)state;
    imported_t r = import_good("-gpgpu_n_clusters 5000\n-gpgpu_l1_latency fast\n"
                               "-gpgpu_scheduler two_level_active:6:0:1\n-gpgpu_clock_domains 7\n"
                               "-gpgpu_cache:dl2 none\n-gpgpu_cache:dl1 N:4:64:8,L:T,A:1:1\n"
                               "-gpgpu_dram_timing_opt nbk=16:FOO=3\n"
                               "-trace_opcode_latency_initiation_sp 5000000,2\n"
                               "-gpgpu_shmem_option 99999999\n-gpgpu_n_mem 0\n",
                               NULL);
    assert_int_equal(r.spec.sm.sm.count, 80);
    assert_non_null(strstr(r.report, "lost         -gpgpu_n_clusters 5000: sm.count must be 1 to"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_l1_latency fast: this value is not"));
    assert_non_null(strstr(r.report, "approximated -gpgpu_scheduler two_level"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_clock_domains 7: this value"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_cache:dl2 none: rubato always has"));
    assert_non_null(
        strstr(r.report, "lost         -gpgpu_cache:dl1 N:4:64:8,L:T,A:1:1: lines of 64"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_dram_timing_opt"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_n_mem 0: mem.partitions must be"));
    assert_null(strstr(r.report, "fp32"));
    release(&r);
}

/* They do not even get the default of a missing key. */
static void what_is_no_whole_number_is_not_understood(void **state)
{
    (void)state;
    static const char *const keys[] = {"gpgpu_n_clusters",     "gpgpu_n_cores_per_cluster",
                                       "gpgpu_n_mem",          "gpgpu_n_sub_partition_per_mchannel",
                                       "gpgpu_num_reg_banks",  "gpgpu_perf_sim_memcpy",
                                       "gpgpu_flush_l2_cache", "gpgpu_gmem_skip_L1D",
                                       "gpgpu_dram_scheduler", "gpgpu_memory_partition_indexing",
                                       "gpgpu_dram_buswidth"};
    static const char *const values[] = {"-80", "many", "99999999999", "", "1.5", "8x"};
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            char text[128], want[160];
            snprintf(text, sizeof(text), "-%s %s\n", keys[k], values[v]);
            snprintf(want, sizeof(want), "lost         -%s %s: this value is not understood",
                     keys[k], values[v]);
            imported_t r = import_good(text, NULL);
            if (!strstr(r.report, want))
                fail_msg("'%s' is not in: %s", want, r.report);
            assert_null(strstr(r.report, "->"));
            release(&r);
        }
    }
}

static void banks_of_no_sub_core_are_none(void **state)
{
    (void)state;
    imported_t r = import_good("-gpgpu_num_reg_banks 8\n-gpgpu_num_sched_per_core 0\n", NULL);
    assert_non_null(strstr(r.report, "lost         -gpgpu_num_reg_banks 8: sm.rf_banks must be"));
    assert_non_null(strstr(r.report, "lost         -gpgpu_num_sched_per_core 0: sm.sub_cores"));
    release(&r);
}

static void an_inconsistent_gpu_is_refused_with_its_reason(void **state)
{
    (void)state;
    imported_t r =
        import_text("-gpgpu_shader_core_pipeline 2016:32\n-gpgpu_num_sched_per_core 4\n", NULL);
    assert_int_equal(r.code, RB_CONFIG);
    assert_non_null(strstr(r.err.text,
                           "import-gpgpusim.config:1: -gpgpu_shader_core_pipeline 2016:32: "
                           "sm.max_warps = 63 must be"));
    release(&r);
    /* The error may be in the second file. */
    r = import_text("-gpgpu_num_sched_per_core 4\n",
                    "# more\n-gpgpu_shader_core_pipeline 2016:32\n");
    assert_int_equal(r.code, RB_CONFIG);
    assert_non_null(strstr(r.err.text, ":2: -gpgpu_shader_core_pipeline 2016:32: "));
}

static void what_is_no_such_file_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {{"", "has no options"},
               {"# nothing\n", "has no options"},
               {"\nhello\n", "import-gpgpusim.config:2: 'hello' is not an option"},
               {"-a \1\n", "binary"},
               {"{\"json\": 1}\n", ":1: '{\"json\":' is not an option"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        imported_t r = import_text(bad[i].text, NULL);
        assert_int_equal(r.code, RB_CONFIG);
        if (!strstr(r.err.text, bad[i].message))
            fail_msg("'%s' is not in: %s", bad[i].message, r.err.text);
    }
    rb_err_t err = {0};
    import_t *im = import_create();
    assert_int_equal(import_read(im, "no/such/file", &err), RB_IO);
    assert_int_equal(import_read(im, ".", &err), RB_IO);
    import_destroy(im);
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void random_changes_are_imported_or_refused_but_never_break_the_reader(void **state)
{
    (void)state;
    char text[sizeof(volta) + sizeof(volta_trace)];
    uint64_t seed = 88172645463325252;
    size_t accepted = 0;
    enum { CHANGES = 1500 };
    for (int i = 0; i < CHANGES; i++) {
        snprintf(text, sizeof(text), "%s%s", volta, volta_trace);
        size_t n = strlen(text);
        for (uint64_t edits = 1 + next_random(&seed) % 8; edits; edits--)
            text[next_random(&seed) % n] = "0123456789:,-. #=LSA\n\t\"%"[next_random(&seed) % 24];
        imported_t r = import_text(text, NULL);
        accepted += r.code == RB_OK;
        assert_true(r.code == RB_OK || r.err.text[0]);
        release(&r);
    }
    assert_in_range(accepted, CHANGES / 10, CHANGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_volta_card_keeps_its_numbers),
        cmocka_unit_test(an_l2_hit_takes_as_long_as_in_the_simulator_it_came_from),
        cmocka_unit_test(a_turing_card_inherits_turing_and_shares_its_fp64_unit),
        cmocka_unit_test(every_key_is_listed_once_with_what_became_of_it),
        cmocka_unit_test(an_l1_of_fixed_size_keeps_its_size),
        cmocka_unit_test(launches_of_several_streams_and_perfect_parts_are_taken_over),
        cmocka_unit_test(the_number_of_units_is_in_the_lanes),
        cmocka_unit_test(old_names_and_silence_mean_what_they_mean_there),
        cmocka_unit_test(what_rubato_has_in_one_way_only_is_lost_in_another),
        cmocka_unit_test(the_last_of_two_equal_keys_counts),
        cmocka_unit_test(what_cannot_be_is_listed_and_not_taken),
        cmocka_unit_test(what_is_no_whole_number_is_not_understood),
        cmocka_unit_test(banks_of_no_sub_core_are_none),
        cmocka_unit_test(an_inconsistent_gpu_is_refused_with_its_reason),
        cmocka_unit_test(what_is_no_such_file_is_refused_with_its_line),
        cmocka_unit_test(random_changes_are_imported_or_refused_but_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
