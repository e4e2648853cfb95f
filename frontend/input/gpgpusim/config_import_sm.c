/*
 * Keys of gpgpusim.config and trace.config that describe the SM. Where Accel-Sim's parameter is a
 * delay inside its pipeline, rubato gets the latency that a dependent instruction sees. The
 * differences were measured with chains of dependent instructions on Accel-Sim: arithmetic:
 * configured latency + 5; shared memory + 5; L1 hit + 4.
 */
#include <string.h>

#include "frontend/input/gpgpusim/config_import_internal.h"

enum { ALU_EXTRA = 5, SHARED_EXTRA = 5, L1_EXTRA = 4, WARP = 32, LINE = 128 };

unsigned import_arch(const import_t *im)
{
    static const char *const keys[] = {"gpgpu_ptx_force_max_capability",
                                       "gpgpu_occupancy_sm_number", "gpgpu_coalesce_arch"};
    uint64_t major = import_number(im, "gpgpu_compute_capability_major", 0);
    uint64_t arch = major * 10 + import_number(im, "gpgpu_compute_capability_minor", 0);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && (arch < 70 || arch > 99); i++)
        arch = import_number(im, keys[i], 0);
    return arch < 70 || arch > 99 ? 70 : (unsigned)arch;
}

void import_map_arch(import_t *im, import_option_t *o)
{
    bool known = im->arch == 70 || im->arch == 75;
    import_treat(o, known ? IMPORT_MAPPED : IMPORT_APPROXIMATED,
                 known ? "gpu.arch = %u and the inherited configuration"
                       : "gpu.arch = %u; the inherited configuration is the nearest known one",
                 im->arch);
}

void import_map_clusters(import_t *im, import_option_t *o)
{
    uint64_t sms = import_number(im, "gpgpu_n_clusters", 1) *
                   import_number(im, "gpgpu_n_cores_per_cluster", 1);
    if (import_set(im, o, "sm.count", "%llu", (unsigned long long)sms))
        import_treat(o,
                     import_number(im, "gpgpu_n_cores_per_cluster", 1) == 1 ? IMPORT_MAPPED
                                                                            : IMPORT_APPROXIMATED,
                     "clusters x cores; every SM has its own crossbar port");
}

void import_map_threads(import_t *im, import_option_t *o)
{
    uint32_t v[2];
    if (!import_numbers(o->value, ":", v, 2) || v[1] != WARP)
        import_not_understood(o);
    else if (import_set(im, o, "sm.max_warps", "%u", v[0] / WARP))
        import_treat(o, IMPORT_MAPPED, "threads / 32");
}

void import_map_scheduler(import_t *im, import_option_t *o)
{
    const char *name = o->value;
    if (!strcmp(name, "old"))
        name = "oldest";
    if (import_set(im, o, "sm.scheduler", "%s", name))
        import_exact(o);
}

/* Latency and initiation interval of a unit; lanes follow from the interval. */
void import_map_unit(import_t *im, import_option_t *o)
{
    static const struct {
        const char *key, *lanes, *lat[6];
    } unit[] = {
        {"trace_opcode_latency_initiation_int",
         "sm.int_lanes",
         {"lat.integer", "lat.move", "lat.imad", "lat.pred"}},
        {"trace_opcode_latency_initiation_sp",
         "sm.fp32_lanes",
         {"lat.fp32", "lat.fp32_cmp", "lat.fp32_setp", "lat.fp16"}},
        {"trace_opcode_latency_initiation_dp",
         "sm.fp64_lanes",
         {"lat.fp64", "lat.fp64_fma", "lat.fp64_cmp", "lat.conv64"}},
        {"trace_opcode_latency_initiation_sfu", "sm.xu_lanes", {"lat.mufu", NULL, NULL, NULL}},
        {"trace_opcode_latency_initiation_tensor",
         NULL,
         {"lat.hmma", "lat.hmma_wide", "lat.hmma_acc", "lat.imma", "lat.imma_wide", "lat.dmma"}},
        {"trace_opcode_latency_initiation_spec_op_3",
         NULL,
         {"lat.hmma", "lat.hmma_wide", "lat.hmma_acc", "lat.imma", "lat.imma_wide", "lat.dmma"}},
    };
    uint32_t v[2];
    size_t u = 0;
    while (strcmp(unit[u].key, o->key))
        u++;
    if (!import_numbers(o->value, ",", v, 2) || !v[0] || !v[1] || v[0] > 4000) {
        import_not_understood(o);
        return;
    }
    for (size_t i = 0; i < sizeof(unit[u].lat) / sizeof(unit[u].lat[0]) && unit[u].lat[i]; i++)
        if (!import_set(im, o, unit[u].lat[i], "%u", v[0] + ALU_EXTRA))
            return;
    bool good = true;
    if (!unit[u].lanes) {
        // An HMMA of Turing and later has 1024 multiply-adds or more; a step of Volta's has 256.
        uint32_t fma = (import_arch(im) < 75 ? 256 : 1024) / v[1];
        good = import_set(im, o, "sm.tensor_interval", "%u", v[1]) &&
               import_set(im, o, "sm.tensor_fma", "%u", fma < 16 ? 16 : fma);
    } else if (!strcmp(unit[u].lanes, "sm.fp64_lanes")) {
        // Slower than one lane per sub-core: the SM has one shared unit with four times the lanes.
        bool shared = v[1] > WARP / 2;
        uint32_t lanes = (shared ? 4 * WARP : WARP) / v[1];
        good = import_set(im, o, "sm.fp64_shared", shared ? "true" : "false") &&
               import_set(im, o, unit[u].lanes, "%u", lanes ? lanes : 1);
    } else {
        good = import_set(im, o, unit[u].lanes, "%u", v[1] < WARP ? WARP / v[1] : 1);
    }
    if (good)
        import_treat(o, IMPORT_APPROXIMATED, "as a dependent instruction sees it: latency + %d",
                     ALU_EXTRA);
}

void import_map_special_unit(import_t *im, import_option_t *o)
{
    bool branch = !strcmp(o->key, "trace_opcode_latency_initiation_spec_op_1");
    bool texture = !strcmp(o->key, "trace_opcode_latency_initiation_spec_op_2");
    uint32_t v[2];
    if (!import_numbers(o->value, ",", v, 2)) {
        import_not_understood(o);
        return;
    }
    const char *interval = branch    ? "sm.branch_interval"
                           : texture ? "sm.tex_interval"
                                     : "sm.uniform_interval";
    const char *latency = branch ? "sm.branch_latency" : texture ? "lat.tex" : "lat.uniform";
    if (import_set(im, o, interval, "%u", v[1]) && import_set(im, o, latency, "%u", v[0]))
        import_treat(o, IMPORT_APPROXIMATED, branch ? "sm.branch_taken_latency is inherited" : "");
}

void import_map_l1(import_t *im, import_option_t *o)
{
    uint32_t shape[3], mshr[2], queue;
    const char *replacement;
    if (!import_parse_cache(o->value, shape, &replacement, mshr, &queue)) {
        import_not_understood(o);
    } else if (shape[1] != LINE) {
        import_treat(o, IMPORT_IGNORED, "lines of %u bytes; rubato's have 128", shape[1]);
    } else if (import_set(im, o, "l1.sets", "%u", shape[0]) &&
               import_set(im, o, "l1.mshrs", "%u", mshr[0]) &&
               import_set(im, o, "l1.mshr_merge", "%u", mshr[1]) &&
               import_set(im, o, "l1.replacement", "%s", replacement) &&
               (!queue || import_set(im, o, "l1.miss_queue", "%u", queue))) {
        import_treat(o, IMPORT_APPROXIMATED,
                     "ways follow from l1.unified and the carve-out; write-through");
    }
}

void import_map_instruction_cache(import_t *im, import_option_t *o)
{
    uint32_t shape[3], mshr[2], queue;
    const char *replacement;
    if (!import_parse_cache(o->value, shape, &replacement, mshr, &queue) || shape[1] != LINE ||
        shape[0] > 1 << 16 || shape[2] > 1 << 10) {
        import_not_understood(o);
        return;
    }
    if (import_set(im, o, "icache.l1_size", "%u", shape[0] * shape[2] * LINE) &&
        import_set(im, o, "icache.l1_ways", "%u", shape[2]) &&
        import_set(im, o, "icache.replacement", "%s", replacement))
        import_treat(o, IMPORT_APPROXIMATED, "the cache of the SM; the L0 caches are inherited");
}

/* Writes KB as the list of legal carve-outs. */
void import_map_carveouts(import_t *im, import_option_t *o)
{
    char list[256] = "";
    size_t n = 0;
    if (!import_number(im, "gpgpu_unified_l1d_size", 0)) {
        import_treat(o, IMPORT_IGNORED, "L1 and shared memory are not unified in this file");
        return;
    }
    for (const char *c = o->value; *c && n < sizeof(list) - 16;) {
        uint32_t kib;
        if (!import_numbers(c, ",", &kib, 1)) {
            import_not_understood(o);
            return;
        }
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%uKiB", n ? "," : "", kib);
        c += strspn(c, "0123456789");
        c += *c == ',';
    }
    if (import_set(im, o, "l1.carveouts", "%s", list))
        import_exact(o);
}

void import_map_unified(import_t *im, import_option_t *o)
{
    if (!import_number(im, o->key, 0))
        import_treat(o, IMPORT_IGNORED, "rubato's L1 and shared memory are always unified");
    else if (import_set(im, o, "l1.unified", "%.20sKiB", o->value))
        import_exact(o);
}

void import_map_plus(import_t *im, import_option_t *o)
{
    bool l1 = !strcmp(o->key, "gpgpu_l1_latency");
    uint64_t n = import_number(im, o->key, 0);
    if (!n)
        import_not_understood(o);
    else if (import_set(im, o, l1 ? "l1.latency" : "shared.latency", "%llu",
                        (unsigned long long)n + (l1 ? L1_EXTRA : SHARED_EXTRA)))
        import_treat(o, IMPORT_APPROXIMATED, "as a dependent instruction sees it: + %d",
                     l1 ? L1_EXTRA : SHARED_EXTRA);
}

void import_map_banks(import_t *im, import_option_t *o)
{
    uint64_t sub_cores = import_number(im, "gpgpu_num_sched_per_core", 4);
    uint64_t banks = sub_cores == 0 ? 0 : import_number(im, o->key, 0) / sub_cores;
    if (import_set(im, o, "sm.rf_banks", "%llu", (unsigned long long)banks))
        import_treat(o, IMPORT_MAPPED, "banks of a sub-core");
}

void import_map_perfect_fetch(import_t *im, import_option_t *o)
{
    const char *truth = import_number(im, o->key, 0) ? "true" : "false";
    if (import_set(im, o, "icache.perfect", "%s", truth) &&
        import_set(im, o, "const.perfect", "%s", truth))
        import_exact(o);
}

void import_map_skip_l1(import_t *im, import_option_t *o)
{
    if (import_set(im, o, "l1.enabled", import_number(im, o->key, 0) ? "false" : "true"))
        import_exact(o);
}

void import_map_block_launch(import_t *im, import_option_t *o)
{
    if (!import_number(im, o->key, 0))
        import_treat(o, IMPORT_IGNORED, "0; rubato's dispatch latencies are inherited");
    else if (import_set(im, o, "sm.block_start_latency", "%s", o->value))
        import_treat(o, IMPORT_APPROXIMATED, "added to sched.dispatch_latency");
}
