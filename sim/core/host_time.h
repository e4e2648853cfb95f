/* Clocks of the host, in seconds. */
#ifndef RUBATO_CORE_HOST_TIME_H
#define RUBATO_CORE_HOST_TIME_H

#include <time.h>

static inline double host_time(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Wall-clock time since an arbitrary moment; never decreases. */
static inline double clock_seconds(void)
{
    return host_time(CLOCK_MONOTONIC);
}

/* Processor time used by this process. */
static inline double clock_cpu_seconds(void)
{
    return host_time(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
