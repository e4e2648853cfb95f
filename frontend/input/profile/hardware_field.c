#include "frontend/input/profile/hardware_field.h"

#include <string.h>

hardware_field_t hardware_field_kind(const char *name)
{
    static const struct {
        const char *name;
        hardware_field_t kind;
    } known[] = {
        {"Kernel Name", FIELD_KERNEL}, {"Kernel", FIELD_KERNEL},      {"kernel", FIELD_KERNEL},
        {"app", FIELD_PROGRAM},        {"Benchmark", FIELD_PROGRAM},  {"benchmark", FIELD_PROGRAM},
        {"Grid Size", FIELD_GRID},     {"Block Size", FIELD_BLOCK},   {"ID", FIELD_LAUNCH},
        {"Process ID", FIELD_LAUNCH},  {"Process Name", FIELD_OTHER}, {"Host Name", FIELD_OTHER},
        {"Context", FIELD_OTHER},      {"Stream", FIELD_OTHER},       {"Device", FIELD_OTHER},
        {"CC", FIELD_OTHER},           {"Section Name", FIELD_OTHER}, {"Invocations", FIELD_OTHER},
        {"Metric Name", FIELD_METRIC}, {"Metric Unit", FIELD_UNIT},   {"Metric Value", FIELD_VALUE},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].kind;
    }
    return FIELD_COUNTER;
}

const char *hardware_metric(const char *label, const char *unit)
{
    static const struct {
        const char *label, *metric;
        bool share;
    } known[] = {
        {"Elapsed Cycles", "gpc__cycles_elapsed.max", false},
        {"Duration", "gpu__time_duration.sum", false},
        {"L2 Hit Rate", "lts__t_sector_hit_rate.pct", true},
        {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active", false},
        {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", true},
        {"DRAM Throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", true},
        {"Memory Throughput", "dram__bytes.sum.per_second", false},
        {"Executed Instructions", "smsp__inst_executed.sum", false},
        {"Issued Instructions", "smsp__inst_issued.sum", false},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(label, known[i].label) == 0 && known[i].share == (strcmp(unit, "%") == 0))
            return known[i].metric;
    return label;
}

bool hardware_is_header_like(const char *line, size_t len)
{
    static const char *const names[] = {"Kernel", "kernel", "app", "Benchmark", "benchmark"};
    unsigned quotes = 0;
    bool named = false;
    for (size_t i = 0; i < len; i++)
        quotes += line[i] == '"';
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
        named = named || memmem(line, len, names[k], strlen(names[k])) != NULL;
    return named && quotes % 2 == 0 && (quotes == 0 || line[0] == '"') &&
           memchr(line, ',', len) != NULL;
}
