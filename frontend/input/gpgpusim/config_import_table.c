/*
 * The keys of gpgpusim.config and trace.config (gpgpu-sim_distribution 667834c, accel-sim-framework
 * 2260456) and their translation.
 */
#include <string.h>

#include "frontend/input/gpgpusim/config_import_internal.h"

/* Numbers with the same meaning in both. */
static const struct {
    const char *key, *setting;
} same[] = {
    {"gpgpu_kernel_launch_latency", "gpu.launch_latency"},
    {"gpgpu_shader_registers", "sm.registers"},
    {"gpgpu_shader_cta", "sm.max_blocks"},
    {"gpgpu_num_sched_per_core", "sm.sub_cores"},
    {"gpgpu_reg_file_port_throughput", "sm.rf_bank_reads"},
    {"gpgpu_shmem_num_banks", "shared.banks"},
    {"dram_latency", "dram.latency"},
    {"dram_data_command_freq_ratio", "dram.data_rate"},
};

/* Keys that need more work: with integer values, and others. */
typedef struct {
    const char *key;
    void (*map)(import_t *im, import_option_t *o);
} mapping_t;

static const mapping_t whole_numbers[] = {
    {"gpgpu_compute_capability_major", import_map_arch},
    {"gpgpu_compute_capability_minor", import_map_arch},
    {"gpgpu_n_clusters", import_map_clusters},
    {"gpgpu_n_cores_per_cluster", import_map_clusters},
    {"gpgpu_n_mem", import_map_slices},
    {"gpgpu_n_sub_partition_per_mchannel", import_map_slices},
    {"gpgpu_num_reg_banks", import_map_banks},
    {"gpgpu_unified_l1d_size", import_map_unified},
    {"gpgpu_l1_latency", import_map_plus},
    {"gpgpu_smem_latency", import_map_plus},
    {"gpgpu_gmem_skip_L1D", import_map_skip_l1},
    {"gpgpu_perfect_inst_const_cache", import_map_perfect_fetch},
    {"gpgpu_l2_rop_latency", import_map_rop},
    {"gpgpu_perf_sim_memcpy", import_map_memcpy},
    {"gpgpu_flush_l2_cache", import_map_flush_l2},
    {"gpgpu_TB_launch_latency", import_map_block_launch},
    {"gpgpu_memory_partition_indexing", import_map_hash},
    {"gpgpu_dram_buswidth", import_map_dram_bus},
    {"gpgpu_n_mem_per_ctrlr", import_map_dram_bus},
    {"gpgpu_dram_burst_length", import_map_dram_bus},
    {"gpgpu_dram_scheduler", import_map_dram_scheduler},
    {"gpgpu_frfcfs_dram_sched_queue_size", import_map_frfcfs_queue},
    {"icnt_flit_size", import_map_flit},
    {"gpgpu_concurrent_kernel_sm", import_map_concurrent},
    {"gpgpu_max_concurrent_kernel", import_map_concurrent},
    {"gpgpu_adaptive_cache_config", import_map_adaptive},
    {"gpgpu_shmem_size", import_map_shared_size},
    {"gpgpu_shmem_sizeDefault", import_map_shared_size},
    {"gpgpu_num_sp_units", import_map_units},
    {"gpgpu_num_dp_units", import_map_units},
    {"gpgpu_num_int_units", import_map_units},
    {"gpgpu_num_sfu_units", import_map_units},
    {"gpgpu_num_tensor_core_units", import_map_units},
    {"gpgpu_l1_banks", import_map_l1_banks},
    {"gpgpu_l1_banks_byte_interleaving", import_map_l1_banks},
    {"gpgpu_perfect_mem", import_map_perfect_memory},
    {"l2_ideal", import_map_ideal_l2},
    {"gpgpu_simple_dram_model", import_map_simple_dram},
    {"dram_elimnate_rw_turnaround", import_map_turnaround},
};

static const mapping_t others[] = {
    {"gpgpu_clock_domains", import_map_clocks},
    {"gpgpu_shader_core_pipeline", import_map_threads},
    {"gpgpu_scheduler", import_map_scheduler},
    {"trace_opcode_latency_initiation_int", import_map_unit},
    {"trace_opcode_latency_initiation_sp", import_map_unit},
    {"trace_opcode_latency_initiation_dp", import_map_unit},
    {"trace_opcode_latency_initiation_sfu", import_map_unit},
    {"trace_opcode_latency_initiation_tensor", import_map_unit},
    {"trace_opcode_latency_initiation_spec_op_1", import_map_special_unit},
    {"trace_opcode_latency_initiation_spec_op_2", import_map_special_unit},
    {"trace_opcode_latency_initiation_spec_op_3", import_map_unit},
    {"trace_opcode_latency_initiation_spec_op_4", import_map_special_unit},
    {"gpgpu_cache:dl1", import_map_l1},
    {"gpgpu_cache:dl2", import_map_l2},
    {"gpgpu_cache:il1", import_map_instruction_cache},
    {"gpgpu_const_cache:l1", import_map_constant_cache},
    {"gpgpu_shmem_option", import_map_carveouts},
    {"gpgpu_mem_addr_mapping", import_map_interleave},
    {"gpgpu_dram_timing_opt", import_map_dram_timing},
    {"dram_write_queue_size", import_map_write_queue},
    {"gpgpu_dram_partition_queues", import_map_partition_queues},
};

static const mapping_t *find_mapping(const mapping_t *m, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(key, m[i].key))
            return &m[i];
    return NULL;
}

void import_option(import_t *im, import_option_t *o)
{
    const size_t n_numbers = sizeof(whole_numbers) / sizeof(whole_numbers[0]);
    const size_t n_others = sizeof(others) / sizeof(others[0]);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (!strcmp(o->key, same[i].key)) {
            if (import_set(im, o, same[i].setting, "%s", o->value))
                import_exact(o);
            return;
        }
    const mapping_t *number = find_mapping(whole_numbers, n_numbers, o->key);
    const mapping_t *other = find_mapping(others, n_others, o->key);
    if (number != NULL && import_number(im, o->key, UINT64_MAX) == UINT64_MAX) {
        import_not_understood(o);
        return;
    }
    if (number != NULL || other != NULL) {
        (number != NULL ? number : other)->map(im, o);
        return;
    }
    if (!import_fixed(o))
        import_treat(o, IMPORT_LOST, "rubato does not know this key");
}
