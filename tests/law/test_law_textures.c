/*
 * Laws of texture fetches and surface accesses: how long the texture unit takes for a warp, latency
 * of hits and misses in the L1, and what is counted where.
 */
#include "tests/support/sim/lab.h"

enum { WARP = 32, WARPS = 4, QUAD_LANES = 4, CONFLICT_STRIDE = LINE_BYTES };

#define ONE_SM "sm.count=1", "icache.perfect=true"

static const uint64_t texels = 0x7f0000000000;

/* Lane k reads at stride[k % QUAD_LANES] in its quad; quads are `quad` bytes apart, and steps read the
 * same. */
typedef struct {
    uint64_t lane[QUAD_LANES], quad;
} places_t;

static uint64_t at_place(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const places_t *p = ctx;
    (void)warp;
    (void)step;
    return texels + p->lane[lane % QUAD_LANES] + lane / QUAD_LANES * p->quad;
}

static lab_access_t fetches(const places_t *p, uint32_t mask)
{
    return (lab_access_t){.op = {"TEX", NULL, "R2"},
                          .blocks = 1,
                          .threads = WARPS * WARP,
                          .mask = mask,
                          .steps = 40,
                          .address = at_place,
                          .ctx = p};
}

/* A warp on each of four sub-cores: their texture instructions are taken one after another. */
static void an_sm_takes_a_texture_instruction_every_tex_interval(void **state)
{
    const places_t same = {{0}, 0};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "lat.tex=20");

    (void)state;
    for (uint32_t interval = 1; interval <= 16; interval *= 2) {
        spec.sm.sm.tex_interval = interval;
        lab_assert_equal(lab_access_slope(&spec, fetches(&same, UINT32_MAX)), WARPS * interval,
                         "cycles of four TEX");
    }
}

/* The lanes of a quad that read other words of one bank are taken one after the other. */
static void a_quad_takes_a_cycle_for_each_word_of_a_bank(void **state)
{
    enum { FAR = 2 * CONFLICT_STRIDE };
    static const struct {
        places_t at;
        unsigned cycles; /* of a quad */
    } cases[] = {
        {{{0, 0, 0, 0}, 4}, 1},
        {{{0, 4, 8, 12}, 16}, 1},
        {{{0, 8, 16, 24}, 32}, 1},
        {{{0, 0, 16, 0}, 0}, 1},        /* perftest: texels of 4 bytes, every second one */
        {{{0, 0, FAR, 0}, 0}, 2},       /* texels of 8 bytes */
        {{{0, 4, FAR, FAR + 4}, 0}, 2}, /* two words of one bank, each read twice */
        {{{0, FAR, 8, FAR + 8}, 0}, 2}, /* in two banks at once */
        {{{0, FAR, 2 * FAR, 8}, 0}, 3},
        {{{0, FAR, 2 * FAR, 3 * FAR}, 0}, 4},
        {{{0, FAR + 8, 2 * FAR + 16, 3 * FAR + 24}, 0}, 1},
    };
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "lat.tex=20");
    const unsigned quads = WARP / QUAD_LANES;

    (void)state;
    spec.sm.sm.tex_interval = quads;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lab_assert_equal(lab_access_slope(&spec, fetches(&cases[i].at, UINT32_MAX)),
                         WARPS * quads * cases[i].cycles, "cycles of four TEX");
        /* Quads without active lanes have no conflicts. */
        lab_assert_equal(lab_access_slope(&spec, fetches(&cases[i].at, 0xf0)),
                         WARPS * (quads + cases[i].cycles - 1), "cycles of four TEX of one quad");
    }
}

/* A chase by the lanes of a mask through one address, or through lines that nobody has read. */
static uint64_t new_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)lane;
    return texels + step * LINE_BYTES;
}

static double chase(const gpu_spec_t *spec, const char *mnemonic, uint32_t mask,
                    lab_address_fn address, const places_t *at)
{
    const lab_access_t a = {.op = {mnemonic, "R2", "R2"},
                            .blocks = 1,
                            .threads = WARP,
                            .mask = mask,
                            .steps = 50,
                            .address = address,
                            .ctx = at};
    return lab_access_slope(spec, a);
}

static void latency_is_that_of_one_quad_and_a_cycle_for_each_other(void **state)
{
    static const char *const gpus[] = {"v100", "rtx2060", "a100"};
    const places_t same = {{0}, 0};
    (void)state;
    for (size_t g = 0; g < sizeof(gpus) / sizeof(gpus[0]); g++) {
        gpu_spec_t spec = LAB_SPEC(gpus[g], ONE_SM, "tlb.perfect=true", "l2.perfect=true");
        lab_assert_equal(chase(&spec, "TEX", 1, at_place, &same), spec.sm.lat.tex, "one lane, hit");
        lab_assert_equal(chase(&spec, "TEX", 0xf, at_place, &same), spec.sm.lat.tex,
                         "one quad, hit");
        lab_assert_equal(chase(&spec, "TEX", UINT32_MAX, at_place, &same), spec.sm.lat.tex + 7,
                         "eight quads, hit");
        /* A miss adds what it adds to a load. */
        const double load = chase(&spec, "LDG.E.SYS", 1, new_line, NULL);
        assert_true(load > spec.sm.l1.latency);
        lab_assert_equal(chase(&spec, "TEX", 1, new_line, NULL) - spec.sm.lat.tex,
                         load - spec.sm.l1.latency, "miss");
    }
}

/* All warps of an SM read the same lines: the L2 gets each sector once. */
static uint64_t shared_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    return texels + step * LINE_BYTES + lane * 4;
}

static void fetches_use_the_l1_and_count_as_textures(void **state)
{
    enum { BLOCK = 1024, STEPS = 64 };
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", "icache.perfect=true");
    const lab_access_t a = {.op = {"TEX", NULL, "R2"},
                            .blocks = spec.sm.sm.count,
                            .threads = BLOCK,
                            .regs = 32,
                            .mask = UINT32_MAX,
                            .steps = STEPS,
                            .address = shared_line};
    const uint64_t requests = (uint64_t)spec.sm.sm.count * STEPS * (BLOCK / WARP);

    (void)state;
    launch_result_t r = lab_access(&spec, &a);
    assert_int_equal(r.sm.texture_requests, requests);
    assert_int_equal(r.sm.texture_sectors, requests * SECTORS_PER_LINE);
    assert_true(r.sm.texture_pending > 0);
    assert_int_equal(r.sm.texture_sectors - r.sm.texture_hits - r.sm.texture_pending,
                     r.l2.read_sectors);
    assert_int_equal(r.l2.read_sectors, spec.sm.sm.count * STEPS * SECTORS_PER_LINE);
    assert_int_equal(r.dram.read_sectors, STEPS * SECTORS_PER_LINE);
    /* Each sector by a request of its own: the other half of each fetch was not asked for. */
    assert_int_equal(r.l2.requests, r.l2.read_sectors);
    assert_int_equal(r.l2.unasked_fills, r.l2.fills / 2);
    assert_int_equal(r.sm.texture_busy, requests * spec.sm.sm.tex_interval);
    assert_int_equal(r.sm.global_load_requests + r.sm.global_load_sectors + r.sm.global_load_hits +
                         r.sm.global_load_pending,
                     0);
}

static uint64_t own_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return texels + ((warp << 16) + step) * LINE_BYTES + lane * 4;
}

static void surface_stores_are_written_to_the_l2(void **state)
{
    enum { STEPS = 32 };
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", "icache.perfect=true");
    const lab_access_t a = {.op = {"SUST", "", "R2 R4"},
                            .blocks = spec.sm.sm.count,
                            .threads = WARPS * WARP,
                            .mask = UINT32_MAX,
                            .steps = STEPS,
                            .address = own_line};
    const uint64_t requests = (uint64_t)spec.sm.sm.count * STEPS * WARPS;

    (void)state;
    launch_result_t r = lab_access(&spec, &a);
    assert_int_equal(r.sm.surface_store_requests, requests);
    assert_int_equal(r.sm.surface_store_sectors, requests * SECTORS_PER_LINE);
    assert_int_equal(r.l2.write_sectors, requests * SECTORS_PER_LINE);
    assert_int_equal(r.sm.global_store_sectors, 0);
}

/* Texels all over the L2, some of them twice in a quad. */
static uint64_t scattered(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return texels + (synth_mix(warp * 4096 + step * WARP + lane / 3 * 3) & 0x3ffffc);
}

static void threads_and_windows_change_nothing(void **state)
{
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{2, 0}, {3, 7}, {1, 1}};
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=8");
    lab_results_t r;
    char want[SHA256_TEXT], got[SHA256_TEXT];
    synth_t *s = synth_create();

    (void)state;
    for (int i = 0; i < 2; i++) {
        const lab_access_t a = {.op = {i == 0 ? "TEX" : "SUST", i == 0 ? NULL : "", "R2 R4"},
                                .blocks = 40,
                                .threads = 8 * WARP,
                                .mask = 0xfff0ffff,
                                .steps = 12,
                                .address = scattered};
        lab_access_add(s, &spec, &a);
    }
    lab_run(&spec, synth_source(s), 1, 0, &r);
    lab_hash(&r, want);
    assert_true(r.launch[0].sm.texture_sectors > 0 && r.launch[1].sm.surface_store_sectors > 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        lab_run(&spec, synth_source(s), ways[i].threads, ways[i].window, &r);
        lab_hash(&r, got);
        assert_string_equal(got, want);
    }
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_sm_takes_a_texture_instruction_every_tex_interval),
        cmocka_unit_test(a_quad_takes_a_cycle_for_each_word_of_a_bank),
        cmocka_unit_test(latency_is_that_of_one_quad_and_a_cycle_for_each_other),
        cmocka_unit_test(fetches_use_the_l1_and_count_as_textures),
        cmocka_unit_test(surface_stores_are_written_to_the_l2),
        cmocka_unit_test(threads_and_windows_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
