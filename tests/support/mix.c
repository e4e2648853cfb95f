#include "tests/support/mix.h"

#include <stddef.h>

enum { FULL = SYNTH_FULL_MASK, LANES = 32 };

static const uint64_t data = 0x7f0000000000, output = 0x7f0100000000, counters = 0x7f0200000000;

/* --- launch 1: stream, divergence, constants ----------------------------------------------------
 */

enum { S_CONST, S_LOAD_A, S_LOAD_B, S_SETP, S_BRA, S_THEN, S_MUFU, S_ELSE, S_ADD, S_STORE, S_EXIT };

static void stream_body(synth_warp_t *w, const void *ctx)
{
    uint64_t at = w->global * LANES * 4;
    uint32_t taken = (uint32_t)synth_mix(w->global);

    (void)ctx;
    synth_emit(w, S_CONST, (uint32_t)FULL);
    for (uint64_t i = 0; i < 3; i++) {
        synth_emit_affine(w, S_LOAD_A, (uint32_t)FULL, data + at + (i << 20), 4);
        synth_emit_affine(w, S_LOAD_B, (uint32_t)FULL, data + (4 << 20) + 2 * at + (i << 20), 8);
        synth_emit(w, S_SETP, (uint32_t)FULL);
        synth_emit(w, S_BRA, (uint32_t)FULL);
        synth_emit(w, S_THEN, taken);
        synth_emit(w, S_MUFU, taken);
        synth_emit(w, S_ELSE, ~taken);
        synth_emit(w, S_ADD, (uint32_t)FULL);
        synth_emit_affine(w, S_STORE, ~taken, output + at, 4);
    }
    synth_emit(w, S_EXIT, (uint32_t)FULL);
}

static void add_stream(synth_t *s, uint32_t scale)
{
    synth_kernel_t *k = synth_kernel_create(
        s, "mix_stream",
        &(synth_shape_t){.arch = 70, .grid = {20 * scale, 2}, .block = {96}, .regs = 40});

    synth_code_const(k, "MOV", "R1", 0, 0x160);
    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "LDG.E.64.SYS", "R6", "R2");
    synth_code(k, "ISETP.GE.AND", "", "R4 R1");
    synth_code(k, "BRA", "", "");
    synth_code(k, "FFMA", "R8", "R4 R6 R8");
    synth_code(k, "MUFU.RSQ", "R8", "R8");
    synth_code(k, "DADD", "R6", "R6 R6");
    synth_code_const(k, "FADD", "R9", 0, 0x1a0);
    synth_code(k, "STG.E.SYS", "", "R10 R9");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, stream_body, NULL);
}

/* --- launch 2: tiles in shared memory, barriers -------------------------------------------------
 */

enum { T_LOAD, T_STS, T_BAR, T_LDS, T_LDS4, T_FMA, T_BAR2, T_SHFL, T_STORE, T_EXIT };

static void tile_body(synth_warp_t *w, const void *ctx)
{
    uint64_t at = w->global * LANES * 4;
    uint64_t mine = w->warp * LANES * 4ull;
    uint64_t addr[LANES];

    (void)ctx;
    for (uint64_t i = 0; i < 3; i++) {
        synth_emit_affine(w, T_LOAD, (uint32_t)FULL, data + at + (i << 16), 4);
        synth_emit_affine(w, T_STS, (uint32_t)FULL, mine, 4);
        synth_emit(w, T_BAR, (uint32_t)FULL);
        for (unsigned l = 0; l < LANES; l++)
            addr[l] = (synth_mix(w->global * LANES + l + i) & 0x3ff) * 4;
        synth_emit_list(w, T_LDS, (uint32_t)FULL, addr);
        synth_emit_affine(w, T_LDS4, 0x0000ffffu, mine, 16);
        synth_emit(w, T_FMA, (uint32_t)FULL);
        synth_emit(w, T_BAR2, (uint32_t)FULL);
    }
    synth_emit(w, T_SHFL, (uint32_t)FULL);
    synth_emit_affine(w, T_STORE, (uint32_t)FULL, output + at * 2, 8);
    synth_emit(w, T_EXIT, (uint32_t)FULL);
}

static void add_tiles(synth_t *s, uint32_t scale)
{
    synth_kernel_t *k = synth_kernel_create(s, "mix_tiles",
                                            &(synth_shape_t){.arch = 70,
                                                             .grid = {6, 4 * scale},
                                                             .block = {16, 16},
                                                             .regs = 64,
                                                             .shared = 12 * 1024});

    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "STS", "", "R3 R4");
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "LDS.U", "R5", "R3");
    synth_code(k, "LDS.U.128", "R8", "R3");
    synth_code(k, "FFMA", "R12", "R5 R8 R12");
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "SHFL.IDX", "R13", "R12 R3");
    synth_code(k, "STG.E.64.SYS", "", "R14 R12");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, tile_body, NULL);
}

/* --- launch 3: gather, atomics, reductions, local memory ----------------------------------------
 */

enum { G_GATHER, G_ATOM, G_RED, G_ATOMS, G_STL, G_LDL, G_STRONG, G_MEMBAR, G_ADD, G_EXIT };

static void gather_body(synth_warp_t *w, const void *ctx)
{
    uint64_t addr[LANES];
    uint32_t some = (uint32_t)synth_mix(w->global ^ 77);

    (void)ctx;
    for (uint64_t i = 0; i < 2; i++) {
        unsigned n = 0;

        for (unsigned l = 0; l < LANES; l++) {
            if (some >> l & 1)
                addr[n++] = data + (synth_mix(w->global * LANES + l + (i << 40)) & 0x1ffffc);
        }
        synth_emit_list(w, G_GATHER, some, addr);
        synth_emit_affine(w, G_STL, (uint32_t)FULL, 16 * i, 0);
        synth_emit_affine(w, G_ATOM, 0x0f0f0f0fu, counters + (w->global & 3) * 64, 4);
        synth_emit_affine(w, G_RED, (uint32_t)FULL, counters + 4096 + (w->global & 7) * 4, 0);
        synth_emit_affine(w, G_ATOMS, 0x000000ffu, 0, 4);
        synth_emit_affine(w, G_LDL, (uint32_t)FULL, 16 * i, 0);
        synth_emit_affine(w, G_STRONG, 1, counters + 8192, 0);
        synth_emit(w, G_MEMBAR, (uint32_t)FULL);
        synth_emit(w, G_ADD, 0);
    }
    synth_emit(w, G_EXIT, (uint32_t)FULL);
}

static void add_gather(synth_t *s, uint32_t scale)
{
    synth_kernel_t *k = synth_kernel_create(
        s, "mix_gather",
        &(synth_shape_t){
            .arch = 70, .grid = {30 * scale}, .block = {64}, .regs = 32, .shared = 1024});

    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "ATOMG.E.ADD.STRONG.GPU", "R5", "R2 R4");
    synth_code(k, "RED.E.ADD.STRONG.GPU", "", "R2 R4");
    synth_code(k, "ATOMS.ADD", "R6", "R3 R4");
    synth_code(k, "STL", "", "R1 R4");
    synth_code(k, "LDL", "R7", "R1");
    synth_code(k, "LDG.E.STRONG.GPU", "R8", "R2");
    synth_code(k, "MEMBAR.SC.GPU", "", "");
    synth_code(k, "IADD3", "R9", "R7 R8 R9");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, gather_body, NULL);
}

/* --- launch 4: straight code longer than the instruction caches ---------------------------------
 */

enum { LONG_CODE = 1500 };

static void long_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, LONG_CODE + 1);
}

static void add_long(synth_t *s, uint32_t scale)
{
    static const char *const src[] = {"R1 R2 R3", "R4 R6 R8", "R5 R1 R2"};
    synth_kernel_t *k = synth_kernel_create(
        s, "mix_long",
        &(synth_shape_t){.arch = 70, .grid = {3 * scale}, .block = {64}, .regs = 128});

    for (unsigned i = 0; i < LONG_CODE; i++) {
        const char *dst[] = {"R1", "R4", "R5"};

        synth_code(k, i % 7 ? "IADD3" : "FFMA", dst[i % 3], src[i % 3]);
    }
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, long_body, NULL);
}

synth_t *mix_create(uint32_t scale)
{
    synth_t *s = synth_create();

    synth_memcpy(s, data, 1 << 20);
    add_stream(s, scale);
    add_tiles(s, scale);
    synth_memcpy(s, data + (1 << 20), 100000);
    add_gather(s, scale);
    add_long(s, scale);
    add_stream(s, 1);
    return s;
}

uint64_t mix_insts(synth_t *s)
{
    trace_source_t *source = synth_source(s);
    uint64_t sum = 0;

    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++) {
        trace_launch_t *l = NULL;
        trace_block_t *b = NULL;

        if (source->ops->open(source, id, &l, NULL) != RB_OK)
            return 0;
        for (uint64_t i = 0; source->ops->get_block(l, i, &b, NULL) == RB_OK && b; i++) {
            sum += b->n_insts;
            source->ops->free_block(l, b);
        }
        source->ops->close(l);
    }
    return sum;
}
