/*
 * How fast more threads would be: list scheduling (Graham, "Bounds on Multiprocessing Timing
 * Anomalies", SIAM J. Appl. Math. 17, 1969). The tasks of a window, in their order, go to the thread
 * that is free first. The window ends when all are done; what is between windows is serial.
 */
#ifndef RUBATO_BENCH_SCHEDULE_H
#define RUBATO_BENCH_SCHEDULE_H

#include <stddef.h>

enum { SCHEDULE_THREADS_MAX = 64 };

typedef enum {
    TASK_FREE,
    TASK_TRANSIT, /* these come before the others */
    TASK_AFTER,   /* the thread that has it waits until the transit is over */
} task_kind_t;

typedef struct {
    float time;
    task_kind_t kind;
} task_t;

/* Time of a window of n tasks on threads (1 .. SCHEDULE_THREADS_MAX). */
double schedule_window(const task_t *task, size_t n, unsigned threads);

#endif
