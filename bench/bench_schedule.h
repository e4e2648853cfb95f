/*
 * How fast more threads would be: list scheduling (Graham, "Bounds on Multiprocessing Timing
 * Anomalies", SIAM J. Appl. Math. 17, 1969). The shards of a window, in their order, go to the thread
 * that is free first. The window ends when all are done; what is between windows is serial.
 */
#ifndef RUBATO_BENCH_SCHEDULE_H
#define RUBATO_BENCH_SCHEDULE_H

#include <stddef.h>

enum { SCHEDULE_THREADS_MAX = 64 };

/* Time of a window of n shards that take time[0 .. n) on threads (1 .. SCHEDULE_THREADS_MAX). */
double schedule_window(const float *time, size_t n, unsigned threads);

#endif
