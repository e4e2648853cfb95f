#include "bench/sampling/sampling_patterns.h"

#include <math.h>
#include <string.h>

/*
 * Bodies of the loop over the steps i of a warp. Of the kernel: blocks, threads, seed; of the phase ?:
 * ?_base, the address of its data, ?_foot, the bytes that all blocks share, ?_drift, by how much that
 * part grows over the launch, ?_hot, % of look-ups that go to a sixteenth of it, ?_row, ?_rep.
 * A step ends as the compiler ends a loop: counter, comparison, branch.
 */
#define PLACE                                                                                      \
    "floor(?_foot * (1 + ?_drift * block / blocks) / if(mix(i * 31 + block * 7 + thread) % 100 < " \
    "?_hot, 16, 1))"
#define STEP_END  "IADD3 R6, R6, 0x1, RZ\nISETP.GE.AND P0, PT, R6, c[0x0][0x17c], PT\n@!P0 BRA\n"
#define NEXT      "((i * blocks + block) * threads + thread)"
#define ANY(what) "mix(" what " + i * 65537 + block * 1031 + seed * 7919)"

static const struct {
    const char *name;
    unsigned insts,
        cost; /* of a step: warp instructions; the time of a simulation, in plain ones */
    unsigned shared_each; /* bytes of shared memory of a thread */
    int shares;           /* the blocks share its data */
    const char *body;
} patterns[] = {
    {"stream", 6, 6, 0, 0,
     "IMAD.WIDE R8, R5, c[0x0][0x178], R8\n"
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * " NEXT "\n"
     "FADD R15, R10, R15\n" STEP_END},
    {"stream_wide", 8, 12, 0, 0,
     "IMAD.WIDE R8, R5, c[0x0][0x178], R8\n"
     "LDG.E.128.SYS R16, [R8] @ ?_base + 16 * " NEXT "\n"
     "FADD R15, R16, R15\nFADD R15, R17, R15\nFFMA R15, R18, R19, R15\n" STEP_END},
    {"copy", 7, 10, 0, 0,
     "IMAD.WIDE R8, R5, c[0x0][0x178], R8\n"
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * " NEXT "\n"
     "FMUL R10, R10, R15\n"
     "STG.E.SYS [R12], R10 @ ?_base + 2Gi + 4 * " NEXT "\n" STEP_END},
    {"transpose", 7, 80, 0, 0,
     "IMAD.WIDE R8, R5, c[0x0][0x178], R8\n"
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * " NEXT "\n"
     "STG.E.SYS [R12], R10 @ ?_base + 2Gi + 4 * ((thread * blocks + block) * 64 + i % 64)\n"
     "IADD3 R12, R12, 0x80, RZ\n" STEP_END},
    {"stencil", 14, 22, 0, 0,
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * (block * threads + thread + i * blocks * threads)\n"
     "LDG.E.SYS R11, [R8+-0x4] @ ?_base + 4 * (block * threads + thread + i * blocks * threads) - "
     "4\n"
     "LDG.E.SYS R12, [R8+0x4] @ ?_base + 4 * (block * threads + thread + i * blocks * threads) + "
     "4\n"
     "LDG.E.SYS R13, [R20] @ ?_base + 4 * (block * threads + thread + i * blocks * threads + "
     "?_row)\n"
     "LDG.E.SYS R14, [R22] @ ?_base + 4 * (block * threads + thread + i * blocks * threads + 2 * "
     "?_row)\n"
     "FADD R15, R10, R11\nFADD R16, R12, R13\nFFMA R15, R14, R16, R15\n"
     "STG.E.SYS [R18], R15 @ ?_base + 4Gi + 4 * (block * threads + thread + i * blocks * threads)\n"
     "IADD3 R8, R8, 0x4, RZ\nIADD3 R20, R20, 0x4, RZ\n" STEP_END},
    {"gather", 7, 60, 0, 1,
     "LDG.E.CONSTANT.SYS R10, [R8] @ ?_base + 1Gi + 4 * " NEXT "\n"
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\n"
     "LDG.E.SYS R14, [R12] @ ?_base + 4 * (" ANY("thread") " % max(1, " PLACE " // 4))\n"
                                                           "FADD R15, R14, R15\n" STEP_END},
    {"table", 6, 8, 0, 1,
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\n"
     "LDG.E.SYS R14, [R12] @ ?_base + 128 * (" ANY("warp") " % max(1, " PLACE
                                                           " // 128)) + 4 * lane\n"
                                                           "FADD R15, R14, R15\n" STEP_END},
    {"window", 6, 8, 0, 1,
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\n"
     "LDG.E.SYS R14, [R12] @ ?_base + 128 * ((block * ?_rep + i * threads // 32 + warp) % max(1, "
     "floor(?_foot * (1 + ?_drift * block / blocks)) // 128)) + 4 * lane\n"
     "FADD R15, R14, R15\n" STEP_END},
    {"reread", 6, 7, 0, 0,
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\n"
     "LDG.E.SYS R14, [R12] @ ?_base + block * ?_row * 128 + 128 * ((i * threads // 32 + warp) % "
     "?_row)"
     " + 4 * lane\n"
     "FADD R15, R14, R15\n" STEP_END},
    {"chase", 4, 50, 0, 1,
     "LDG.E.64.SYS R8, [R8] @ ?_base + 32 * (" ANY("thread") " % max(1, ?_foot // 32))\n" STEP_END},
    {"scatter", 6, 70, 0, 1,
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\nFADD R15, R14, R15\n"
     "STG.E.SYS [R12], R15 @ ?_base + 4 * (" ANY("thread") " % max(1, " PLACE " // 4))\n" STEP_END},
    {"atomics", 6, 70, 0, 1,
     "IMAD.WIDE R12, R10, R5, c[0x0][0x168]\nFADD R15, R14, R15\n"
     "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R12], R15 @ ?_base + 4 * (" ANY(
         "thread") " % max(1, " PLACE " // 4))\n" STEP_END},
    {"reduce", 12, 14, 0, 0,
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * " NEXT "\nFADD R15, R10, R15\n"
     ".repeat u 3\nSHFL.DOWN PT, R11, R15, 0x10, 0x1f\nFADD R15, R11, R15\n.end\n"
     ".lanes lane == 0\nRED.E.ADD.F32.FTZ.RN.STRONG.GPU [R12], R15 @ ?_base + 3Gi + 4 * (block % "
     "?_rep)\n.end\n" STEP_END},
    {"tile", 50, 50, 16, 1,
     "LDG.E.SYS R10, [R8] @ ?_base + 4 * ((block // 8 * 64 + i) * threads + thread)\n"
     "LDG.E.SYS R11, [R12] @ ?_base + 1Gi + 4 * ((block % 8 * 64 + i) * threads + thread)\n"
     "STS [R2], R10 @ 4 * thread\nSTS [R2+0x1000], R11 @ 4 * (threads + thread)\nBAR.SYNC 0x0\n"
     ".repeat u 10\nLDS.U R16, [R3] @ 4 * ((warp * 32 + $u * ?_row) % threads)\n"
     "LDS.U R17, [R3+0x40] @ 4 * (threads + lane * ?_row % threads)\nFFMA R15, R16, R17, R15\n"
     "FFMA R18, R16, R17, R18\n.end\nBAR.SYNC 0x0\n" STEP_END},
    {"tensor", 30, 36, 8, 1,
     "LDG.E.128.SYS R20, [R8] @ ?_base + 16 * ((block // 8 * 64 + i) * threads + thread)\n"
     "STS.128 [R2], R20 @ 16 * thread % (8 * threads)\nBAR.SYNC 0x0\n"
     ".repeat u 4\nLDS.U.64 R24, [R3] @ 8 * ((lane + $u * 8) % threads)\n"
     "LDS.U.64 R26, [R3+0x80] @ 8 * ((thread + $u) % threads)\n"
     "$hmma\n$hmma\n$hmma\n.end\nBAR.SYNC 0x0\n" STEP_END},
    {"compute", 24, 16, 0, 0,
     ".repeat u 4\nFFMA R14, R15, c[0x0][0x180], R14\nMUFU.RSQ R12, R14\nFFMA R13, R12, R14, R15\n"
     "FMUL R14, R13, R12\nFFMA R15, R14, R13, R15\n.end\n" STEP_END},
};

/* Bytes that all blocks share: in the L1, in the L2, at its edge, or larger. */
static double draw_foot(rng_t *rng, const drawn_chip_t *c)
{
    double where = rng_unit(rng), value = draw_log(rng, 1, 2);

    if (where < 0.2)
        return c->l1 * pow(value, 4) / 12;
    if (where < 0.5)
        return c->l2 * pow(value, 4) / 20;
    if (where < 0.75)
        return c->l2 * 0.75 * pow(value, 0.85);
    return c->l2 * 1.5 * pow(value, 3.5);
}

pattern_t draw_pattern(rng_t *rng, const drawn_chip_t *chip, unsigned threads, unsigned resident)
{
    size_t i = (size_t)rng_below(rng, sizeof(patterns) / sizeof(patterns[0]));
    pattern_t p = {.name = patterns[i].name,
                   .insts = patterns[i].insts,
                   .cost = patterns[i].cost,
                   .shared = patterns[i].shared_each * threads,
                   .body = patterns[i].body};
    double foot = draw_foot(rng, chip), drift = draw_log(rng, 1, 9) - 1;
    int drifts = draw_chance(rng, 0.25), shrinks = draw_chance(rng, 0.5),
        hot = draw_chance(rng, 0.3);
    double share = chip->l1 / resident / 128 * draw_log(rng, 0.1, 3); /* lines of a block */
    uint64_t percent = rng_below(rng, 90), rep = 1 + rng_below(rng, 40);

    /* atomics also meet on few words */
    if (strcmp(p.name, "atomics") == 0 && draw_chance(rng, 0.3))
        foot = draw_log(rng, 4, 4096);
    if (patterns[i].shares)
        p.foot = foot;
    drift = !drifts ? 0 : shrinks ? -drift / (1 + drift) : drift;
    snprintf(p.params, sizeof(p.params),
             ".param ?_foot %.0f\n.param ?_drift %.3f\n.param ?_hot %llu\n.param ?_row %.0f\n"
             ".param ?_rep %llu\n",
             foot < 4 ? 4 : foot, drift, (unsigned long long)(hot ? percent : 0),
             share < 1 ? 1 : floor(share), (unsigned long long)rep);
    return p;
}

void pattern_write(FILE *out, const char *text, char letter)
{
    for (; *text != '\0'; text++)
        putc(*text == '?' ? letter : *text, out);
}
