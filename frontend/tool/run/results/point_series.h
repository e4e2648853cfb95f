/*
 * A series of integer rows with bounded size: when it is full, every second row is dropped. Which
 * rows remain depends only on their order.
 */
#ifndef RUBATO_RUN_POINT_SERIES_H
#define RUBATO_RUN_POINT_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/files/json_write.h"

enum { SERIES_POINTS = 2048, SERIES_COLUMNS = 5 };

typedef struct {
    uint64_t row[SERIES_COLUMNS];
} point_t;

/* Zeroed: an empty series. */
typedef struct {
    uint64_t seen, every; /* rows added; rows 0, every, 2 every, ... are kept (0: all) */
    point_t *points;      /* owned */
    size_t n;
} point_series_t;

void point_series_add(point_series_t *s, const point_t *p);

/* Empties it and keeps its memory. */
void point_series_clear(point_series_t *s);
void point_series_free(point_series_t *s);

/* {"seen": ..., "every": ..., "columns": [...], "rows": [[...], ...]}; columns: ends with NULL, at
 * most SERIES_COLUMNS names. */
void point_series_write(const point_series_t *s, json_t *j, const char *key,
                        const char *const *columns);

#endif
