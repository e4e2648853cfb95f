#include "bench/bench_schedule.h"

double schedule_window(const float *time, size_t n, unsigned threads)
{
    double busy[SCHEDULE_THREADS_MAX] = {0}, end = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned first = 0;
        for (unsigned t = 1; t < threads; t++)
            first = busy[t] < busy[first] ? t : first;
        busy[first] += time[i];
        end = busy[first] > end ? busy[first] : end;
    }
    return end;
}
