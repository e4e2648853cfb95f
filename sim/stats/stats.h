/*
 * Statistics: declared once, in one X-macro list per module. The list gives a struct of plain
 * 64-bit counters (incremented as integers) and the table that names them for every output.
 *
 *   #define L2_STATS(S)
 *       S(reads, "sectors", "lts__t_sectors_op_read.sum", "read sectors looked up")
 *   STATS_STRUCT(l2_stats_t, L2_STATS);                        // header
 *   const stat_def_t l2_stat_defs[] = {STATS_ROWS(L2_STATS)};  // .c
 *
 * S(field, unit, Nsight Compute metric it mirrors or "", help). Ratios are not stored: the printing
 * code divides sums by sums.
 */
#ifndef RUBATO_STATS_STATS_H
#define RUBATO_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name, *unit, *metric, *help;
} stat_def_t;

#define STATS_FIELD_(field, unit, metric, help) uint64_t field;
#define STATS_ROW_(field, unit, metric, help)   {#field, unit, metric, help},
#define STATS_STRUCT(type, LIST)                                                                   \
    typedef struct {                                                                               \
        LIST(STATS_FIELD_)                                                                         \
    } type
#define STATS_ROWS(LIST) LIST(STATS_ROW_)

/* A group of counters for output: path prefix, definitions, and the values. */
typedef struct {
    const char *path; /* "sm", "l2", "dram" */
    const stat_def_t *defs;
    size_t n;
    const uint64_t *values;
} stat_group_t;

/* sum[i] += part[i]; n counters. */
void stats_add(uint64_t *sum, const uint64_t *part, size_t n);

/* out[i] = now[i] - before[i]. */
void stats_sub(uint64_t *out, const uint64_t *now, const uint64_t *before, size_t n);

/* a / b, 0 if b is 0. */
double stats_ratio(uint64_t a, uint64_t b);

#endif
