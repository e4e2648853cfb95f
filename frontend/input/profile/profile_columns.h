/* The meaning of a profile table's columns: names, units, and which of them are used. */
#ifndef RUBATO_PROFILE_COLUMNS_H
#define RUBATO_PROFILE_COLUMNS_H

#include "frontend/input/profile/profile_builder.h"
#include "frontend/input/profile/table_reader.h"

typedef enum {
    COLUMN_NAME,
    COLUMN_TIME,   /* a duration in a unit of time */
    COLUMN_CYCLES, /* a duration in core cycles */
    COLUMN_ID,
    COLUMN_GRID,  /* "(50, 1, 1)", "50x1x1" or a number */
    COLUMN_BLOCK, /* likewise */
    COLUMN_GRID_X,
    COLUMN_GRID_Y,
    COLUMN_GRID_Z,
    COLUMN_BLOCK_X,
    COLUMN_BLOCK_Y,
    COLUMN_BLOCK_Z,
    COLUMN_LANES, /* thread instructions per warp instruction */
    COLUMN_COUNTER,
} column_kind_t;

/* How to use a column. */
typedef struct {
    uint32_t column; /* index in the row */
    column_kind_t kind;
    profile_counter_t counter; /* COLUMN_COUNTER: the value is added to it */
    double scale;              /* for counters: prefix of the unit */
} column_use_t;

enum { COLUMN_USES_MAX = 64 };

typedef struct {
    const char *format; /* kind of table, for people */
    bool accelsim;      /* names end in "--" and a count; an empty counter means 0 */
    bool rubato;        /* has launch ids */
    uint32_t n_columns;
    uint32_t name, time; /* columns; time: UINT32_MAX if there is none */
    bool time_is_cycles;
    double time_scale; /* nanoseconds per unit; 1 for cycles */
    column_use_t uses[COLUMN_USES_MAX];
    uint32_t n_uses;
    profile_has_t has;
} column_map_t;

/*
 * Interprets a row as a header. False if it is not one: no column of names, or none of durations,
 * cycles or counters.
 */
bool column_map_read(column_map_t *m, const table_field_t *fields, uint32_t n);

/*
 * Interprets a row as the units that Nsight Compute and nvprof write below the header; *taken is
 * false if the row is something else. RB_TRACE for an unknown unit.
 */
RB_CHECKED rb_code_t column_map_units(column_map_t *m, const table_reader_t *row, bool *taken,
                                      rb_err_t *err);

#endif
