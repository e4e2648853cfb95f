#include "frontend/tool/run/results/report_columns.h"

#define COLUMN_(name, unit, help)     {#name, unit, help},
#define STAT_(NAME, path, unit, help) {path, unit, help},

const report_column_t launch_columns[] = {LAUNCH_COLUMNS(COLUMN_)};
const report_column_t interval_columns[] = {INTERVAL_COLUMNS(COLUMN_)};
const report_column_t interval_stats[INTERVAL_STAT_COUNT] = {INTERVAL_STATS(STAT_)};

const size_t n_launch_columns = sizeof(launch_columns) / sizeof(launch_columns[0]);
const size_t n_interval_columns = sizeof(interval_columns) / sizeof(interval_columns[0]);
