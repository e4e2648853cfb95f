#include "bench/sampling/sampling_chip.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KIB = 1024 };

/* What the draw must know of configs/. */
static const struct {
    const char *name;
    unsigned arch, sms, warps, blocks, partitions, slices_each, l1_kib, l2_kib;
} cards[] = {
    {"v100", 70, 80, 64, 32, 64, 1, 128, 6144},
    {"qv100", 70, 80, 64, 32, 64, 1, 128, 6144},
    {"titan_v", 70, 80, 64, 32, 48, 1, 128, 4608},
    {"rtx2060", 75, 30, 32, 16, 12, 2, 96, 3072},
    {"t4", 75, 40, 32, 16, 16, 2, 96, 4096},
    {"rtx2080ti", 75, 68, 32, 16, 22, 2, 96, 5632},
    {"rtx3070", 75, 46, 48, 16, 16, 2, 121, 4096},
    {"rtx3090", 75, 82, 48, 16, 24, 2, 121, 6144},
    {"a40", 75, 84, 48, 16, 24, 2, 121, 6144},
    {"a100", 75, 108, 64, 32, 80, 2, 185, 40960},
    {"a100_80gb", 75, 108, 64, 32, 80, 2, 185, 40960},
    {"h200", 75, 132, 64, 32, 192, 1, 249, 61440},
};

double draw_log(rng_t *rng, double low, double high)
{
    return low * exp(log(high / low) * rng_unit(rng));
}

int draw_chance(rng_t *rng, double p)
{
    return rng_unit(rng) < p;
}

__attribute__((format(printf, 2, 3))) static void set(drawn_chip_t *c, const char *format, ...)
{
    size_t n = strlen(c->options);
    va_list args;

    va_start(args, format);
    vsnprintf(c->options + n, sizeof(c->options) - n, format, args);
    va_end(args);
}

/* Other policies than the card's, each with a probability of a fifth. */
static void draw_policies(rng_t *rng, drawn_chip_t *c)
{
    static const char *const policies[][8] = {
        {"l1.replacement", "lru", "random", "fifo", "nru", "plru", "srrip", NULL},
        {"l2.replacement", "random", "fifo", "nru", "plru", "srrip", NULL},
        {"sm.scheduler", "gto", "lrr", "oldest", "cggty", "grr", "two_level", NULL},
        {"mem.hash", "none", "ipoly", NULL},
        {"l1.prefetcher", "next_line", "stride", NULL},
    };

    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        unsigned n = 0;

        while (policies[i][n + 1] != NULL)
            n++;
        unsigned pick = 1 + (unsigned)rng_below(rng, n);

        if (draw_chance(rng, 0.2))
            set(c, " -s %s=%s", policies[i][0], policies[i][pick]);
    }
}

drawn_chip_t draw_chip(rng_t *rng)
{
    static const double l1_scales[] = {0.25, 0.5, 1, 1, 1, 2}, l2_scales[] = {0.25, 0.5, 1, 1, 2};
    unsigned i = (unsigned)rng_below(rng, sizeof(cards) / sizeof(cards[0]));
    drawn_chip_t c = {.gpu = cards[i].name,
                      .arch = cards[i].arch,
                      .sms = (unsigned)draw_log(rng, 4, 81),
                      .warps = cards[i].warps,
                      .blocks = cards[i].blocks};
    double l1 = l1_scales[rng_below(rng, 6)], l2 = l2_scales[rng_below(rng, 5)];
    double share = (double)c.sms / cards[i].sms;

    set(&c, "--gpu %s -s sm.count=%u", c.gpu, c.sms);
    /* Half of the chips have a memory as small as their number of SMs. */
    if (draw_chance(rng, 0.5)) {
        unsigned partitions = 2 * (unsigned)ceil(cards[i].partitions * share / 2);

        partitions = partitions > cards[i].partitions ? cards[i].partitions : partitions;
        l2 *= (double)partitions / cards[i].partitions;
        set(&c, " -s mem.partitions=%u -s l2.slices=%u", partitions,
            partitions * cards[i].slices_each);
    }
    const double kib = l2 * cards[i].l2_kib; /* whole sets in each slice, as the card has */

    set(&c, " -s l2.size=%.0fKiB -s l1.scale=%g", kib, l1);
    c.l2 = kib * KIB;
    c.l1 = l1 * cards[i].l1_kib * KIB;
    draw_policies(rng, &c);
    return c;
}
