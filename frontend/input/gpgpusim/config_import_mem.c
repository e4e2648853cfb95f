/*
 * Keys of gpgpusim.config that describe the memory side: crossbar, L2, DRAM, clocks.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/gpgpusim/config_import_internal.h"

enum {
    L2_EXTRA = 12, /* an Accel-Sim L2 hit takes this much longer than its rop latency; measured with
                    * dependent loads */
    L1_PATH = 23,  /* issue, miss and fill latencies of the inherited configuration */
    LINE = 128,
    HEADER_BYTES = 8, /* bytes per packet, part of Accel-Sim's flit */
};

void import_map_slices(import_t *im, import_option_t *o)
{
    uint64_t n = import_number(im, "gpgpu_n_mem", 1);
    uint64_t slices = n * import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1);
    if (import_set(im, o, "mem.partitions", "%llu", (unsigned long long)n) &&
        import_set(im, o, "l2.slices", "%llu", (unsigned long long)slices))
        import_exact(o);
}

void import_map_clocks(import_t *im, import_option_t *o)
{
    char clock[4][24] = {{0}};
    if (sscanf(o->value, "%20[0-9.]:%20[0-9.]:%20[0-9.]:%20[0-9.]", clock[0], clock[1], clock[2],
               clock[3]) != 4) {
        import_not_understood(o);
        return;
    }
    if (!import_set(im, o, "gpu.clock_mhz", "%s", clock[0]) ||
        !import_set(im, o, "dram.clock_mhz", "%s", clock[3]))
        return;
    const double core = strtod(clock[0], NULL);
    const bool same = strtod(clock[1], NULL) == core && strtod(clock[2], NULL) == core;
    import_treat(o, same ? IMPORT_SAME : IMPORT_LOST, "%s",
                 same ? "" : "rubato's crossbar and L2 run at the core clock");
}

void import_map_l2(import_t *im, import_option_t *o)
{
    import_cache_t c;
    uint64_t slices = import_number(im, "gpgpu_n_mem", 0) *
                      import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1);
    if (!strcmp(o->value, "none")) {
        import_treat(o, IMPORT_LOST, "rubato always has an L2; the inherited one stays");
        return;
    }
    if (!import_parse_cache(o->value, &c) || !slices) {
        import_not_understood(o);
        return;
    }
    if (c.line != LINE) {
        import_treat(o, IMPORT_LOST, "lines of %u bytes; rubato's have 128", c.line);
        return;
    }
    if (slices > 4096 || c.sets > 1 << 20 || c.ways > 1 << 20) {
        import_not_understood(o);
        return;
    }
    uint64_t size = slices * c.sets * c.ways * LINE;
    if (import_set(im, o, "l2.size", "%llu", (unsigned long long)size) &&
        import_set(im, o, "l2.ways", "%u", c.ways) &&
        import_set(im, o, "l2.replacement", "%s", c.replacement) &&
        import_set(im, o, "l2.mshrs", "%u", c.mshr[0]) &&
        import_set(im, o, "l2.mshr_merge", "%u", c.mshr[1]) &&
        import_cache_policy(o, &c, CACHE_REPLACEMENT, "LF") &&
        import_cache_policy(o, &c, CACHE_WRITE, "B") &&
        import_cache_policy(o, &c, CACHE_WRITE_ALLOCATION, "L") &&
        import_cache_policy(o, &c, CACHE_INDEX, "PL"))
        import_treat(o, IMPORT_APPROXIMATED, "write-back, lazy fetch on read; its sets are hashed");
}

/* The latency of an L2 hit for a load is the rop latency plus what Accel-Sim adds around it. */
void import_map_rop(import_t *im, import_option_t *o)
{
    uint64_t rop = import_number(im, o->key, 0);
    if (import_number(im, "gpgpu_perfect_mem", 0)) {
        import_treat(o, IMPORT_UNUSED, "memory is perfect behind the L1");
        return;
    }
    if (!rop || rop > 4000) {
        import_not_understood(o);
        return;
    }
    uint64_t hit = rop + L2_EXTRA, rest = hit > L1_PATH + 10 ? hit - L1_PATH : 10;
    unsigned flight = (unsigned)(rest * 3 / 10); // as in the shipped configurations
    if (import_set(im, o, "icnt.request_latency", "%u", flight) &&
        import_set(im, o, "icnt.reply_latency", "%u", flight) &&
        import_set(im, o, "l2.latency", "%u", (unsigned)rest - 2 * flight))
        import_treat(o, IMPORT_APPROXIMATED,
                     "parts of an L2 hit of %u cycles, which Accel-Sim makes of this value",
                     (unsigned)hit);
}

void import_map_dram_timing(import_t *im, import_option_t *o)
{
    static const struct {
        const char *name, *setting;
    } timing[] = {
        // In the order of the old format, which has only numbers.
        {"nbk", "dram.banks"},  {"CCD", "dram.tCCD"},  {"RRD", "dram.tRRD"},
        {"RCD", "dram.tRCD"},   {"RAS", "dram.tRAS"},  {"RP", "dram.tRP"},
        {"RC", "dram.tRC"},     {"CL", "dram.tCL"},    {"WL", "dram.tWL"},
        {"CDLR", "dram.tCDLR"}, {"WR", "dram.tWR"},    {"nbkgrp", "dram.bank_groups"},
        {"CCDL", "dram.tCCDL"}, {"RTPL", "dram.tRTP"},
    };
    enum { TIMINGS = sizeof(timing) / sizeof(timing[0]) };
    const bool no_turnaround = import_number(im, "dram_elimnate_rw_turnaround", 0) != 0;
    char text[256], *save = NULL;
    size_t position = 0, lost = 0;
    snprintf(text, sizeof(text), "%s", o->value);
    for (char *word = strtok_r(text, ": \"", &save); word; word = strtok_r(NULL, ": \"", &save)) {
        char *equals = strchr(word, '=');
        size_t i = position++;
        if (equals) {
            *equals = '\0';
            for (i = 0; i < TIMINGS && strcmp(word, timing[i].name); i++)
                ;
        }
        uint32_t n;
        if (i >= TIMINGS || !import_numbers(equals ? equals + 1 : word, "", &n, 1))
            lost++;
        else if (!(no_turnaround && !strcmp(timing[i].name, "CDLR")) &&
                 !import_set(im, o, timing[i].setting, "%u", n))
            return;
    }
    import_treat(o, lost ? IMPORT_LOST : IMPORT_SAME, "%s", lost ? "some parts are not known" : "");
}

void import_map_dram_bus(import_t *im, import_option_t *o)
{
    uint64_t bytes =
        import_number(im, "gpgpu_dram_buswidth", 0) * import_number(im, "gpgpu_n_mem_per_ctrlr", 1);
    uint64_t burst = import_number(im, "gpgpu_dram_burst_length", 0);
    if (!strcmp(o->key, "gpgpu_dram_burst_length")) {
        if (import_set(im, o, "dram.burst_bytes", "%llu", (unsigned long long)(bytes * burst)))
            import_treat(o, IMPORT_SAME, "bus width x burst length");
    } else if (import_set(im, o, "dram.bus_bytes", "%llu", (unsigned long long)bytes)) {
        import_exact(o);
    }
}

void import_map_write_queue(import_t *im, import_option_t *o)
{
    uint32_t v[3];
    if (!import_numbers(o->value, ":", v, 3)) {
        import_not_understood(o);
    } else if (!import_number(im, "dram_seperate_write_queue_enable", 1)) {
        import_treat(o, IMPORT_UNUSED, "switched off by dram_seperate_write_queue_enable");
    } else if (import_set(im, o, "dram.write_queue", "%u", v[0]) &&
               import_set(im, o, "dram.write_high", "%u", v[1]) &&
               import_set(im, o, "dram.write_low", "%u", v[2])) {
        import_exact(o);
    }
}

void import_map_partition_queues(import_t *im, import_option_t *o)
{
    uint32_t v[4];
    if (!import_numbers(o->value, ":", v, 4))
        import_not_understood(o);
    else if (import_set(im, o, "l2.reply_queue", "%u", v[3]))
        import_treat(o, IMPORT_APPROXIMATED, "only the last of the four queues");
}

void import_map_dram_scheduler(import_t *im, import_option_t *o)
{
    if (import_number(im, o->key, 1) == 1)
        import_treat(o, IMPORT_SAME, "FR-FCFS");
    else if (import_set(im, o, "dram.queue", "1"))
        import_treat(o, IMPORT_APPROXIMATED, "FIFO: a window of one request");
}

static void map_endless_queue(import_t *im, import_option_t *o)
{
    if (import_set(im, o, "dram.queue", "4096"))
        import_treat(o, IMPORT_APPROXIMATED, "0 means no limit: the largest window");
}

void import_map_frfcfs_queue(import_t *im, import_option_t *o)
{
    if (import_number(im, "gpgpu_dram_scheduler", 1) != 1)
        import_treat(o, IMPORT_UNUSED, "gpgpu_dram_scheduler is not FR-FCFS");
    else if (import_number(im, o->key, 0) == 0)
        map_endless_queue(im, o);
    else if (import_set(im, o, "dram.queue", "%s", o->value))
        import_exact(o);
}

void import_map_hash(import_t *im, import_option_t *o)
{
    uint64_t kind = import_number(im, o->key, 0);
    if (import_set(im, o, "mem.hash", kind ? "ipoly" : "none"))
        import_treat(o, kind == 0 || kind == 2 ? IMPORT_SAME : IMPORT_LOST, "%s",
                     kind == 0 || kind == 2 ? "" : "rubato's only hash is IPOLY");
}

void import_map_interleave(import_t *im, import_option_t *o)
{
    uint32_t bit;
    const char *at = strstr(o->value, "dramid@");
    if (!at || !import_numbers(at + 7, ";", &bit, 1) || bit > 20)
        import_not_understood(o);
    else if (import_set(im, o, "mem.interleave", "%u", 1u << bit))
        import_treat(o, IMPORT_APPROXIMATED, "bits of row, bank and column are rubato's own");
}

void import_map_flit(import_t *im, import_option_t *o)
{
    uint64_t bytes = import_number(im, o->key, 0);
    if (bytes <= HEADER_BYTES)
        import_not_understood(o);
    else if (import_set(im, o, "icnt.flit_bytes", "%u", (unsigned)bytes - HEADER_BYTES))
        import_treat(o, IMPORT_APPROXIMATED, "minus the header of %d bytes", HEADER_BYTES);
}

void import_map_memcpy(import_t *im, import_option_t *o)
{
    import_map_switch(im, o, "gpu.memcpy_fills_l2");
}

void import_map_flush_l2(import_t *im, import_option_t *o)
{
    if (import_set(im, o, "warmup.mode", import_number(im, o->key, 0) ? "flush" : "keep"))
        import_exact(o);
}

/* Accel-Sim answers whatever misses in the L1 at once. */
void import_map_perfect_memory(import_t *im, import_option_t *o)
{
    enum { LEAST = 8 }; /* shorter ones make the simulation slow */
    if (!import_number(im, o->key, 0))
        import_exact(o);
    else if (import_set(im, o, "l2.perfect", "true") && import_set(im, o, "icnt.perfect", "true") &&
             import_set(im, o, "icnt.request_latency", "%d", LEAST) &&
             import_set(im, o, "icnt.reply_latency", "%d", LEAST) &&
             import_set(im, o, "l2.latency", "1"))
        import_treat(o, IMPORT_APPROXIMATED, "everything behind the L1; %d cycles on the way",
                     2 * LEAST + 1);
}

void import_map_ideal_l2(import_t *im, import_option_t *o)
{
    if (!import_number(im, o->key, 0))
        import_exact(o);
    else if (import_set(im, o, "l2.perfect", "true"))
        import_treat(o, IMPORT_APPROXIMATED, "Accel-Sim reads this key, but does not use it");
}

void import_map_simple_dram(import_t *im, import_option_t *o)
{
    if (!import_number(im, o->key, 0))
        import_exact(o);
    else if (import_set(im, o, "dram.perfect", "true"))
        import_treat(o, IMPORT_APPROXIMATED, "dram.latency without a limit of bandwidth");
}

void import_map_turnaround(import_t *im, import_option_t *o)
{
    if (!import_number(im, o->key, 0))
        import_exact(o);
    else if (import_set(im, o, "dram.tRTW", "0") && import_set(im, o, "dram.tCDLR", "0"))
        import_exact(o);
}
