#include "bench/bench_cases.h"

#include <stddef.h>

enum {
    FULL = SYNTH_FULL_MASK,
    LANES = 32,
    BLOCK_THREADS = 256,
    BLOCK_WARPS = BLOCK_THREADS / LANES,
    WAVE_BLOCKS = 80 * 64 / BLOCK_WARPS, /* fill 80 SMs of 64 warps once */
    REGS = 32,                           /* the largest number that allows 64 warps */
};

static const uint64_t array_a = 0x7f0000000000, array_b = 0x7f0100000000, array_c = 0x7f0200000000;

static synth_kernel_t *kernel_new(synth_t *s, const char *name, uint32_t blocks, uint32_t shared)
{
    return synth_kernel_create(s, name,
                               &(synth_shape_t){.arch = 70,
                                                .grid = {blocks},
                                                .block = {BLOCK_THREADS},
                                                .regs = REGS,
                                                .shared = shared});
}

/* Emits the index computation at the start of every kernel; returns the number of its
 * instructions. */
static unsigned code_prologue(synth_kernel_t *k)
{
    synth_code(k, "MOV", "R1", "");
    synth_code(k, "S2R", "R0", "");
    synth_code(k, "S2R", "R3", "");
    synth_code(k, "IMAD", "R0", "R0 R3");
    synth_code(k, "MOV", "R10", "");
    synth_code(k, "IMAD.WIDE", "R2", "R0 R10");
    synth_code(k, "IMAD.WIDE", "R4", "R0 R10");
    return synth_code(k, "IMAD.WIDE", "R6", "R0 R10") + 1;
}

/* --- streaming: c = a + b, grid-stride loop --------------------------------------------------- */

enum { STREAM_BLOCKS = 4 * WAVE_BLOCKS, STREAM_STEPS = 2 };

static void stream_body(synth_warp_t *w, const void *ctx)
{
    unsigned loop = *(const unsigned *)ctx;

    synth_emit_span(w, 0, loop);
    for (uint64_t i = 0; i < STREAM_STEPS; i++) {
        uint64_t at = (i * STREAM_BLOCKS * BLOCK_WARPS + w->global) * LANES * 4;

        synth_emit_affine(w, loop, (uint32_t)FULL, array_a + at, 4);
        synth_emit_affine(w, loop + 1, (uint32_t)FULL, array_b + at, 4);
        synth_emit(w, loop + 2, (uint32_t)FULL);
        synth_emit_affine(w, loop + 3, (uint32_t)FULL, array_c + at, 4);
        synth_emit_span(w, loop + 4, 5);
    }
    synth_emit(w, loop + 9, (uint32_t)FULL);
}

static synth_t *stream_build(void)
{
    static unsigned loop;
    synth_t *s = synth_create();
    synth_kernel_t *k = kernel_new(s, "streaming", STREAM_BLOCKS, 0);

    loop = code_prologue(k);
    synth_code(k, "LDG.E.SYS", "R8", "R2");
    synth_code(k, "LDG.E.SYS", "R9", "R4");
    synth_code(k, "FADD", "R9", "R8 R9");
    synth_code(k, "STG.E.SYS", "", "R6 R9");
    synth_code(k, "IADD3", "R2", "R2 R10");
    synth_code(k, "IADD3", "R4", "R4 R10");
    synth_code(k, "IADD3", "R6", "R6 R10");
    synth_code(k, "ISETP.GE.AND", "", "R2 R11");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, stream_body, &loop);
    return s;
}

/* --- matrix multiply: 16 x 16 tiles in shared memory ----------------------------------------- */

enum {
    MM_TILE = 16,
    MM_GRID_X = 40,
    MM_GRID_Y = 2 * WAVE_BLOCKS / MM_GRID_X,
    MM_N = MM_GRID_X * MM_TILE,
    MM_K = 64,
    MM_TILE_BYTES = MM_TILE * MM_TILE * 4,
    MM_QUADS = MM_TILE / 4,
};

/* Two rows of a tile: lanes 0-15 read one, lanes 16-31 the next. */
static void two_rows(uint64_t *addr, uint64_t base, uint64_t row_bytes, uint64_t lane_bytes)
{
    for (unsigned l = 0; l < LANES; l++)
        addr[l] = base + l / MM_TILE * row_bytes + l % MM_TILE * lane_bytes;
}

static void matmul_body(synth_warp_t *w, const void *ctx)
{
    unsigned loop = *(const unsigned *)ctx;
    uint64_t row = (w->block / MM_GRID_X) * MM_TILE + 2 * w->warp;
    uint64_t col = (w->block % MM_GRID_X) * MM_TILE;
    uint64_t addr[LANES];

    synth_emit_span(w, 0, loop);
    for (uint64_t t = 0; t < MM_K / MM_TILE; t++) {
        unsigned at = loop;
        uint64_t mine = 2ull * w->warp * MM_TILE * 4;

        two_rows(addr, array_a + (row * MM_K + t * MM_TILE) * 4, MM_K * 4, 4);
        synth_emit_list(w, at++, (uint32_t)FULL, addr);
        two_rows(addr, array_b + ((t * MM_TILE + 2 * w->warp) * MM_N + col) * 4, MM_N * 4, 4);
        synth_emit_list(w, at++, (uint32_t)FULL, addr);
        synth_emit_affine(w, at++, (uint32_t)FULL, mine, 4);
        synth_emit_affine(w, at++, (uint32_t)FULL, MM_TILE_BYTES + mine, 4);
        synth_emit(w, at++, (uint32_t)FULL);
        for (uint64_t q = 0; q < MM_QUADS; q++) {
            two_rows(addr, mine + q * 16, MM_TILE * 4, 0);
            synth_emit_list(w, at++, (uint32_t)FULL, addr);
            for (uint64_t i = 0; i < 4; i++) {
                two_rows(addr, MM_TILE_BYTES + (q * 4 + i) * MM_TILE * 4, 0, 4);
                synth_emit_list(w, at++, (uint32_t)FULL, addr);
            }
            synth_emit_span(w, at, 4);
            at += 4;
        }
        synth_emit_span(w, at, 5);
    }
    unsigned end = loop + 5 + MM_QUADS * 9 + 5;
    two_rows(addr, array_c + (row * MM_N + col) * 4, MM_N * 4, 4);
    synth_emit_list(w, end, (uint32_t)FULL, addr);
    synth_emit(w, end + 1, (uint32_t)FULL);
}

static synth_t *matmul_build(void)
{
    static unsigned loop;
    synth_t *s = synth_create();
    synth_kernel_t *k = kernel_new(s, "matmul", MM_GRID_X * MM_GRID_Y, 2 * MM_TILE_BYTES);

    loop = code_prologue(k);
    synth_code(k, "LDG.E.SYS", "R8", "R2");
    synth_code(k, "LDG.E.SYS", "R9", "R4");
    synth_code(k, "STS", "", "R12 R8");
    synth_code(k, "STS", "", "R13 R9");
    synth_code(k, "BAR.SYNC", "", "");
    for (unsigned q = 0; q < MM_QUADS; q++) {
        synth_code(k, "LDS.U.128", "R16", "R14");
        synth_code(k, "LDS.U", "R20", "R15");
        synth_code(k, "LDS.U", "R21", "R15");
        synth_code(k, "LDS.U", "R22", "R15");
        synth_code(k, "LDS.U", "R23", "R15");
        synth_code(k, "FFMA", "R24", "R16 R20 R24");
        synth_code(k, "FFMA", "R24", "R17 R21 R24");
        synth_code(k, "FFMA", "R24", "R18 R22 R24");
        synth_code(k, "FFMA", "R24", "R19 R23 R24");
    }
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "IADD3", "R2", "R2 R10");
    synth_code(k, "IADD3", "R4", "R4 R11");
    synth_code(k, "ISETP.GE.AND", "", "R2 R25");
    synth_code(k, "BRA", "", "");
    synth_code(k, "STG.E.SYS", "", "R6 R24");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, matmul_body, &loop);
    return s;
}

/* --- gather: 32 unrelated sectors per load ---------------------------------------------------- */

enum { GATHER_BLOCKS = 2 * WAVE_BLOCKS, GATHER_STEPS = 3 };

static void gather_body(synth_warp_t *w, const void *ctx)
{
    unsigned loop = *(const unsigned *)ctx;
    uint64_t addr[LANES];

    synth_emit_span(w, 0, loop);
    for (uint64_t i = 0; i < GATHER_STEPS; i++) {
        uint64_t at = w->global * GATHER_STEPS + i;

        synth_emit_affine(w, loop, (uint32_t)FULL, array_a + at * LANES * 4, 4);
        synth_emit(w, loop + 1, (uint32_t)FULL);
        for (unsigned l = 0; l < LANES; l++)
            addr[l] = array_b + (synth_mix(at * LANES + l) & 0xffffffcu); /* 256 MiB */
        synth_emit_list(w, loop + 2, (uint32_t)FULL, addr);
        synth_emit_span(w, loop + 3, 4);
    }
    synth_emit_affine(w, loop + 7, (uint32_t)FULL, array_c + w->global * LANES * 4, 4);
    synth_emit(w, loop + 8, (uint32_t)FULL);
}

static synth_t *gather_build(void)
{
    static unsigned loop;
    synth_t *s = synth_create();
    synth_kernel_t *k = kernel_new(s, "gather", GATHER_BLOCKS, 0);

    loop = code_prologue(k);
    synth_code(k, "LDG.E.SYS", "R8", "R2");
    synth_code(k, "IMAD.WIDE", "R12", "R8 R10");
    synth_code(k, "LDG.E.SYS", "R9", "R12");
    synth_code(k, "FADD", "R14", "R14 R9");
    synth_code(k, "IADD3", "R2", "R2 R10");
    synth_code(k, "ISETP.GE.AND", "", "R2 R11");
    synth_code(k, "BRA", "", "");
    synth_code(k, "STG.E.SYS", "", "R6 R14");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, gather_body, &loop);
    return s;
}

/* --- divergent: both sides of data-dependent branches ----------------------------------------- */

enum { DIVERGE_BLOCKS = 2 * WAVE_BLOCKS, DIVERGE_STEPS = 4, DIVERGE_SIDE = 6 };

static void emit_side(synth_warp_t *w, unsigned first, uint32_t mask)
{
    for (unsigned i = 0; mask && i < DIVERGE_SIDE; i++)
        synth_emit(w, first + i, mask);
}

static void diverge_body(synth_warp_t *w, const void *ctx)
{
    unsigned loop = *(const unsigned *)ctx;
    uint64_t addr[LANES];

    synth_emit_span(w, 0, loop);
    for (uint64_t i = 0; i < DIVERGE_STEPS; i++) {
        uint64_t at = w->global * DIVERGE_STEPS + i;
        uint32_t taken = (uint32_t)synth_mix(at);
        unsigned n = 0;

        synth_emit_affine(w, loop, (uint32_t)FULL, array_a + at * LANES * 4, 4);
        synth_emit_span(w, loop + 1, 3);
        emit_side(w, loop + 4, ~taken);
        emit_side(w, loop + 4 + DIVERGE_SIDE, taken);
        for (unsigned l = 0; l < LANES; l++) {
            if (taken >> l & 1)
                addr[n++] = array_b + (synth_mix(at + l) & 0x3ffffcu); /* 4 MiB */
        }
        synth_emit_list(w, loop + 4 + 2 * DIVERGE_SIDE, taken, addr);
        synth_emit_span(w, loop + 5 + 2 * DIVERGE_SIDE, 4);
    }
    synth_emit_affine(w, loop + 9 + 2 * DIVERGE_SIDE, (uint32_t)FULL,
                      array_c + w->global * LANES * 4, 4);
    synth_emit(w, loop + 10 + 2 * DIVERGE_SIDE, (uint32_t)FULL);
}

static synth_t *diverge_build(void)
{
    static unsigned loop;
    synth_t *s = synth_create();
    synth_kernel_t *k = kernel_new(s, "divergent", DIVERGE_BLOCKS, 0);

    loop = code_prologue(k);
    synth_code(k, "LDG.E.SYS", "R8", "R2");
    synth_code(k, "ISETP.GE.AND", "", "R8 R11");
    synth_code(k, "BSSY", "", "");
    synth_code(k, "BRA", "", "");
    for (unsigned side = 0; side < 2; side++) {
        synth_code(k, "IADD3", "R12", "R8 R12");
        synth_code(k, "LOP3.LUT", "R13", "R12 R8");
        synth_code(k, "FMUL", "R14", "R13 R13");
        synth_code(k, side ? "MUFU.RCP" : "FFMA", "R14", side ? "R14" : "R14 R13 R12");
        synth_code(k, "FADD", "R15", "R14 R15");
        synth_code(k, "BRA", "", "");
    }
    synth_code(k, "LDG.E.SYS", "R16", "R12");
    synth_code(k, "BSYNC", "", "");
    synth_code(k, "FADD", "R15", "R15 R16");
    synth_code(k, "IADD3", "R2", "R2 R10");
    synth_code(k, "BRA", "", "");
    synth_code(k, "STG.E.SYS", "", "R6 R15");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, diverge_body, &loop);
    return s;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

enum { ALU_BLOCKS = 2 * WAVE_BLOCKS, ALU_STEPS = 4, ALU_GROUPS = 4 };

typedef struct {
    unsigned loop, length;
} alu_ctx_t;

static void alu_body(synth_warp_t *w, const void *ctx)
{
    const alu_ctx_t *a = ctx;

    synth_emit_span(w, 0, a->loop);
    for (unsigned i = 0; i < ALU_STEPS; i++)
        synth_emit_span(w, a->loop, a->length);
    synth_emit_affine(w, a->loop + a->length, (uint32_t)FULL, array_c + w->global * LANES * 4, 4);
    synth_emit(w, a->loop + a->length + 1, (uint32_t)FULL);
}

static synth_t *alu_build(void)
{
    static alu_ctx_t ctx;
    synth_t *s = synth_create();
    synth_kernel_t *k = kernel_new(s, "alu", ALU_BLOCKS, 0);

    ctx.loop = code_prologue(k);
    for (unsigned g = 0; g < ALU_GROUPS; g++) {
        synth_code(k, "FFMA", "R12", "R12 R8 R9");
        synth_code(k, "IADD3", "R13", "R13 R8 R9");
        synth_code(k, "FFMA", "R14", "R14 R8 R9");
        synth_code(k, "LOP3.LUT", "R15", "R15 R8 R9");
        synth_code(k, "IMAD", "R16", "R16 R8 R9");
        synth_code(k, "SHF.R.U32.HI", "R17", "R17 R8");
        synth_code(k, "FMUL", "R18", "R12 R14");
        synth_code(k, g ? "FADD" : "MUFU.EX2", "R19", "R18");
    }
    synth_code(k, "ISETP.GE.AND", "", "R13 R11");
    ctx.length = synth_code(k, "BRA", "", "") + 1 - ctx.loop;
    synth_code(k, "STG.E.SYS", "", "R6 R12");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, alu_body, &ctx);
    return s;
}

/* --- latency: one thread follows pointers through 64 MiB ------------------------------------- */

enum { CHASE_LOADS = 100000 };

static void chase_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (uint64_t i = 0; i < CHASE_LOADS; i++) {
        synth_emit_affine(w, 0, 1, array_a + (synth_mix(i) & 0x3ffff80u), 0);
        for (unsigned j = 1; j < 4; j++)
            synth_emit(w, j, 1);
    }
    synth_emit(w, 4, 1);
}

static synth_t *chase_build(void)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "chase", &(synth_shape_t){.arch = 70, .grid = {1}, .block = {1}, .regs = REGS});

    synth_code(k, "LDG.E.64.SYS", "R2", "R2");
    synth_code(k, "IADD3", "R4", "R4 R5");
    synth_code(k, "ISETP.NE.AND", "", "R2 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, chase_body, NULL);
    return s;
}

const bench_case_t bench_cases[] = {
    {"streaming", stream_build, true},
    {"matmul", matmul_build, true},
    {"gather", gather_build, true},
    {"divergent", diverge_build, true},
    {"alu", alu_build, true},
    {"latency", chase_build, false},
    {NULL, NULL, false},
};
