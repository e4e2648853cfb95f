/* What the columns and metrics of measured counters are called. */
#ifndef RUBATO_HARDWARE_FIELD_H
#define RUBATO_HARDWARE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    FIELD_COUNTER,
    FIELD_OTHER,
    FIELD_KERNEL,
    FIELD_PROGRAM,
    FIELD_GRID,
    FIELD_BLOCK,
    FIELD_LAUNCH, /* tells launches apart */
    FIELD_METRIC, /* of tables with a row per metric: */
    FIELD_UNIT,
    FIELD_VALUE
} hardware_field_t;

/* What a column of this name is; FIELD_COUNTER: any other name. */
hardware_field_t hardware_field_kind(const char *name);

/* The metric behind a label of a page for people, such as "Elapsed Cycles"; other names are their own. */
const char *hardware_metric(const char *label, const char *unit);

/* Whether a line may be a header: it names a column that every header has, and its quotes are paired. */
bool hardware_is_header_like(const char *line, size_t len);

#endif
