#include "bench/sampling/sampling_coverage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/sampling/sampling_populations.h"
#include "frontend/input/profile/profile.h"
#include "tests/support/sampling/online_replay.h"

enum { PROGRAMS = 10 };

static void head(void)
{
    printf("%-30s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "program", "launches", "samples",
           "cycles", "work", "covered", "refused", "silent", "half", "error", "max");
}

static void row(const char *name, uint64_t launches, const replay_t *r)
{
    printf("%-30s %8llu %8.0f %7.1fx %7.1fx %7.1f%% %7.1f%% %7.2f%% %7.2f%% %7.2f%% %7.2f%%\n",
           name, (unsigned long long)launches, r->samples, r->speedup, r->gain, 100 * r->coverage,
           100 * r->refused, 100 * r->silent, 100 * r->half, 100 * r->error, 100 * r->error_max);
    fflush(stdout);
}

int coverage_profile(uint64_t replays, const char *path)
{
    profile_t *p;
    rb_err_t err = {0};
    const char *name = strrchr(path, '/');
    if (profile_read(&p, path, &err) != RB_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    population_t pop = {.n = p->n,
                        .name = p->name,
                        .names = (const char *const *)p->names,
                        .n_names = p->n_names,
                        .grid = (const uint32_t(*)[3])p->grid,
                        .block = (const uint32_t(*)[3])p->block};
    pop.counter[POP_WARP_INSTS] = p->counter[PROFILE_WARP_INSTS];
    pop.counter[POP_THREAD_INSTS] = p->counter[PROFILE_THREAD_INSTS];
    replay_t r = online_replay(&pop, p->time, "stem_online", replays);
    row(name != NULL ? name + 1 : path, pop.n, &r);
    profile_free(p);
    return 0;
}

/* Adds the mean of a part of the replays; of the intervals, those of the replays that have one. */
static void add(replay_t *sum, const replay_t *r)
{
    double printed = 1 - r->refused;
    sum->refused += r->refused / PROGRAMS;
    sum->samples += r->samples / PROGRAMS;
    sum->speedup += 1 / r->speedup / PROGRAMS;
    sum->gain += 1 / r->gain / PROGRAMS;
    sum->silent += r->silent / PROGRAMS;
    sum->error += r->error / PROGRAMS;
    sum->error_max = fmax(sum->error_max, r->error_max);
    sum->coverage += printed > 0 ? r->coverage * printed / PROGRAMS : 0;
    sum->half += printed > 0 ? r->half * printed / PROGRAMS : 0;
}

void coverage_made(uint64_t replays)
{
    head();
    for (size_t k = 0; k < n_made_kinds; k++) {
        replay_t sum = {0};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
            made_program_t p = made_program(&made_kinds[k], seed);
            replay_t r = online_replay(&p.pop, p.time, "stem_online",
                                       replays / PROGRAMS > 0 ? replays / PROGRAMS : 1);
            add(&sum, &r);
            made_program_free(&p);
        }
        sum.speedup = 1 / sum.speedup;
        sum.gain = 1 / sum.gain;
        sum.coverage /= 1 - sum.refused;
        sum.half /= 1 - sum.refused;
        row(made_kinds[k].name, made_kinds[k].launches, &sum);
    }
}
