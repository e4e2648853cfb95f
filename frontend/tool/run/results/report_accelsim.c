/*
 * Writes lines with Accel-Sim's names, for users' scripts. Only names for which rubato has the
 * correct value are written; counts are those of rubato's model. As in Accel-Sim, "insn" counts
 * thread instructions.
 */
#include "frontend/tool/run/results/run_report.h"

static void write_breakdown(FILE *out, const char *cache, const char *access, const char *kind,
                            uint64_t v)
{
    fprintf(out, "\t%s_cache_stats_breakdown[%s][%s] = %llu\n", cache, access, kind,
            (unsigned long long)v);
}

/* Counters since the beginning of the run; Accel-Sim also counts sectors. */
static void write_accumulated(FILE *out, const run_totals_t *t)
{
    fprintf(out, "gpgpu_n_tot_w_icount = %llu\n", (unsigned long long)t->warp_insts);
    fprintf(out, "gpgpu_n_shmem_bkconflict = %llu\n", (unsigned long long)t->sm.shared_conflicts);
    fprintf(out, "total dram reads = %llu\n", (unsigned long long)t->dram.read_sectors);
    fprintf(out, "total dram writes = %llu\n", (unsigned long long)t->dram.write_sectors);
    fputs("Total_core_cache_stats:\n", out);
    write_breakdown(out, "Total_core", "GLOBAL_ACC_R", "HIT", t->sm.global_load_hits);
    write_breakdown(out, "Total_core", "GLOBAL_ACC_R", "MSHR_HIT", t->sm.global_load_pending);
    write_breakdown(out, "Total_core", "GLOBAL_ACC_R", "TOTAL_ACCESS", t->sm.global_load_sectors);
    write_breakdown(out, "Total_core", "GLOBAL_ACC_W", "HIT", t->sm.global_store_hits);
    write_breakdown(out, "Total_core", "GLOBAL_ACC_W", "TOTAL_ACCESS", t->sm.global_store_sectors);
    fputs("L2_cache_stats:\n", out);
    write_breakdown(out, "L2", "GLOBAL_ACC_R", "HIT", t->l2.read_hits);
    write_breakdown(out, "L2", "GLOBAL_ACC_R", "TOTAL_ACCESS", t->l2.read_sectors);
    write_breakdown(out, "L2", "GLOBAL_ACC_W", "HIT", t->l2.write_hits);
    write_breakdown(out, "L2", "GLOBAL_ACC_W", "TOTAL_ACCESS", t->l2.write_sectors);
}

static void write_launch(FILE *out, const run_report_t *r, const launch_result_t *l,
                         const run_totals_t *t, double host_seconds)
{
    uint64_t cycles = launch_result_cycles(l);
    metric_input_t m = report_launch_metrics(r, l);
    double tot_cycles = (double)t->cycles;
    unsigned long s = (unsigned long)host_seconds;
    double per_second = host_seconds > 0.0 ? 1.0 / host_seconds : 0.0;
    double modelled = tot_cycles / (r->spec->gpu.clock_mhz * 1e6);

    fprintf(out, "kernel_name = %s\n", l->info.name);
    fprintf(out, "kernel_launch_uid = %llu\n", (unsigned long long)l->info.id);
    fprintf(out, "gpu_sim_cycle = %llu\n", (unsigned long long)cycles);
    fprintf(out, "gpu_sim_insn = %llu\n", (unsigned long long)l->thread_insts);
    fprintf(out, "gpu_ipc = %12.4f\n", stats_ratio(l->thread_insts, cycles));
    fprintf(out, "gpu_tot_sim_cycle = %.0f\n", tot_cycles);
    fprintf(out, "gpu_tot_sim_insn = %llu\n", (unsigned long long)t->thread_insts);
    fprintf(out, "gpu_tot_ipc = %12.4f\n", (double)t->thread_insts / tot_cycles);
    fprintf(out, "gpu_tot_issued_cta = %llu\n", (unsigned long long)t->blocks);
    double occupancy = metric_value(METRIC_achieved_occupancy, &m);
    if (occupancy >= 0.0)
        fprintf(out, "gpu_occupancy = %.4f%%\n", 100.0 * occupancy);
    double bandwidth = metric_value(METRIC_l2_bandwidth, &m);
    if (bandwidth >= 0.0)
        fprintf(out, "L2_BW = %12.4f GB/Sec\n", bandwidth / 1e9);
    write_accumulated(out, t);
    fprintf(out, "gpgpu_simulation_time = %lu days, %lu hrs, %lu min, %lu sec (%lu sec)\n",
            s / 86400, s / 3600 % 24, s / 60 % 60, s % 60, s);
    fprintf(out, "gpgpu_simulation_rate = %.0f (inst/sec)\n", (double)t->thread_insts * per_second);
    fprintf(out, "gpgpu_simulation_rate = %.0f (cycle/sec)\n", tot_cycles * per_second);
    fprintf(out, "gpgpu_silicon_slowdown = %.0fx\n\n", host_seconds / modelled);
}

rb_code_t report_accelsim(const run_report_t *r, FILE *out, rb_err_t *err)
{
    record_walk_t walk = record_walk(r->journal, RECORD_LAUNCH, err);
    run_totals_t sum = {0};
    while (record_walk_next(&walk)) {
        totals_add(&sum, &walk.record.launch);
        write_launch(out, r, &walk.record.launch, &sum, walk.record.host_seconds);
    }
    RB_TRY(walk.code);
    /* Scripts take this line as the sign that the run is complete. */
    if (r->complete)
        fputs("GPGPU-Sim: *** exit detected ***\n", out);
    return RB_OK;
}
