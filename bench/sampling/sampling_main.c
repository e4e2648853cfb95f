/*
 * What planning costs and what sequential sampling covers.
 *
 *   rubato_sampling scale [LAUNCHES]      processor time and peak memory of each method, in steps
 *                                         up to LAUNCHES (default 50 million) of 800 kernels
 *   rubato_sampling growth [LAUNCHES]     the same of photon_kernel beside stem, where no two
 *                                         launches are alike: up to LAUNCHES (default 16,000)
 *   rubato_sampling coverage [REPLAYS [PROFILE]...]
 *                                         stated coverage of stem_online (default 2000 replays), on
 *                                         populations that are made up and on those profiles
 *   rubato_sampling equation6 [TRIALS]    STEM's Eq. 6, printed and derived (default 1000 trials)
 *   rubato_sampling replacement [TRIALS]  sampling with and without replacement
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/sampling/sampling_bound.h"
#include "frontend/input/profile/profile.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"
#include "tests/support/online_replay.h"

enum { KERNELS = 800 };

/* A program of n launches; each kernel has one to four peaks of durations and of instructions. */
typedef struct {
    uint32_t *name;
    double *time, *insts;
    char text[KERNELS][16];
    const char *names[KERNELS];
} program_t;

static program_t *make_program(uint64_t n)
{
    program_t *p = rb_calloc(1, sizeof(*p));
    rng_t rng = rng_make(1, 2);
    p->name = rb_calloc(n, sizeof(*p->name));
    p->time = rb_calloc(n, sizeof(*p->time));
    p->insts = rb_calloc(n, sizeof(*p->insts));
    for (uint32_t k = 0; k < KERNELS; k++) {
        snprintf(p->text[k], sizeof(p->text[k]), "kernel%u", k);
        p->names[k] = p->text[k];
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = rng_u64(&rng);
        uint32_t k = (uint32_t)(r % KERNELS), peak = (uint32_t)(r >> 32) % (1 + k % 4);
        double base = 2000 * (1 + k % 37) * (1 + 3 * peak);
        p->name[i] = k;
        p->insts[i] = base * 10 + (double)((r >> 40) % 50);
        p->time[i] = floor(base * (1 + 0.1 * rng_unit(&rng) * (1 + k % 8)));
    }
    return p;
}

static void free_program(program_t *p)
{
    free(p->name);
    free(p->time);
    free(p->insts);
    free(p);
}

/* Processor time, which other load on the machine does not affect. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Plans in a separate process, to measure its own peak memory. */
static void time_method(const population_t *pop, const char *method)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        launch_choice_t choice;
        rb_err_t err = {0};
        plan_t plan;
        double start = seconds();
        if (launch_choice_parse(&choice, method, &err) != RB_OK ||
            launch_plan(&choice, pop, 1, &plan, &err) != RB_OK) {
            printf("%-12s %11llu  refused: %s\n", method, (unsigned long long)pop->n, err.text);
            fflush(stdout);
            _exit(0);
        }
        double took = seconds() - start;
        printf("%-12s %11llu %9.2f s %8.1f ns/launch %7u clusters %7llu samples", method,
               (unsigned long long)pop->n, took, 1e9 * took / (double)pop->n, plan.n_clusters,
               (unsigned long long)plan.n_samples);
        fflush(stdout);
        _exit(0);
    }
    struct rusage usage = {0};
    int status;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
        printf("%-12s failed\n", method);
        return;
    }
    printf("  peak %.2f GiB (the launches' columns included)\n",
           (double)usage.ru_maxrss / (1 << 20));
}

static int scale(uint64_t most)
{
    static const char *const methods[] = {"random", "allegro", "stem", "sieve", "tbpoint", "pka"};
    program_t *p = make_program(most);
    for (uint64_t n = most / 50 > 0 ? most / 50 : most; n <= most;
         n = n < most && n * 14 > most ? most : n * 7) {
        population_t pop = {
            .n = n, .name = p->name, .names = p->names, .n_names = KERNELS, .time = p->time};
        pop.counter[POP_WARP_INSTS] = pop.counter[POP_THREAD_INSTS] = p->insts;
        pop.counter[POP_REQUESTS] = p->insts;
        for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
            time_method(&pop, methods[m]);
    }
    free_program(p);
    return 0;
}

/*
 * Launches of four warps that execute the same blocks, each a different number of times. Nothing
 * can be merged, so a method that compares launches with each other compares all of them.
 */
static int growth(uint64_t most)
{
    enum { BLOCKS = 16 };
    program_t *p = make_program(most);
    uint64_t *begin = rb_calloc(most + 1, sizeof(*begin)), *warps = rb_calloc(most, sizeof(*warps));
    uint32_t *of = rb_calloc(most, sizeof(*of)), *block = rb_calloc(most * BLOCKS, sizeof(*block));
    double *count = rb_calloc(most * BLOCKS, sizeof(*count));
    rng_t rng = rng_make(5, 5);
    for (uint64_t i = 0; i < most; i++) {
        begin[i + 1] = begin[i] + BLOCKS;
        warps[i] = 4;
        of[i] = (uint32_t)i;
        for (uint32_t b = 0; b < BLOCKS; b++) {
            block[begin[i] + b] = b;
            count[begin[i] + b] = 1 + floor(1000 * rng_unit(&rng));
        }
    }
    for (uint64_t n = most / 8 > 0 ? most / 8 : 1; n <= most; n *= 2) {
        population_t pop = {
            .n = n, .name = p->name, .names = p->names, .n_names = KERNELS, .time = p->time};
        pop.counter[POP_WARP_INSTS] = p->insts;
        pop.bbv_of = of;
        pop.n_bbvs = n;
        pop.bbv_begin = begin;
        pop.bbv_block = block;
        pop.bbv_count = count;
        pop.bbv_warps = warps;
        pop.n_blocks = BLOCKS;
        time_method(&pop, "stem");
        time_method(&pop, "photon_kernel:few_warps=0,threshold=1e-9");
    }
    free(begin);
    free(warps);
    free(of);
    free(block);
    free(count);
    free_program(p);
    return 0;
}

/* Cycles of a launch at position at (0 .. 1) of its program, on a scale where 1 is usual. */
typedef double (*draw_t)(rng_t *rng, double at);

static double lognormal_1(rng_t *rng, double at)
{
    (void)at;
    return exp(sqrt(log(2)) * rng_normal(rng));
}

static double bimodal(rng_t *rng, double at)
{
    (void)at;
    return (rng_unit(rng) < 0.3 ? 5 : 1) * (1 + 0.05 * rng_normal(rng));
}

static double drifting(rng_t *rng, double at)
{
    return (1 + 2 * at) * (1 + 0.2 * rng_unit(rng));
}

static double lognormal_2(rng_t *rng, double at)
{
    (void)at;
    return exp(sqrt(log(5)) * rng_normal(rng));
}

static double rare_long(rng_t *rng, double at)
{
    (void)at;
    return (rng_unit(rng) < 0.01 ? 50 : 1) * (1 + 0.05 * rng_unit(rng));
}

static double pareto(rng_t *rng, double at)
{
    (void)at;
    return pow(1 - rng_unit(rng), -1 / 1.5);
}

static void print_coverage(const char *name, const char *strata, const replay_t *r)
{
    printf("%-32s %s: interval covers %6.2f %%, error within 5 %% %6.2f %%, bound met %6.2f %%, "
           "speed-up %5.1f, samples %5.0f\n",
           name, strata, 100 * r->coverage, 100 * r->inside, 100 * r->met, r->speedup, r->samples);
    fflush(stdout);
}

/* A recorded program; its strata are those of names, shapes and instructions. */
static int profile_coverage(uint64_t replays, const char *path)
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
    print_coverage(name != NULL ? name + 1 : path, "profile", &r);
    profile_free(p);
    return 0;
}

static int coverage(uint64_t replays)
{
    enum { N = 20000 };
    static const struct {
        const char *name;
        draw_t draw;
    } kinds[] = {
        {"lognormal, CoV 1", lognormal_1},          {"bimodal, 30 % 5 times as long", bimodal},
        {"drifting, threefold", drifting},          {"heavy: lognormal, CoV 2", lognormal_2},
        {"heavy: 1 % 50 times as long", rare_long}, {"heavy: Pareto, exponent 1.5", pareto}};
    program_t *p = make_program(N);
    for (uint32_t strata = 1; strata <= 10; strata += 9) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            rng_t rng = rng_make(77, k);
            for (uint64_t i = 0; i < N; i++) {
                p->name[i] = (uint32_t)(i % strata);
                p->time[i] = 1000 * (double)(1 + p->name[i]) * kinds[k].draw(&rng, (double)i / N);
            }
            population_t pop = {.n = N, .name = p->name, .names = p->names, .n_names = strata};
            replay_t r = online_replay(&pop, p->time, "stem_online", replays);
            print_coverage(kinds[k].name, strata == 1 ? "1 stratum" : "10 strata", &r);
        }
    }
    free_program(p);
    return 0;
}

static int equation6(uint64_t trials)
{
    bound_equation6(trials);
    return 0;
}

static int replacement(uint64_t trials)
{
    bound_replacement(trials);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(uint64_t number);
        uint64_t number;
    } actions[] = {{"scale", scale, 50000000},
                   {"growth", growth, 16000},
                   {"coverage", coverage, 2000},
                   {"equation6", equation6, 1000},
                   {"replacement", replacement, 1000}};
    uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (argc < 2 || strcmp(argv[1], actions[i].name) != 0)
            continue;
        if (number == 0)
            number = actions[i].number;
        int status = actions[i].run(number);
        for (int k = 3; status == 0 && actions[i].run == coverage && k < argc; k++)
            status = profile_coverage(number, argv[k]);
        return status;
    }
    fprintf(stderr, "usage: rubato_sampling scale|growth|coverage|equation6|replacement [N "
                    "[PROFILE]...]\n");
    return 2;
}
