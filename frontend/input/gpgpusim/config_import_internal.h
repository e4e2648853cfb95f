/*
 * Shared by the reader of foreign configurations (config_import.c), its table of keys (_table.c),
 * and the translation of keys (_setting.c, _sm.c, _mem.c).
 */
#ifndef RUBATO_GPGPUSIM_CONFIG_IMPORT_INTERNAL_H
#define RUBATO_GPGPUSIM_CONFIG_IMPORT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/input/gpgpusim/config_import.h"
#include "sim/conf/param_value.h"

enum { IMPORT_TEXT = 160, IMPORT_DEFAULTS = 16 };

/* UNUSED: changes no result. LOST: changes results, and rubato cannot do it. */
typedef enum {
    IMPORT_LOST,
    IMPORT_APPROXIMATED,
    IMPORT_SAME,
    IMPORT_UNUSED,
    IMPORT_STATUSES
} import_status_t;

/* One option of the foreign file. */
typedef struct {
    char *name, *value; /* owned; name without '-' */
    const char *key;    /* its name of today: borrowed */
    const char *file;   /* borrowed from import_t */
    int line;           /* 0: not in the file, a default of Accel-Sim */
    bool superseded;    /* a later option has the same key */
    import_status_t status;
    char reason[IMPORT_TEXT];
    char set[PARAM_VALUE_TEXT * 2]; /* the settings it produced: "sm.count = 80, ..." */
} import_option_t;

/* One setting of the rubato configuration. */
typedef struct {
    char group[32], key[32], value[PARAM_VALUE_TEXT];
    const import_option_t *from;
} import_setting_t;

struct import {
    char **file; /* owned names */
    size_t n_files, cap_files;
    import_option_t *option; /* owned */
    size_t n_options, cap_options;
    import_setting_t *setting; /* owned */
    size_t n_settings, cap_settings;
    unsigned arch;
};

/* The last option with that key, which is the effective one, or NULL. */
import_option_t *import_find(const import_t *im, const char *key);

/* The effective value of an option, or NULL. */
const char *import_value(const import_t *im, const char *key);

/* The effective value as an integer; fallback if it is missing or not an integer. */
uint64_t import_number(const import_t *im, const char *key, uint64_t fallback);

/*
 * Sets "group.name" on behalf of option o. If the value is invalid there, o becomes ignored with
 * the reason, and false is returned.
 */
bool import_set(import_t *im, import_option_t *o, const char *setting, const char *fmt, ...)
    RB_PRINTF(4, 5);

/* Records how o was treated. A later call without a reason keeps the earlier reason. */
void import_treat(import_option_t *o, import_status_t status, const char *fmt, ...) RB_PRINTF(3, 4);

/* Records that o was translated exactly. */
void import_exact(import_option_t *o);

/* Records that the value of o has an unknown form. */
void import_not_understood(import_option_t *o);

/* Treats a key without a setting; false: it is none of them (config_import_fixed.c). */
bool import_fixed(import_option_t *o);

/* The name of today of a key. */
const char *import_today(const char *key);

/* Keys that a whole configuration leaves out, with Accel-Sim's defaults. Returns how many. */
size_t import_missing(const import_t *im, const char *keys[IMPORT_DEFAULTS],
                      const char *values[IMPORT_DEFAULTS]);

/* Whether the L1 has the size of gpgpu_cache:dl1 instead of what shared memory leaves. */
bool import_l1_is_fixed(const import_t *im);

/* Parses n numbers separated by one of the separators; false if there are fewer than n. */
bool import_numbers(const char *text, const char *separators, uint32_t *v, size_t n);

/* The letters of a cache string, in its order. */
enum { CACHE_REPLACEMENT, CACHE_WRITE, CACHE_ALLOCATION, CACHE_WRITE_ALLOCATION, CACHE_INDEX };

/* A cache string: type:sets:line:ways,policies,mshrs:merges,queue... */
typedef struct {
    uint32_t sets, line, ways;
    char policy[8];          /* letters; '\0': not given */
    const char *replacement; /* "lru" or "fifo" */
    uint32_t mshr[2];
    uint32_t queue; /* 0: not given */
} import_cache_t;

bool import_parse_cache(const char *text, import_cache_t *c);

/* Says that o has a policy that is lost, if its letter is not among those of known; false then. */
bool import_cache_policy(import_option_t *o, const import_cache_t *c, unsigned policy,
                         const char *known);

/* Maps a switch, 0 or 1, to a setting of the same meaning. */
void import_map_switch(import_t *im, import_option_t *o, const char *setting);

/* Keys of the SM (config_import_sm.c). */
void import_map_arch(import_t *im, import_option_t *o);
void import_map_clusters(import_t *im, import_option_t *o);
void import_map_threads(import_t *im, import_option_t *o);
void import_map_scheduler(import_t *im, import_option_t *o);
void import_map_unit(import_t *im, import_option_t *o);
void import_map_special_unit(import_t *im, import_option_t *o);
void import_map_l1(import_t *im, import_option_t *o);
void import_map_instruction_cache(import_t *im, import_option_t *o);
void import_map_carveouts(import_t *im, import_option_t *o);
void import_map_unified(import_t *im, import_option_t *o);
void import_map_plus(import_t *im, import_option_t *o);
void import_map_banks(import_t *im, import_option_t *o);
void import_map_perfect_fetch(import_t *im, import_option_t *o);
void import_map_skip_l1(import_t *im, import_option_t *o);
void import_map_block_launch(import_t *im, import_option_t *o);
void import_map_concurrent(import_t *im, import_option_t *o);
void import_map_adaptive(import_t *im, import_option_t *o);
void import_map_shared_size(import_t *im, import_option_t *o);
void import_map_units(import_t *im, import_option_t *o);
void import_map_l1_banks(import_t *im, import_option_t *o);
void import_map_constant_cache(import_t *im, import_option_t *o);

/* Keys of the memory side (config_import_mem.c). */
void import_map_slices(import_t *im, import_option_t *o);
void import_map_clocks(import_t *im, import_option_t *o);
void import_map_l2(import_t *im, import_option_t *o);
void import_map_rop(import_t *im, import_option_t *o);
void import_map_dram_timing(import_t *im, import_option_t *o);
void import_map_dram_bus(import_t *im, import_option_t *o);
void import_map_write_queue(import_t *im, import_option_t *o);
void import_map_partition_queues(import_t *im, import_option_t *o);
void import_map_dram_scheduler(import_t *im, import_option_t *o);
void import_map_frfcfs_queue(import_t *im, import_option_t *o);
void import_map_hash(import_t *im, import_option_t *o);
void import_map_interleave(import_t *im, import_option_t *o);
void import_map_flit(import_t *im, import_option_t *o);
void import_map_memcpy(import_t *im, import_option_t *o);
void import_map_flush_l2(import_t *im, import_option_t *o);
void import_map_perfect_memory(import_t *im, import_option_t *o);
void import_map_ideal_l2(import_t *im, import_option_t *o);
void import_map_simple_dram(import_t *im, import_option_t *o);
void import_map_turnaround(import_t *im, import_option_t *o);

/* Translates one option (config_import_table.c). */
void import_option(import_t *im, import_option_t *o);

/* The compute capability times ten that the options state. */
unsigned import_arch(const import_t *im);

#endif
