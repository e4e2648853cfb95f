/*
 * What planning costs and what sequential sampling covers.
 *
 *   rubato_sampling scale [LAUNCHES]      processor time and peak memory of each method, in steps
 *                                         up to LAUNCHES (default 50 million) of 800 kernels
 *   rubato_sampling growth [LAUNCHES]     the same of photon_kernel beside stem, where no two
 *                                         launches are alike: up to LAUNCHES (default 16,000)
 *   rubato_sampling coverage [REPLAYS [PROFILE]...]
 *                                         stated coverage of stem_online (default 400 replays), on
 *                                         programs that are made up and on those profiles
 *   rubato_sampling equation6 [TRIALS]    STEM's Eq. 6, printed and derived (default 1000 trials)
 *   rubato_sampling replacement [TRIALS]  sampling with and without replacement
 *   rubato_sampling stalls                spread of the IPC in TBPoint's model of stalled warps
 *   rubato_sampling draw NUMBER SEED FILE writes the workload of a triple of ./do trials random to FILE
 *                                         and prints its number of launches, sampler seed and chip
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
#include "bench/sampling/sampling_coverage.h"
#include "bench/sampling/sampling_draw.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/math/rng.h"
#include "sampling/math/stall_model.h"
#include "sim/core/alloc.h"

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

static int coverage(uint64_t replays)
{
    coverage_made(replays);
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

static int draw(uint64_t number, const char *seed, const char *path)
{
    drawn_chip_t chip;
    double waves;
    FILE *out = fopen(path, "w");

    if (out == NULL) {
        perror(path);
        return 1;
    }
    uint64_t launches = draw_triple(strtoull(seed, NULL, 10), number, out, &chip, &waves);
    if (fclose(out) != 0) {
        perror(path);
        return 1;
    }
    printf("%llu\t%llu\tsm_%u\t%.1f\t%s\n", (unsigned long long)launches,
           (unsigned long long)number, chip.arch, waves, chip.options);
    return 0;
}

/* TBPoint's figure 5: warps that stall for times with the same mean. */
static int stalls(uint64_t trials)
{
    static const size_t warps[] = {4, 8, 16, 32};
    static const double p[] = {0.05, 0.1, 0.2};
    printf("%8s %8s %10s %8s\n", "warps", "p", "within 10%", "CoV");
    for (size_t i = 0; i < sizeof(warps) / sizeof(warps[0]); i++) {
        for (size_t k = 0; k < sizeof(p) / sizeof(p[0]); k++) {
            const stall_spread_t s = stall_model_spread(p[k], 400, warps[i], (unsigned)trials, 1);
            printf("%8zu %8g %10.2f %8.2f\n", warps[i], p[k], 100 * s.within, 100 * s.cov);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(uint64_t number);
        uint64_t number;
    } actions[] = {{"scale", scale, 50000000},         {"growth", growth, 16000},
                   {"coverage", coverage, 400},        {"equation6", equation6, 1000},
                   {"replacement", replacement, 1000}, {"stalls", stalls, 10000}};
    uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (argc == 5 && strcmp(argv[1], "draw") == 0)
        return draw(number, argv[3], argv[4]);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (argc < 2 || strcmp(argv[1], actions[i].name) != 0)
            continue;
        if (number == 0)
            number = actions[i].number;
        int status = actions[i].run(number);
        for (int k = 3; status == 0 && actions[i].run == coverage && k < argc; k++)
            status = coverage_profile(number, argv[k]);
        return status;
    }
    fprintf(stderr, "usage: rubato_sampling scale|growth|coverage|equation6|replacement|stalls [N "
                    "[PROFILE]...]\n");
    return 2;
}
