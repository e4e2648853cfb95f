#include "bench/bench_schedule.h"

double schedule_window(const task_t *task, size_t n, unsigned threads)
{
    double busy[SCHEDULE_THREADS_MAX] = {0}, end = 0, transit_end = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned first = 0;
        for (unsigned t = 1; t < threads; t++)
            first = busy[t] < busy[first] ? t : first;
        if (task[i].kind == TASK_AFTER && busy[first] < transit_end)
            busy[first] = transit_end;
        busy[first] += task[i].time;
        end = busy[first] > end ? busy[first] : end;
        if (task[i].kind == TASK_TRANSIT)
            transit_end = end;
    }
    return end;
}
