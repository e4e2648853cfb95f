/*
 * Keys without a setting: those that change no result, and those of which rubato has only some values.
 * Another value of the latter is lost. The values are those of the configurations that Accel-Sim ships for
 * Volta and later (gpgpu-sim_distribution 667834c).
 */
#include <string.h>

#include "frontend/input/gpgpusim/config_import_internal.h"

#define TEX_OF_VOLTA  "N:4:128:256,L:R:m:N:L,T:512:8,128:2"
#define PLAIN_WIDTHS  "4,4,4,4,4,4,4,4,4,4,8,4,4"
#define PTX           "PTX mode only; rubato runs machine code"
#define OWN_CROSSBAR  "the crossbar is rubato's own: icnt.*"
#define NO_COLLECTORS "Volta and later have no operand collectors"
#define NO_POWER      "no power model"
#define ONE_INST      "one instruction per sub-core and cycle, always"
#define OWN_BANKS     "banks are hashed by rubato's own map"
#define IN_SIMULATOR  "only for programs that run in the simulator"
#define OWN_STATS     "statistics are rubato's own"
#define NOT_A_PART    "rubato run --launches simulates a part of a trace"
#define CHECKPOINTS   "checkpoints of PTX mode"

/* The first row with the beginning of a key counts. values: those that are treated so, divided by blanks;
 * NULL: all. */
static const struct {
    const char *prefix, *values;
    import_status_t status;
    const char *reason;
} fixed[] = {
    {"ptx_", NULL, IMPORT_UNUSED, PTX},
    {"gpgpu_ptx_", NULL, IMPORT_UNUSED, PTX},
    {"save_embedded_ptx", NULL, IMPORT_UNUSED, PTX},
    {"keep", NULL, IMPORT_UNUSED, PTX},
    {"gpgpu_experimental_lib_support", NULL, IMPORT_UNUSED, PTX},
    {"cdp_latency", NULL, IMPORT_UNUSED, PTX},
    {"gpgpu_cdp_enabled", NULL, IMPORT_UNUSED, PTX},
    {"checkpoint_", NULL, IMPORT_UNUSED, CHECKPOINTS},
    {"resume_", NULL, IMPORT_UNUSED, CHECKPOINTS},
    {"gpgpu_simd_model", NULL, IMPORT_UNUSED, "divergence comes from the trace"},
    {"gpgpu_stack_size_limit", NULL, IMPORT_UNUSED, IN_SIMULATOR},
    {"gpgpu_heap_size_limit", NULL, IMPORT_UNUSED, IN_SIMULATOR},
    {"gpgpu_runtime_stat", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_runtime_", NULL, IMPORT_UNUSED, IN_SIMULATOR},
    {"gpgpu_num_cta_barriers", NULL, IMPORT_UNUSED, "a limit that the trace has kept"},
    {"gpgpu_registers_per_block", NULL, IMPORT_UNUSED, "a limit that the trace has kept"},
    {"gpgpu_shmem_per_block", NULL, IMPORT_UNUSED, "a limit that the trace has kept"},
    {"gpgpu_occupancy_sm_number", NULL, IMPORT_UNUSED, "occupancy follows from sm.* and l1.*"},
    {"gpgpu_shmem_size_Pref", NULL, IMPORT_UNUSED, "only where a program prefers one"},
    {"gpgpu_num_mem_units", NULL, IMPORT_UNUSED, "Accel-Sim does not use it"},
    {"gpgpu_clock_gated_", NULL, IMPORT_UNUSED, NO_POWER},
    {"n_regfile_gating_group", NULL, IMPORT_UNUSED, NO_POWER},
    {"gpuwattch", NULL, IMPORT_UNUSED, NO_POWER},
    {"mcpat", NULL, IMPORT_UNUSED, NO_POWER},
    {"accelwattch", NULL, IMPORT_UNUSED, NO_POWER},
    {"aggregate_power_stats", NULL, IMPORT_UNUSED, NO_POWER},
    {"power_", NULL, IMPORT_UNUSED, NO_POWER},
    {"steady_", NULL, IMPORT_UNUSED, NO_POWER},
    {"hw_perf_", NULL, IMPORT_UNUSED, NO_POWER},
    {"dvfs_enabled", "0", IMPORT_UNUSED, "clocks do not change during a run"},
    {"visualizer", NULL, IMPORT_UNUSED, OWN_STATS},
    {"enable_ptx_file_line_stats", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_memlatency_stat", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_cflog_interval", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_warpdistro_shader", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_warp_issue_shader", NULL, IMPORT_UNUSED, OWN_STATS},
    {"liveness_message_freq", NULL, IMPORT_UNUSED, OWN_STATS},
    {"icnt_verbose", NULL, IMPORT_UNUSED, OWN_STATS},
    {"gpgpu_deadlock_detect", NULL, IMPORT_UNUSED, "rubato always detects deadlocks"},
    {"gpgpu_mem_addr_test", NULL, IMPORT_UNUSED, "a test of Accel-Sim's"},
    {"trace_enabled", NULL, IMPORT_UNUSED, OWN_STATS},
    {"trace_components", NULL, IMPORT_UNUSED, OWN_STATS},
    {"trace_sampling_", NULL, IMPORT_UNUSED, OWN_STATS},
    {"trace_driven_mode", NULL, IMPORT_UNUSED, "the trace is an argument of rubato run"},
    {"gpgpu_max_cycle", "0", IMPORT_UNUSED, NOT_A_PART},
    {"gpgpu_max_insn_issue_per_warp", "1", IMPORT_SAME, ONE_INST},
    {"gpgpu_max_insn", "0", IMPORT_UNUSED, NOT_A_PART},
    {"gpgpu_max_cta", "0", IMPORT_UNUSED, NOT_A_PART},
    {"gpgpu_max_completed_cta", "0", IMPORT_UNUSED, NOT_A_PART},
    {"gpgpu_ignore_resources_limitation", "0", IMPORT_SAME, "resources always limit occupancy"},
    {"gpgpu_operand_collector_num_", "8 0", IMPORT_APPROXIMATED, NO_COLLECTORS},
    {"gpgpu_enable_specialized_operand_collector", "0", IMPORT_APPROXIMATED, NO_COLLECTORS},
    {"gpgpu_reg_bank_use_warp_id", "0", IMPORT_SAME, "the bank is that of the register number"},
    {"gpgpu_pipeline_widths", PLAIN_WIDTHS, IMPORT_APPROXIMATED, ONE_INST},
    {"gpgpu_dual_issue", NULL, IMPORT_UNUSED, ONE_INST},
    {"gpgpu_sub_core_model", "1", IMPORT_SAME, "sub-cores are always isolated"},
    {"gpgpu_inst_fetch_throughput", "4", IMPORT_APPROXIMATED, "every sub-core fetches on its own"},
    {"gpgpu_tensor_core_avail", "1", IMPORT_SAME, "tensor cores always exist"},
    {"gpgpu_coalesce_arch", "60 61 62 70 72 75 80 86 87 89 90", IMPORT_SAME,
     "the whole warp is coalesced into 32-byte sectors, always"},
    {"gpgpu_shmem_limited_broadcast", "0", IMPORT_SAME, "any number of words are broadcast"},
    {"gpgpu_shmem_warp_parts", "1", IMPORT_SAME, "a warp accesses shared memory as a whole"},
    {"gpgpu_mem_unit_ports", "1", IMPORT_APPROXIMATED, "rubato's own: l1.load_interval"},
    {"gpgpu_local_mem_map", "1", IMPORT_SAME, "local memory is interleaved by thread"},
    {"gpgpu_l1_banks_hashing_function", "0", IMPORT_SAME, "the bank is that of the address"},
    {"gpgpu_l1_cache_write_ratio", "0 25", IMPORT_UNUSED, "the L1 writes through"},
    {"gpgpu_flush_l1_cache", "1", IMPORT_SAME, "the L1 is always invalidated between launches"},
    {"gpgpu_cache:dl2_texture_only", "0", IMPORT_SAME, "the L2 serves all accesses"},
    {"gpgpu_cache:dl1Pref", "none", IMPORT_UNUSED, "only where a program prefers one"},
    {"gpgpu_tex_cache", TEX_OF_VOLTA, IMPORT_APPROXIMATED, "textures use the L1"},
    {"gpgpu_n_cluster_ejection_buffer_size", "32", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"gpgpu_n_ldst_response_buffer_size", "2", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"gpgpu_simt_core_sim_order", NULL, IMPORT_APPROXIMATED, "results depend on no such order"},
    {"gpgpu_dram_return_queue_size", "0 192", IMPORT_APPROXIMATED, "replies wait in the L2"},
    {"gpgpu_mem_address_mask", "1", IMPORT_APPROXIMATED, OWN_BANKS},
    {"dram_dual_bus_interface", NULL, IMPORT_APPROXIMATED,
     "row and column commands never share a slot"},
    {"dram_bnk", NULL, IMPORT_APPROXIMATED, OWN_BANKS},
    {"dram_seperate_write_queue_enable", NULL, IMPORT_APPROXIMATED,
     "writes always have their own queue"},
    {"network_mode", "2", IMPORT_APPROXIMATED, "a crossbar, always"},
    {"inter_config_file", NULL, IMPORT_UNUSED, "network_mode says whether it is used"},
    {"icnt_in_buffer_limit", "512", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"icnt_out_buffer_limit", "512", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"icnt_subnets", "2", IMPORT_SAME, "requests and replies have networks of their own"},
    {"icnt_arbiter_algo", "1", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"icnt_grant_cycles", "1", IMPORT_APPROXIMATED, OWN_CROSSBAR},
    {"specialized_unit_", NULL, IMPORT_APPROXIMATED,
     "opcodes are assigned to units by rubato's own table"},
};

/* Whether value is one of those in the list. */
static bool is_listed(const char *list, const char *value)
{
    const size_t n = strlen(value);
    for (const char *at = list; n > 0 && (at = strstr(at, value)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

bool import_fixed(import_option_t *o)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (strncmp(o->key, fixed[i].prefix, strlen(fixed[i].prefix)) != 0)
            continue;
        if (fixed[i].values == NULL || is_listed(fixed[i].values, o->value))
            import_treat(o, fixed[i].status, "%s", fixed[i].reason);
        else
            import_treat(o, IMPORT_LOST, "%s; it has only %s", fixed[i].reason, fixed[i].values);
        return true;
    }
    return false;
}

/* Names before 2020 (gpgpu-sim_distribution, its history) and today's. */
static const struct {
    const char *old, *now;
} renamed[] = {
    {"adaptive_cache_config", "gpgpu_adaptive_cache_config"},
    {"adaptive_volta_cache_config", "gpgpu_adaptive_cache_config"},
    {"adpative_volta_cache_config", "gpgpu_adaptive_cache_config"},
    {"l1_banks", "gpgpu_l1_banks"},
    {"l1_latency", "gpgpu_l1_latency"},
    {"smem_latency", "gpgpu_smem_latency"},
    {"gmem_skip_L1D", "gpgpu_gmem_skip_L1D"},
    {"gpgpu_flush_cache", "gpgpu_flush_l1_cache"},
    {"gpgpu_cache_write_ratio", "gpgpu_l1_cache_write_ratio"},
    {"mem_unit_ports", "gpgpu_mem_unit_ports"},
    {"perf_sim_memcpy", "gpgpu_perf_sim_memcpy"},
    {"perfect_inst_const_cache", "gpgpu_perfect_inst_const_cache"},
    {"inst_fetch_throughput", "gpgpu_inst_fetch_throughput"},
    {"enable_specialized_operand_collector", "gpgpu_enable_specialized_operand_collector"},
    {"sub_core_model", "gpgpu_sub_core_model"},
    {"rop_latency", "gpgpu_l2_rop_latency"},
    {"memory_partition_indexing", "gpgpu_memory_partition_indexing"},
    {"simple_dram_model", "gpgpu_simple_dram_model"},
    {"gpgpu_dram_sched_queue_size", "gpgpu_frfcfs_dram_sched_queue_size"},
    {"dual_bus_interface", "dram_dual_bus_interface"},
    {"Elimnate_rw_turnaround", "dram_elimnate_rw_turnaround"},
    {"Seperate_Write_Queue_Enable", "dram_seperate_write_queue_enable"},
    {"Write_Queue_Size", "dram_write_queue_size"},
    {"inct_in_buffer_limit", "icnt_in_buffer_limit"},
    {"inct_out_buffer_limit", "icnt_out_buffer_limit"},
    {"inct_subnets", "icnt_subnets"},
    {"arbiter_algo", "icnt_arbiter_algo"},
};

const char *import_today(const char *key)
{
    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
        if (!strcmp(key, renamed[i].old))
            return renamed[i].now;
    return key;
}

/* What Accel-Sim assumes where its file is silent. Only what a file may well leave out. */
static const struct {
    const char *key, *value;
} defaults[] = {
    {"gpgpu_kernel_launch_latency", "0"},
    {"gpgpu_concurrent_kernel_sm", "0"},
    {"gpgpu_perf_sim_memcpy", "1"},
    {"gpgpu_adaptive_cache_config", "0"},
    {"gpgpu_gmem_skip_L1D", "0"},
    {"gpgpu_flush_l1_cache", "0"},
    {"gpgpu_l2_rop_latency", "85"},
    {"dram_latency", "30"},
    {"gpgpu_perfect_inst_const_cache", "0"},
    {"gpgpu_memory_partition_indexing", "0"},
};

/* Some lines that are to change another configuration have no defaults. */
static bool is_whole(const import_t *im)
{
    return import_find(im, "gpgpu_n_clusters") != NULL && import_find(im, "gpgpu_n_mem") != NULL &&
           import_find(im, "gpgpu_clock_domains") != NULL;
}

size_t import_missing(const import_t *im, const char *keys[IMPORT_DEFAULTS],
                      const char *values[IMPORT_DEFAULTS])
{
    _Static_assert(sizeof(defaults) / sizeof(defaults[0]) <= IMPORT_DEFAULTS, "too few places");
    size_t n = 0;
    for (size_t i = 0; is_whole(im) && i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (import_find(im, defaults[i].key) == NULL) {
            keys[n] = defaults[i].key;
            values[n++] = defaults[i].value;
        }
    return n;
}
