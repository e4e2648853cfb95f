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
    import_treat(o, known ? IMPORT_SAME : IMPORT_APPROXIMATED,
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
                     import_number(im, "gpgpu_n_cores_per_cluster", 1) == 1 ? IMPORT_SAME
                                                                            : IMPORT_APPROXIMATED,
                     "clusters x cores; every SM has its own crossbar port");
}

void import_map_threads(import_t *im, import_option_t *o)
{
    uint32_t v[2];
    if (!import_numbers(o->value, ":", v, 2) || v[1] != WARP)
        import_not_understood(o);
    else if (import_set(im, o, "sm.max_warps", "%u", v[0] / WARP))
        import_treat(o, IMPORT_SAME, "threads / 32");
}

void import_map_scheduler(import_t *im, import_option_t *o)
{
    static const char two_level[] = "two_level_active:";
    const size_t n = sizeof(two_level) - 1;
    uint32_t group;
    if (!strncmp(o->value, two_level, n) && import_numbers(o->value + n, ":", &group, 1)) {
        if (import_set(im, o, "sm.scheduler", "two_level") &&
            import_set(im, o, "sm.scheduler_group", "%u", group))
            import_treat(o, IMPORT_APPROXIMATED, "groups of that many warps");
        return;
    }
    if (import_set(im, o, "sm.scheduler", "%s", !strcmp(o->value, "old") ? "oldest" : o->value))
        import_exact(o);
}

/* Latency and initiation interval of a unit; lanes follow from the interval. */
void import_map_unit(import_t *im, import_option_t *o)
{
    static const struct {
        const char *key, *units, *lanes, *lat[6];
    } unit[] = {
        {"trace_opcode_latency_initiation_int",
         "gpgpu_num_int_units",
         "sm.int_lanes",
         {"lat.integer", "lat.move", "lat.imad", "lat.pred"}},
        {"trace_opcode_latency_initiation_sp",
         "gpgpu_num_sp_units",
         "sm.fp32_lanes",
         {"lat.fp32", "lat.fp32_cmp", "lat.fp32_setp", "lat.fp16"}},
        {"trace_opcode_latency_initiation_dp",
         "gpgpu_num_dp_units",
         "sm.fp64_lanes",
         {"lat.fp64", "lat.fp64_fma", "lat.fp64_cmp", "lat.conv64"}},
        {"trace_opcode_latency_initiation_sfu",
         "gpgpu_num_sfu_units",
         "sm.xu_lanes",
         {"lat.mufu", NULL, NULL, NULL}},
        {"trace_opcode_latency_initiation_tensor",
         "gpgpu_num_tensor_core_units",
         NULL,
         {"lat.hmma", "lat.hmma_wide", "lat.hmma_acc", "lat.imma", "lat.imma_wide", "lat.dmma"}},
        {"trace_opcode_latency_initiation_spec_op_3",
         "gpgpu_num_tensor_core_units",
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
    const uint64_t schedulers = import_number(im, "gpgpu_num_sched_per_core", 4);
    const uint64_t units = import_number(im, unit[u].units, schedulers);
    const uint32_t warp = schedulers == 0 ? WARP : (uint32_t)(WARP * units / schedulers);
    if (!unit[u].lanes) {
        // An HMMA of Turing and later has 1024 multiply-adds or more; a step of Volta's has 256.
        uint32_t fma = (import_arch(im) < 75 ? 8 : 32) * warp / v[1];
        good = import_set(im, o, "sm.tensor_interval", "%u", v[1]) &&
               import_set(im, o, "sm.tensor_fma", "%u", fma < 16 ? 16 : fma);
    } else if (!strcmp(unit[u].lanes, "sm.fp64_lanes")) {
        // Slower than one lane per sub-core: the SM has one shared unit with four times the lanes.
        bool shared = v[1] > warp / 2;
        uint32_t lanes = (shared ? 4 * warp : warp) / v[1];
        good = import_set(im, o, "sm.fp64_shared", shared ? "true" : "false") &&
               import_set(im, o, unit[u].lanes, "%u", lanes ? lanes : 1);
    } else {
        good = import_set(im, o, unit[u].lanes, "%u", v[1] < warp ? warp / v[1] : 1);
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

/* What a store does follows from the policies of writes and of their allocation. */
static bool set_l1_write(import_t *im, import_option_t *o, const import_cache_t *c)
{
    const char *write = c->policy[CACHE_WRITE] == 'B'              ? "write_back"
                        : c->policy[CACHE_WRITE] == 'E'            ? "evict"
                        : c->policy[CACHE_WRITE_ALLOCATION] == 'N' ? "update"
                                                                   : "allocate";
    return c->policy[CACHE_WRITE_ALLOCATION] == '\0' || import_set(im, o, "l1.write", "%s", write);
}

/* Each of its hashes becomes rubato's own. */
static bool set_l1_index(import_t *im, import_option_t *o, const import_cache_t *c)
{
    const char index = c->policy[CACHE_INDEX];
    return import_set(im, o, "l1.hash_sets", "%s",
                      index == '\0' || index == 'L' ? "false" : "true");
}

void import_map_l1(import_t *im, import_option_t *o)
{
    import_cache_t c;
    if (!strcmp(o->value, "none")) {
        if (import_set(im, o, "l1.enabled", "false"))
            import_treat(o, IMPORT_APPROXIMATED, "local memory still uses the L1");
    } else if (!import_parse_cache(o->value, &c)) {
        import_not_understood(o);
    } else if (c.line != LINE) {
        import_treat(o, IMPORT_LOST, "lines of %u bytes; rubato's have 128", c.line);
    } else if (import_set(im, o, "l1.sets", "%u", c.sets) &&
               import_set(im, o, "l1.mshrs", "%u", c.mshr[0]) &&
               import_set(im, o, "l1.mshr_merge", "%u", c.mshr[1]) &&
               import_set(im, o, "l1.replacement", "%s", c.replacement) &&
               set_l1_write(im, o, &c) && set_l1_index(im, o, &c) &&
               (!c.queue || import_set(im, o, "l1.miss_queue", "%u", c.queue)) &&
               import_cache_policy(o, &c, CACHE_REPLACEMENT, "LF") &&
               import_cache_policy(o, &c, CACHE_WRITE, "TLEB") &&
               import_cache_policy(o, &c, CACHE_WRITE_ALLOCATION, "NL") &&
               import_cache_policy(o, &c, CACHE_INDEX, "LHPX")) {
        import_treat(o, IMPORT_APPROXIMATED, "%s",
                     import_l1_is_fixed(im) ? "its size is in l1.unified"
                                            : "ways follow from l1.unified and the carve-out");
    }
}

/* Without gpgpu_adaptive_cache_config, L1 and shared memory have sizes of their own: one carve-out of what
 * is both together. */
void import_map_adaptive(import_t *im, import_option_t *o)
{
    enum { SHARED_OF_VOLTA = 96 << 10, SHARED_OF_TURING = 64 << 10, LARGEST = 1 << 24 };
    const char *l1 = import_value(im, "gpgpu_cache:dl1");
    import_cache_t c;
    if (import_number(im, o->key, 0) != 0) {
        import_treat(o, IMPORT_SAME, "the carve-out is the smallest that suffices");
        return;
    }
    if (l1 == NULL || !strcmp(l1, "none")) {
        import_treat(o, IMPORT_SAME, "there is no L1: see gpgpu_cache:dl1");
        return;
    }
    const uint64_t shared =
        import_number(im, "gpgpu_shmem_size", im->arch < 75 ? SHARED_OF_VOLTA : SHARED_OF_TURING);
    if (!import_parse_cache(l1, &c) || c.line != LINE || c.sets > LARGEST || c.ways > LARGEST) {
        import_treat(o, IMPORT_LOST, "gpgpu_cache:dl1 gives no size of the L1");
        return;
    }
    const uint64_t size = (uint64_t)c.sets * c.ways * LINE;
    if (import_set(im, o, "l1.unified", "%llu", (unsigned long long)(size + shared)) &&
        import_set(im, o, "l1.carveouts", "%llu", (unsigned long long)shared))
        import_treat(o, IMPORT_SAME, "an L1 of %llu bytes beside %llu bytes of shared memory",
                     (unsigned long long)size, (unsigned long long)shared);
}

bool import_l1_is_fixed(const import_t *im)
{
    return import_number(im, "gpgpu_adaptive_cache_config", 1) == 0;
}

/* The largest carve-out must be what blocks may have together. */
void import_map_shared_size(import_t *im, import_option_t *o)
{
    const uint64_t size = import_number(im, o->key, 0);
    const char *options = import_value(im, "gpgpu_shmem_option");
    const char *last = options != NULL ? strrchr(options, ',') : NULL;
    uint32_t kib = 0;
    if (import_l1_is_fixed(im)) {
        const bool used = !strcmp(o->key, "gpgpu_shmem_size") ||
                          size == import_number(im, "gpgpu_shmem_size", size);
        import_treat(o, used ? IMPORT_SAME : IMPORT_LOST, "%s",
                     used ? "in l1.unified and l1.carveouts" : "it is not gpgpu_shmem_size");
    } else if (options == NULL) {
        import_treat(o, IMPORT_LOST, "no gpgpu_shmem_option; the carve-outs are inherited");
    } else if (import_numbers(last != NULL ? last + 1 : options, ",", &kib, 1) &&
               size == (uint64_t)kib << 10) {
        import_treat(o, IMPORT_SAME, "the largest of l1.carveouts");
    } else {
        import_treat(o, IMPORT_LOST, "it is not the largest gpgpu_shmem_option");
    }
}

/* Where several units of a kind serve a sub-core, or one serves several, the lanes say so. */
void import_map_units(import_t *im, import_option_t *o)
{
    static const char *const timing[][2] = {
        {"gpgpu_num_sp_units", "trace_opcode_latency_initiation_sp"},
        {"gpgpu_num_dp_units", "trace_opcode_latency_initiation_dp"},
        {"gpgpu_num_int_units", "trace_opcode_latency_initiation_int"},
        {"gpgpu_num_sfu_units", "trace_opcode_latency_initiation_sfu"},
        {"gpgpu_num_tensor_core_units", "trace_opcode_latency_initiation_tensor"},
    };
    const uint64_t n = import_number(im, o->key, 0);
    size_t i = 0;
    while (strcmp(timing[i][0], o->key))
        i++;
    if (n == import_number(im, "gpgpu_num_sched_per_core", 4))
        import_treat(o, IMPORT_SAME, "one unit per sub-core");
    else if (n > 0 && n <= WARP && import_find(im, timing[i][1]) != NULL)
        import_treat(o, IMPORT_APPROXIMATED, "in the lanes of -%s", timing[i][1]);
    else
        import_treat(o, IMPORT_LOST,
                     n == 0 ? "rubato always has such units"
                            : "no initiation interval of these units is given");
}

void import_map_l1_banks(import_t *im, import_option_t *o)
{
    const uint64_t banks = import_number(im, "gpgpu_l1_banks", 4);
    const uint64_t bytes = banks * import_number(im, "gpgpu_l1_banks_byte_interleaving", 32);
    if (import_set(im, o, "l1.bank_bytes", "%llu", (unsigned long long)bytes))
        import_treat(o, IMPORT_APPROXIMATED, "what all banks deliver; rubato's have 4 bytes");
}

void import_map_constant_cache(import_t *im, import_option_t *o)
{
    import_cache_t c;
    if (import_number(im, "gpgpu_perfect_inst_const_cache", 0))
        import_treat(o, IMPORT_UNUSED, "constants always hit: gpgpu_perfect_inst_const_cache");
    else if (!import_parse_cache(o->value, &c) || c.sets > 1 << 16 || c.ways > 1 << 10 ||
             c.line > 1 << 10)
        import_not_understood(o);
    else if (import_set(im, o, "const.l1_size", "%u", c.sets * c.ways * c.line) &&
             import_set(im, o, "const.l1_ways", "%u", c.ways))
        import_treat(o, IMPORT_APPROXIMATED, "the cache of the SM; levels 0 and 1.5 are inherited");
}

/* Accel-Sim runs launches of several streams together only with gpgpu_concurrent_kernel_sm. */
void import_map_concurrent(import_t *im, import_option_t *o)
{
    enum { DEFAULT = 32, MOST = 128 };
    const bool several = import_number(im, "gpgpu_concurrent_kernel_sm", 0) != 0;
    uint64_t n = several ? import_number(im, "gpgpu_max_concurrent_kernel", DEFAULT) : 1;
    if (!several && strcmp(o->key, "gpgpu_concurrent_kernel_sm")) {
        import_treat(o, IMPORT_UNUSED, "only with gpgpu_concurrent_kernel_sm 1");
        return;
    }
    n = n > MOST ? MOST : n;
    if (import_set(im, o, "gpu.concurrent_launches", "%llu", (unsigned long long)n))
        import_treat(o, several ? IMPORT_APPROXIMATED : IMPORT_SAME, "%s",
                     several ? "blocks are distributed by rubato's own rules" : "");
}

void import_map_instruction_cache(import_t *im, import_option_t *o)
{
    import_cache_t c;
    if (import_number(im, "gpgpu_perfect_inst_const_cache", 0)) {
        import_treat(o, IMPORT_UNUSED, "code always hits: gpgpu_perfect_inst_const_cache");
        return;
    }
    if (!import_parse_cache(o->value, &c) || c.line != LINE || c.sets > 1 << 16 ||
        c.ways > 1 << 10) {
        import_not_understood(o);
        return;
    }
    if (import_set(im, o, "icache.l1_size", "%u", c.sets * c.ways * LINE) &&
        import_set(im, o, "icache.l1_ways", "%u", c.ways) &&
        import_set(im, o, "icache.replacement", "%s", c.replacement))
        import_treat(o, IMPORT_APPROXIMATED, "the cache of the SM; the L0 caches are inherited");
}

/* Writes KB as the list of legal carve-outs. */
void import_map_carveouts(import_t *im, import_option_t *o)
{
    char list[256] = "";
    size_t n = 0;
    if (import_l1_is_fixed(im)) {
        import_treat(o, IMPORT_UNUSED, "only with gpgpu_adaptive_cache_config 1");
        return;
    }
    if (!import_number(im, "gpgpu_unified_l1d_size", 0)) {
        import_treat(o, IMPORT_LOST, "no gpgpu_unified_l1d_size");
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
    if (import_l1_is_fixed(im))
        import_treat(o, IMPORT_UNUSED, "only with gpgpu_adaptive_cache_config 1");
    else if (!import_number(im, o->key, 0))
        import_treat(o, IMPORT_LOST, "rubato's L1 and shared memory are always unified");
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
        import_treat(o, IMPORT_SAME, "banks of a sub-core");
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
        import_treat(o, IMPORT_APPROXIMATED, "0; rubato's dispatch latencies are inherited");
    else if (import_set(im, o, "sm.block_start_latency", "%s", o->value))
        import_treat(o, IMPORT_APPROXIMATED, "added to sched.dispatch_latency");
}
