#include "sim/gpu/setting_scope.h"

#include <stdlib.h>
#include <string.h>

#include "sim/conf/param_value.h"

#define STREAMS                                                                                    \
    "gpu.concurrent_launches>1",                                                                   \
        "only with gpu.concurrent_launches above 1, if the trace has launches of several streams"
#define CONTROL_WORDS                                                                              \
    "sm.dependences!scoreboard",                                                                   \
        "only where the code carries control words, and sm.dependences is not scoreboard"
#define STRETCHES                                                                                  \
    NULL, "with control words a longer latency than that of sm.compiled_for stretches stall "      \
          "counts; a shorter one changes no wait (sm.dependences=scoreboard ignores stall counts)"
#define COPIES      NULL, "only for asynchronous copies (code for sm_80 and newer)"
#define LEFT_OUT    NULL, "only where launches are left out, with warmup.mode functional or auto"
#define TRANSLATION "tlb.perfect=false", "only with tlb.perfect = false"

static const setting_scope_t scopes[] = {
    {"gpu.name", NULL, "never: a name for reports and programs"},
    {"gpu.arch", NULL, "never in the model: it chooses the code of a program"},
    {"gpu.concurrent_launches", NULL, "only if the trace has launches of several streams"},
    {"gpu.launch_gap", STREAMS},
    {"gpu.copy_engines", STREAMS},
    {"gpu.copy_bandwidth", STREAMS},
    {"gpu.copy_latency", STREAMS},
    {"warmup.launches", LEFT_OUT},
    {"warmup.full", LEFT_OUT},
    {"warmup.news", LEFT_OUT},
    {"sampling.interval", NULL, "only with samplers inside launches"},
    {"sampling.samplers", NULL, "only for runs without --sample and --plan"},
    {"sm.scheduler_group", "sm.scheduler=two_level", "only with sm.scheduler = two_level"},
    {"sm.tensor_sum32_passes", "sm.tensor_interval=0", "only with sm.tensor_interval = 0"},
    {"sm.rf_window", CONTROL_WORDS},
    {"sm.rf_write_conflicts", CONTROL_WORDS},
    {"sm.zero_stall", CONTROL_WORDS},
    {"sm.compiled_for", "sm.dependences!scoreboard",
     "only where the code carries control words, and a latency in lat is longer than that "
     "architecture's"},
    {"sm.control_check", NULL, "never on results: it warns"},
    {"sm.branch_latency", "sm.dependences!control",
     "only without control words: with them, a branch that is not taken costs its stall count"},
    {"sm.predicate_latency", STRETCHES},
    {"sm.copy_read_extra", COPIES},
    {"lat.fp32", STRETCHES},
    {"lat.fp32_cmp", STRETCHES},
    {"lat.fp32_setp", STRETCHES},
    {"lat.imad", STRETCHES},
    {"lat.integer", STRETCHES},
    {"lat.move", STRETCHES},
    {"lat.fp16", STRETCHES},
    {"lat.pred", STRETCHES},
    {"lat.uniform", STRETCHES},
    {"lat.hmma", STRETCHES},
    {"lat.hmma_wide", STRETCHES},
    {"lat.hmma_acc", STRETCHES},
    {"lat.imma", STRETCHES},
    {"lat.cs2r", STRETCHES},
    {"lat.unknown", STRETCHES},
    {"lat.imma_wide", "sm.tensor_interval=0", "only with sm.tensor_interval = 0"},
    {"lat.dmma", "sm.tensor_interval=0", "only with sm.tensor_interval = 0"},
    {"l1.prefetch_lines", "l1.prefetcher!none", "only with an l1.prefetcher"},
    {"l1.copy_latency", COPIES},
    {"const.l0_ways", "const.l0_size>0", "only with const.l0_size above 0"},
    {"const.l0_uniform", "const.l0_size>0", "only with const.l0_size above 0"},
    {"tlb.page", TRANSLATION},
    {"tlb.entries", TRANSLATION},
    {"tlb.l2_page", TRANSLATION},
    {"tlb.l2_entries", TRANSLATION},
    {"tlb.l2_latency", TRANSLATION},
    {"tlb.replacement", TRANSLATION},
    {"tlb.pending", TRANSLATION},
    {"mmu.latency", TRANSLATION},
    {"mmu.lookup", TRANSLATION},
    {"mmu.walk", TRANSLATION},
    {"mmu.entries", TRANSLATION},
    {"icnt.columns", "icnt.distance>0", "only with icnt.distance above 0"},
    {"icnt.gpc_code", "icnt.gpc_sms>0", "only with icnt.gpc_sms above 0"},
    {"l2.far_latency", "l2.halves>1", "only with l2.halves = 2"},
    {"dram.size", NULL, "never on times: programs see it"},
};

static const setting_hidden_t hidden[] = {
    {"l1.perfect", "l1.enabled l1.sets l1.hash_sets l1.scale l1.replacement l1.victim_lines "
                   "l1.write l1.prefetcher "
                   "l1.prefetch_lines l1.load_interval l1.mshrs l1.mshr_merge "
                   "l1.fill_cycles"},
    {"icache.perfect", "icache.l0_size icache.l0_ways icache.l1_size icache.l1_ways "
                       "icache.l1_latency icache.l1_interval icache.l1_misses icache.prefetch "
                       "icache.replacement icache.launch_bytes"},
    {"const.perfect", "const.l0_size const.l0_ways const.l0_uniform const.l1_size const.l1_ways "
                      "const.address_interval const.l15_size const.l15_ways const.l15_latency "
                      "const.l2_latency const.replacement"},
    {"icnt.perfect", "icnt.sm_flits icnt.data_interval icnt.tpc_data icnt.gpc_data "
                     "icnt.gpc_replies icnt.mask_flits icnt.buffer icnt.credit_batch"},
    {"l2.perfect", "l2.size l2.ways l2.replacement l2.modified_share l2.fill_sectors l2.mshrs "
                   "l2.mshr_merge l2.atomic_interval dram.*"},
    {"dram.perfect",
     "dram.clock_mhz dram.bus_bytes dram.data_rate dram.burst_bytes dram.banks dram.bank_groups "
     "dram.row_bytes dram.check_bursts dram.queue dram.age_limit dram.write_queue dram.write_high "
     "dram.write_low "
     "dram.write_wait dram.tCCD dram.tCCDL dram.tCCDM dram.tRRD dram.tFAW dram.activate_slots "
     "dram.precharge_slots dram.tRCD dram.tRAS dram.tRP dram.tRC dram.tCL dram.tWL dram.tCDLR "
     "dram.tWR dram.tRTP dram.tRTW dram.tREFI dram.tRFC dram.tRFCSB"},
    {"sm.ideal",
     "lat.* icache.l0_size icache.l0_ways icache.l1_size icache.l1_ways icache.l1_latency "
     "icache.l1_interval icache.l1_misses icache.prefetch icache.replacement "
     "icache.launch_bytes icache.perfect const.* shared.* tlb.* mmu.* icnt.* l2.slices "
     "l2.ways l2.replacement l2.modified_share l2.clock_mhz l2.latency l2.fill_sectors "
     "l2.mshrs l2.mshr_merge l2.reply_queue l2.atomic_interval l2.atomic_latency l2.halves "
     "l2.far_latency dram.* sm.dependences sm.fp32_lanes sm.int_lanes sm.imad_wide_passes "
     "sm.fp16_lanes sm.fp64_lanes sm.fp64_shared sm.fp_port_shared sm.xu_lanes sm.tensor_fma "
     "sm.tensor_interval sm.tensor_sum32_passes sm.uniform_interval sm.branch_interval "
     "sm.tex_interval sm.rf_bank_reads sm.rf_window sm.zero_stall sm.compiled_for "
     "sm.rf_banks sm.rf_write_conflicts sm.mem_queue sm.mem_issue_latency sm.mem_interval "
     "sm.mem_read_latency sm.global_read_extra sm.store_read_extra sm.copy_read_extra "
     "sm.mio_interval sm.lsu_lanes sm.return_bytes sm.branch_latency sm.branch_taken_latency "
     "sm.predicate_latency sm.barrier_interval sm.barrier_latency sm.membar_cta_latency "
     "sm.membar_gpu_latency sm.membar_sys_latency l1.enabled l1.perfect l1.sets l1.hash_sets "
     "l1.scale "
     "l1.replacement l1.victim_lines l1.write l1.prefetcher l1.prefetch_lines l1.latency "
     "l1.copy_latency "
     "l1.tags_per_cycle l1.bank_bytes l1.pass_cycles l1.load_interval l1.mshrs l1.mshr_merge "
     "l1.pending_loads l1.miss_queue l1.miss_latency l1.fill_latency l1.fill_cycles"},
};

const setting_scope_t *setting_scope_at(size_t n)
{
    return n < sizeof(scopes) / sizeof(scopes[0]) ? &scopes[n] : NULL;
}

const setting_scope_t *setting_scope_find(const char *group, const char *name)
{
    const size_t n = strlen(group);
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        const char *key = scopes[i].key;
        if (strncmp(key, group, n) == 0 && key[n] == '.' && strcmp(key + n + 1, name) == 0)
            return &scopes[i];
    }
    return NULL;
}

/* The value of key[0..n) in spec, without quotes. */
static void value_of(const gpu_spec_t *spec, const char *key, size_t n, char text[PARAM_VALUE_TEXT])
{
    text[0] = '\0';
    for (const gpu_group_t *g = gpu_groups; g->group != NULL; g++) {
        const size_t in = strlen(g->group->name);
        for (size_t i = 0; i < g->group->n_params; i++) {
            const param_t *p = &g->group->params[i];
            if (n != in + 1 + strlen(p->name) || strncmp(key, g->group->name, in) != 0 ||
                key[in] != '.' || strncmp(key + in + 1, p->name, n - in - 1) != 0)
                continue;
            param_format(p, (const char *)spec + g->offset, text);
        }
    }
    if (text[0] == '"') {
        memmove(text, text + 1, strlen(text));
        text[strcspn(text, "\"")] = '\0';
    }
}

const char *setting_scope_idle(const setting_scope_t *scope, const gpu_spec_t *spec)
{
    char value[PARAM_VALUE_TEXT];
    if (scope->needs == NULL)
        return NULL;
    const size_t n = strcspn(scope->needs, "=!>");
    const char *wanted = scope->needs + n + 1;
    value_of(spec, scope->needs, n, value);
    const bool acts = scope->needs[n] == '='   ? strcmp(value, wanted) == 0
                      : scope->needs[n] == '!' ? strcmp(value, wanted) != 0
                                               : strtod(value, NULL) > strtod(wanted, NULL);
    return acts ? NULL : scope->when;
}

const setting_hidden_t *setting_hidden_at(size_t n)
{
    return n < sizeof(hidden) / sizeof(hidden[0]) ? &hidden[n] : NULL;
}

bool setting_is_hidden(const setting_hidden_t *by, const char *group, const char *name)
{
    const size_t in = strlen(group), n = strlen(name);
    for (const char *at = by->hides; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const bool here = length > in + 1 && strncmp(at, group, in) == 0 && at[in] == '.';
        if (here &&
            (at[in + 1] == '*' || (length == in + 1 + n && strncmp(at + in + 1, name, n) == 0)))
            return true;
        at += length;
    }
    return false;
}

const char *setting_hidden_by(const char *group, const char *name, const gpu_spec_t *spec)
{
    char value[PARAM_VALUE_TEXT];
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        value_of(spec, hidden[i].part, strlen(hidden[i].part), value);
        if (strcmp(value, "true") == 0 && setting_is_hidden(&hidden[i], group, name))
            return hidden[i].part;
    }
    return NULL;
}
