#include "bench/sampling/sampling_draw.h"

#include <math.h>
#include <string.h>

#include "bench/sampling/sampling_patterns.h"

enum { KERNELS_MAX = 4, PHASES_MAX = 3, EXPR = 160 };

/* Most work of a workload, in plain warp instructions: it bounds the time of a triple. */
static const double most_work = 1e6;

typedef struct {
    unsigned threads, regs, shared, resident, n_phases;
    double work; /* of simulating a warp, in plain instructions, about */
    pattern_t phase[PHASES_MAX];
    double steps[PHASES_MAX];
    char length[EXPR];            /* steps of a warp in units of ?_steps */
    char where[PHASES_MAX][EXPR]; /* condition of a phase */
    int by_thread;                /* the conditions are of lanes */
} drawn_kernel_t;

/* --- a kernel -------------------------------------------------------------------------------- */

/* How many steps the warps of a block run, relative to ?_steps, and their mean. */
static double draw_length(rng_t *rng, char out[EXPR])
{
    static const struct {
        double chance, mean;
        const char *text;
    } lengths[] = {
        {0.40, 1, "1"},
        {0.12, 1, "(0.3 + 1.4 * (mix(block * 31 + seed) % 1024) / 1024)"},
        {0.10, 1.2, "0.6 / sqrt((1 + mix(block * 31 + seed) % 1024) / 1025)"},
        {0.08, 1.4, "min(50, 0.25 * 1025 / (1 + mix(block * 31 + seed) % 1024))"},
        {0.08, 1.15, "if(block >= blocks - (blocks // 50 + 1), 8, 1)"},
        {0.06, 1.1, "if(mix(block * 31 + seed) % 256 == 0, 25, 1)"},
        {0.06, 1, "(0.5 + block / blocks)"},
        {0.05, 1, "(1.5 - block / blocks)"},
        {0.05, 1.5, "(0.5 + mix(block * 131 + warp * 17 + seed) % 3)"},
    };
    double at = rng_unit(rng);
    size_t i = 0;

    while (i + 1 < sizeof(lengths) / sizeof(lengths[0]) && at >= lengths[i].chance)
        at -= lengths[i++].chance;
    snprintf(out, EXPR, "%s", lengths[i].text);
    return lengths[i].mean;
}

/* Which of two or three phases a block, warp or thread is in. */
static void draw_mixture(rng_t *rng, drawn_kernel_t *k)
{
    char number[EXPR / 2];
    unsigned n = k->n_phases;
    double at = rng_unit(rng);
    unsigned parts = 2 + (unsigned)rng_below(rng, 9), period = 1 + (unsigned)draw_log(rng, 1, 2000),
             share = 2 + (unsigned)rng_below(rng, 60);

    if (at < 0.35) /* stretches of the launch */
        snprintf(number, sizeof(number), "floor(block * %u / blocks) %% %u", at < 0.2 ? n : parts,
                 n);
    else if (at < 0.55)
        snprintf(number, sizeof(number), "block // %u %% %u", period, n);
    else if (at < 0.7)
        snprintf(number, sizeof(number), "if(mix(block * 53 + seed) %% 100 < %u, 1, 0)", share);
    else if (at < 0.85)
        snprintf(number, sizeof(number), "warp %% %u", n);
    else
        snprintf(number, sizeof(number), "mix(thread * 3 + block + seed) %% %u", n);
    k->by_thread = at >= 0.85;
    for (unsigned i = 0; i < n; i++)
        snprintf(k->where[i], EXPR, "%s == %u", number, i);
}

static unsigned resident_blocks(const drawn_chip_t *chip, const drawn_kernel_t *k)
{
    unsigned warps = (k->threads + 31) / 32, n = chip->warps / warps;
    unsigned by_regs = 65536 / (k->regs * 32 * warps);

    n = n < chip->blocks ? n : chip->blocks;
    n = n < by_regs ? n : by_regs;
    if (k->shared != 0 && n * k->shared > 64 * 1024)
        n = 64 * 1024 / k->shared;
    return n > 0 ? n : 1;
}

/* A kernel whose warps execute about insts instructions in the mean. */
static drawn_kernel_t draw_kernel(rng_t *rng, const drawn_chip_t *chip, double insts, int mixes)
{
    static const unsigned regs[] = {16, 24, 32, 32, 40, 64, 128};
    drawn_kernel_t k = {
        .threads = 32u << rng_below(rng, 5), .regs = regs[rng_below(rng, 7)], .n_phases = 1};

    if (mixes)
        k.n_phases = 2 + (unsigned)rng_below(rng, PHASES_MAX - 1);
    k.resident = resident_blocks(chip, &k);
    double mean = draw_length(rng, k.length);

    for (unsigned i = 0; i < k.n_phases; i++) {
        k.phase[i] = draw_pattern(rng, chip, k.threads, k.resident);
        k.steps[i] = (insts - 10) / k.phase[i].insts / mean;
        if (k.steps[i] < 1)
            k.steps[i] = 1;
        k.work += 10 + k.phase[i].cost * k.steps[i] * mean;
        if (k.shared < k.phase[i].shared)
            k.shared = k.phase[i].shared;
    }
    if (k.n_phases > 1)
        draw_mixture(rng, &k);
    if (!k.by_thread)
        k.work /= k.n_phases;
    if (k.shared == 0 && draw_chance(rng, 0.15)) /* shared memory bounds the blocks of an SM */
        k.shared = 1024u << rng_below(rng, 5);
    k.resident = resident_blocks(chip, &k);
    return k;
}

static void write_kernel(FILE *out, const drawn_kernel_t *k, unsigned number,
                         const drawn_chip_t *chip)
{
    fprintf(out,
            ".kernel k%u\n.param blocks 1\n.param seed 1\n.param threads %u\n.param step 0\n"
            ".param hmma %s\n",
            number, k->threads,
            chip->arch == 70 ? "HMMA.884.F32.F32.STEP0 R8, R24, R26, R8"
                             : "HMMA.1688.F32 R8, R24, R26, R8");
    for (unsigned i = 0; i < k->n_phases; i++) {
        char letter = (char)('a' + i);
        char base[80];

        pattern_write(out, k->phase[i].params, letter);
        /* each step of a program may bring other data: ?_base moves with it */
        snprintf(base, sizeof(base), ".param ?_steps %.0f\n.param ?_base %.0f + step\n",
                 k->steps[i], 1.0e12 + 5.0e11 * (number * PHASES_MAX + i));
        pattern_write(out, base, letter);
    }
    fprintf(out, ".grid blocks\n.block threads\n.regs %u\n.shared %u\n", k->regs, k->shared);
    fprintf(out, "MOV R1, c[0x0][0x28]\nS2R R0, SR_CTAID.X\nS2R R3, SR_TID.X\n"
                 "IMAD R0, R0, c[0x0][0x0], R3\nMOV R5, 0x4\nMOV R6, RZ\n");
    for (unsigned i = 0; i < k->n_phases; i++) {
        char letter = (char)('a' + i), loop[EXPR + 40];

        if (k->n_phases > 1)
            fprintf(out, ".%s %s\n", k->by_thread ? "lanes" : "if", k->where[i]);
        snprintf(loop, sizeof(loop), ".loop i max(1, ?_steps * %s)\n", k->length);
        pattern_write(out, loop, letter);
        pattern_write(out, k->phase[i].body, letter);
        fprintf(out, ".end\n");
        if (k->n_phases > 1)
            fprintf(out, ".end\n");
    }
    fprintf(out, "IMAD.WIDE R2, R0, R5, c[0x0][0x160]\n"
                 "STG.E.SYS [R2], R15 @ 0x7f0000000000 + 4 * (block * threads + thread)\nEXIT\n\n");
}

/* --- a program ------------------------------------------------------------------------------- */

/* Writes how the operand of a launch changes over the launches t = 0 .. n - 1. */
static void write_change(FILE *out, rng_t *rng, const char *name, double usual, double most)
{
    double at = rng_unit(rng), far = draw_log(rng, 2, 40);
    unsigned period = 2 + (unsigned)draw_log(rng, 1, 200);

    far = far > most ? most : far;
    fprintf(out, " %s=", name);
    if (at < 0.4)
        fprintf(out, "%.0f", usual);
    else if (at < 0.55) /* hidden among the others */
        fprintf(out, "$(if(mix(t*13+seed)%%%u==0,%.0f,%.0f))", period, usual * far, usual);
    else if (at < 0.7) /* growing, or shrinking */
        fprintf(out, "$(%.0f+%.0f*t//n)", usual * (at < 0.65 ? 1 : far),
                usual * (at < 0.65 ? far - 1 : 1 - far));
    else if (at < 0.85)
        fprintf(out, "$(if(t%%%u==%u,%.0f,%.0f))", period, period / 2, usual * far, usual);
    else if (at < 0.92) /* the first ones */
        fprintf(out, "$(if(t<%u,%.0f,%.0f))", period, usual * far, usual);
    else
        fprintf(out, "$(%.0f*(1+%.0f//(1+mix(t*29+seed)%%64)))", usual, far);
}

static void write_launches(FILE *out, rng_t *rng, const drawn_kernel_t *k, unsigned n_kernels,
                           const double *blocks, uint64_t steps)
{
    fprintf(out, ".program\n.param seed 1\n.param n %llu\n.repeat t n\n",
            (unsigned long long)steps);
    for (unsigned i = 0; i < n_kernels; i++) {
        fprintf(out, ".launch k%u seed=$(seed+t*97)", i);
        if (steps == 1) {
            fprintf(out, " blocks=%.0f\n", blocks[i]);
            continue;
        }
        /* data: the same in all launches, or others in each */
        if (draw_chance(rng, 0.3))
            fprintf(out, " step=$(t*%.0f)", draw_log(rng, 1e5, 4e6) / 128 * 128);
        write_change(out, rng, "blocks", blocks[i], 8);
        write_change(out, rng, "a_steps", k[i].steps[0], 20);
        if (k[i].phase[0].foot > 0)
            write_change(out, rng, "a_foot", k[i].phase[0].foot, 40);
        fputc('\n', out);
    }
    fprintf(out, ".end\n");
}

uint64_t draw_triple(uint64_t seed, uint64_t number, FILE *out, drawn_chip_t *chip, double *waves)
{
    rng_t rng = rng_make(seed, number);
    drawn_kernel_t k[KERNELS_MAX];
    double blocks[KERNELS_MAX], total;
    int single = draw_chance(&rng, 0.55);
    double drawn = draw_log(&rng, 1, 401), launches = draw_log(&rng, 2, 5001);
    double most = single ? most_work : draw_log(&rng, most_work / 30, most_work / 2);
    unsigned n_kernels = single ? 1 : 1 + (unsigned)rng_below(&rng, KERNELS_MAX);
    uint64_t steps = single ? 1 : (uint64_t)ceil(launches / n_kernels);

    /* The waves of a launch, or the launches of a program, are kept; the rest is drawn again until the
     * workload has the right size, whose bound grows slowly: thousands of launches need more. */
    do {
        most *= 1.01;
        *chip = draw_chip(&rng);
        total = 0;
        for (unsigned i = 0; i < n_kernels; i++) {
            double insts = draw_log(&rng, 20, single ? 1500 : 500);

            k[i] = draw_kernel(&rng, chip, insts, draw_chance(&rng, single ? 0.4 : 0.2));
            blocks[i] = single ? ceil(drawn * chip->sms * k[i].resident)
                               : ceil(draw_log(&rng, 1, 4.0 * chip->sms * k[i].resident));
            total += (double)steps * blocks[i] * k[i].work * ((k[i].threads + 31) / 32);
        }
    } while (total > most || total < most / (single ? 100 : 8));
    for (unsigned i = 0; i < n_kernels; i++)
        write_kernel(out, &k[i], i, chip);
    write_launches(out, &rng, k, n_kernels, blocks, steps);
    *waves = single ? drawn : 0;
    return steps * n_kernels;
}
