#include "bench/sampling/sampling_populations.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* A launch of kernel k with this many blocks and instructions. */
static void launch(made_program_t *p, uint64_t i, uint32_t k, double blocks, double insts,
                   double cycles)
{
    p->name[i] = k;
    p->grid[i][0] = (uint32_t)blocks;
    p->block[i][0] = 256;
    p->insts[i] = insts;
    p->threads[i] = 32 * insts;
    p->requests[i] = floor(insts / 8);
    p->sectors[i] = 4 * p->requests[i];
    p->time[i] = p->extra[i] = cycles;
}

/* A usual launch of kernel k: kernels differ in size, launches of a kernel do not. */
static void usual(made_program_t *p, uint64_t i, double factor)
{
    uint32_t k = (uint32_t)(i % p->pop.n_names);
    double blocks = 40 + 8 * k, insts = blocks * 8 * (200 + 13 * k);
    launch(p, i, k, blocks, insts, 1500 + 0.05 * insts * factor);
    p->extra[i] = 1500 + 0.05 * insts;
}

static double noise(rng_t *rng, double spread)
{
    return fmax(0.1, 1 + spread * rng_normal(rng));
}

static double lognormal(rng_t *rng, double cov)
{
    double sigma2 = log(1 + cov * cov);
    return exp(sqrt(sigma2) * rng_normal(rng) - sigma2 / 2);
}

#define EACH(p, i) for (uint64_t i = 0; i < (p)->pop.n; i++)

static void moderate(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, lognormal(rng, 1));
}

static void wide(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, lognormal(rng, 2));
}

static void two_peaks(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, (rng_unit(rng) < 0.3 ? 5 : 1) * noise(rng, 0.05));
}

static void regular(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, noise(rng, 0.02));
}

static void drift(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, (1 + 2 * (double)i / (double)p->pop.n) * noise(rng, 0.05));
}

/* Three phases of data under the same code. */
static void phases(made_program_t *p, rng_t *rng)
{
    static const double of[] = {1, 3.5, 1.7};
    EACH(p, i)
    usual(p, i, of[3 * i / p->pop.n] * noise(rng, 0.03));
}

/* One launch in a hundred, which looks like the others. */
static void slow_5(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, (rng_unit(rng) < 0.01 ? 5 : 1) * noise(rng, 0.03));
}

static void slow_50(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, (rng_unit(rng) < 0.01 ? 50 : 1) * noise(rng, 0.03));
}

/* The same launches, but their sectors show that they gather. */
static void gathers(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    {
        bool slow = rng_unit(rng) < 0.01;
        usual(p, i, (slow ? 5 : 1) * noise(rng, 0.03));
        p->requests[i] *= slow ? 8 : 1;
        p->sectors[i] *= slow ? 8 : 1;
    }
}

static void giants_seen(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    {
        usual(p, i, noise(rng, 0.03));
        if (rng_unit(rng) < 0.001)
            launch(p, i, p->name[i], p->grid[i][0],
                   floor(p->insts[i] * (100 + 400 * rng_unit(rng))), p->time[i] * 300);
    }
}

static void giants_unseen(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, (rng_unit(rng) < 0.001 ? 500 : 1) * noise(rng, 0.03));
}

/* The first launch of every kernel takes a hundred times as long, the next nine five times. */
static void slow_firsts(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    {
        uint64_t turn = i / p->pop.n_names;
        usual(p, i, (turn == 0 ? 100 : turn < 10 ? 5 : 1) * noise(rng, 0.03));
    }
}

static void pareto_13(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, pow(1 - rng_unit(rng), -1 / 1.3));
}

static void pareto_18(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    usual(p, i, pow(1 - rng_unit(rng), -1 / 1.8));
}

/* Conjugate gradients: a sparse product, dot products, vector updates, a rare check. The product slows
 * down a little where its matrix has left the L2. */
static void solver(made_program_t *p, rng_t *rng)
{
    static const double insts[] = {90000, 12000, 15000, 15000, 15000, 12000, 3000};
    EACH(p, i)
    {
        uint32_t k = (uint32_t)(i % 7);
        bool check = k == 6 && i % 70 == 6;
        double evicted = k == 0 && rng_unit(rng) < 0.25 ? 1.25 : 1;
        launch(p, i, k, check ? 80 : 40, check ? 30000 : insts[k],
               1800 + 0.1 * (check ? 30000 : insts[k]) * evicted * noise(rng, 0.02));
    }
}

/* Training steps: 12 layers of five kernels in their own shapes, an optimiser that takes a third. */
static void training(made_program_t *p, rng_t *rng)
{
    enum { STEP = 64 };
    EACH(p, i)
    {
        uint64_t at = i % STEP;
        uint32_t k = at < 60 ? (uint32_t)(at % 5) : 5 + (uint32_t)(at - 60);
        double insts =
            k < 5 ? 20000.0 * (1 + k) + (at < 30 ? 0 : 5000) : 30000.0 * (1 + (k - 5) * 8);
        launch(p, i, k, 24 + 8 * k, insts,
               2000 + insts * (0.04 + 0.01 * k) * noise(rng, k == 2 ? 0.15 : 0.01));
    }
}

/* One step of a network: few launches of each kind, equal instructions in a quarter of the blocks. */
static void one_step(made_program_t *p, rng_t *rng)
{
    EACH(p, i)
    {
        uint32_t k = (uint32_t)(i % 10);
        bool narrow = i % 40 >= 30;
        double insts = 8000.0 * (1 + k * k);
        launch(p, i, k, narrow ? 12 : 48, insts,
               2000 + 0.08 * insts * (narrow ? 3.8 : 1) * noise(rng, 0.04));
    }
}

/* Tokens of a language model: 86 small launches and a classifier with 62 % of the instructions; the
 * attention grows with the position. */
static void tokens(made_program_t *p, rng_t *rng)
{
    enum { TOKEN = 87 };
    EACH(p, i)
    {
        uint64_t at = i % TOKEN, token = i / TOKEN;
        uint32_t k = at == TOKEN - 1 ? 6 : (uint32_t)(at % 6);
        double insts = k == 6 ? 4300000 : 20000.0 + 4000 * k;
        if (k == 5)
            insts = 4000 + 300.0 * (double)token;
        launch(p, i, k, k == 6 ? 500 : 24, insts,
               2200 + insts * (k == 6 ? 0.02 : 0.06) * noise(rng, 0.02));
    }
}

/* Breadth-first searches: frontiers from a few to a million vertices, work per launch uneven. */
static void graph(made_program_t *p, rng_t *rng)
{
    enum { LEVELS = 14 };
    EACH(p, i)
    {
        double level = (double)(i / 2 % LEVELS), height = exp(-0.5 * pow((level - 7) / 2, 2));
        double vertices = floor(2 + 4e4 * height * (0.7 + 0.6 * rng_unit(rng)));
        uint32_t k = (uint32_t)(i % 2);
        launch(p, i, k, ceil(vertices / 256), floor(vertices * (k ? 3 : 9)),
               1700 + vertices * (k ? 0.2 : 0.8) * lognormal(rng, 0.2));
    }
}

const made_kind_t made_kinds[] = {
    {"regular", 500, 5, regular, 4},
    {"regular, nothing known", 500, 5, regular, 0},
    {"regular, large", 20000, 10, regular, 4},
    {"lognormal, CoV 1", 20000, 10, moderate, 0},
    {"lognormal, CoV 2", 20000, 10, wide, 0},
    {"lognormal, CoV 2, one kernel", 20000, 1, wide, 0},
    {"30 % 5 times as long", 20000, 10, two_peaks, 8},
    {"drift, threefold", 20000, 10, drift, 4},
    {"three phases", 2000, 5, phases, 4},
    {"1 % 5 times as long, unseen", 1000, 5, slow_5, 8},
    {"1 % 5 times as long, unseen", 20000, 10, slow_5, 8},
    {"1 % 50 times as long, unseen", 1000, 5, slow_50, 64},
    {"1 % 50 times, nothing known", 1000, 5, slow_50, 0},
    {"1 % 50 times as long, unseen", 20000, 10, slow_50, 64},
    {"1 % gather, sectors show it", 1000, 5, gathers, 4},
    {"0.1 % giants, counts show it", 20000, 10, giants_seen, 4},
    {"0.1 % giants, unseen", 20000, 10, giants_unseen, 640},
    {"slow first launches", 5000, 20, slow_firsts, 0},
    {"Pareto 1.3", 20000, 10, pareto_13, 0},
    {"Pareto 1.3, one kernel", 20000, 1, pareto_13, 0},
    {"Pareto 1.8", 20000, 10, pareto_18, 0},
    {"solver", 723, 7, solver, 4},
    {"training loop", 3200, 9, training, 4},
    {"one step of a network", 200, 10, one_step, 4},
    {"tokens", 8700, 7, tokens, 4},
    {"graph search", 1400, 2, graph, 4},
};
const size_t n_made_kinds = sizeof(made_kinds) / sizeof(made_kinds[0]);

static void know(made_program_t *p, double reach)
{
    p->pop.name = p->name;
    p->pop.names = p->names;
    p->pop.grid = (const uint32_t(*)[3])p->grid;
    p->pop.block = (const uint32_t(*)[3])p->block;
    p->pop.counter[POP_WARP_INSTS] = p->insts;
    p->pop.counter[POP_THREAD_INSTS] = p->threads;
    p->pop.counter[POP_REQUESTS] = p->requests;
    p->pop.fact[POP_GLOBAL_SECTORS] = p->sectors;
    for (uint64_t i = 0; i < p->pop.n; i++)
        p->extra[i] *= reach - 1;
    p->pop.extra = reach > 0 ? p->extra : NULL;
}

made_program_t made_program(const made_kind_t *kind, uint64_t seed)
{
    uint64_t n = kind->launches;
    made_program_t p = {.pop = {.n = n, .n_names = kind->kernels}};
    rng_t rng = rng_make(seed, n);
    p.time = rb_calloc(n, sizeof(*p.time));
    p.name = rb_calloc(n, sizeof(*p.name));
    p.grid = rb_calloc(n, sizeof(*p.grid));
    p.block = rb_calloc(n, sizeof(*p.block));
    p.insts = rb_calloc(n, sizeof(*p.insts));
    p.threads = rb_calloc(n, sizeof(*p.threads));
    p.requests = rb_calloc(n, sizeof(*p.requests));
    p.sectors = rb_calloc(n, sizeof(*p.sectors));
    p.extra = rb_calloc(n, sizeof(*p.extra));
    p.text = rb_calloc(kind->kernels, sizeof(*p.text));
    p.names = rb_calloc(kind->kernels, sizeof(*p.names));
    for (uint32_t k = 0; k < kind->kernels; k++) {
        snprintf(p.text[k], sizeof(p.text[k]), "kernel%u", k);
        p.names[k] = p.text[k];
    }
    for (uint64_t i = 0; i < n; i++)
        p.grid[i][1] = p.grid[i][2] = p.block[i][1] = p.block[i][2] = 1;
    kind->make(&p, &rng);
    know(&p, kind->reach);
    return p;
}

void made_program_free(made_program_t *p)
{
    free(p->time);
    free(p->name);
    free(p->grid);
    free(p->block);
    free(p->insts);
    free(p->threads);
    free(p->requests);
    free(p->sectors);
    free(p->extra);
    free(p->text);
    free(p->names);
}
