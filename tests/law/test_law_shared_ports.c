/*
 * Laws of the ports that SMs share on their way to the L2: together the SMs move what the port moves,
 * one of them alone does not notice it, and nothing depends on threads and windows.
 */
#include "tests/support/sim/lab.h"

/* Four SMs in two TPCs of one GPC, and an L2 that is not the limit. */
#define CHIP                                                                                       \
    "sm.count=4", "icnt.gpc_sms=4", "icnt.data_interval=0", "icnt.tpc_data=0", "icnt.gpc_data=0",  \
        "l1.enabled=false", "tlb.perfect=true"
#define CHIP_SPEC(...) LAB_SPEC("v100", CHIP, __VA_ARGS__)

/* Whole lines, each warp its own, all in the L2 after the first round. */
static uint64_t lines(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return UINT64_C(0x7f0000000000) + ((step * 128 + warp) % 4096) * LINE_BYTES + lane * 4;
}

/* Bytes per cycle of all blocks. */
static double bytes_per_cycle(const gpu_spec_t *spec, const char *mnemonic, uint32_t blocks)
{
    const bool store = mnemonic[0] == 'S';
    const lab_access_t a = {.op = {mnemonic, store ? "" : NULL, store ? "R2 R4" : "R2"},
                            .blocks = blocks,
                            .threads = 1024,
                            .regs = 32,
                            .mask = (uint32_t)LAB_FULL,
                            .steps = 64,
                            .address = lines};
    return blocks * 32.0 * LINE_BYTES / lab_access_slope(spec, a);
}

static void together_sms_write_what_the_port_moves(void **state)
{
    const gpu_spec_t gpc = CHIP_SPEC("icnt.gpc_data=2.5"), tpc = CHIP_SPEC("icnt.tpc_data=1.25");
    (void)state;
    lab_assert_near(bytes_per_cycle(&gpc, "STG.E.SYS", 4), 2.5 * 32, 0.02, "writes of a GPC");
    lab_assert_near(bytes_per_cycle(&tpc, "STG.E.SYS", 4), 2 * 1.25 * 32, 0.02,
                    "writes of two TPCs");
}

/* Each lane writes the first word of a sector, *ctx bytes from that of the next lane. */
static uint64_t parts(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const uint64_t stride = *(const uint64_t *)ctx;
    return UINT64_C(0x7f0000000000) + (((step * 128 + warp) % 256) * 32 + lane) * stride;
}

/* Sectors per cycle of four SMs. */
static double sectors_per_cycle(const gpu_spec_t *spec, uint64_t stride)
{
    const lab_access_t a = {.op = {"STG.E.SYS", "", "R2 R4"},
                            .blocks = 4,
                            .threads = 1024,
                            .regs = 32,
                            .mask = (uint32_t)LAB_FULL,
                            .steps = 32,
                            .address = parts,
                            .ctx = &stride};
    return 4 * 32.0 * 32 / lab_access_slope(spec, a);
}

static void the_mask_of_a_line_written_in_part_takes_slots(void **state)
{
    const gpu_spec_t without = CHIP_SPEC("icnt.gpc_data=2.5", "icnt.mask_flits=0");
    const gpu_spec_t with = CHIP_SPEC("icnt.gpc_data=2.5", "icnt.mask_flits=1");
    (void)state;
    lab_assert_near(sectors_per_cycle(&without, SECTOR_BYTES), 2.5, 0.02, "a flit a sector");
    lab_assert_near(sectors_per_cycle(&with, SECTOR_BYTES), 2.0, 0.02, "four sectors, one mask");
    lab_assert_near(sectors_per_cycle(&with, LINE_BYTES), 1.25, 0.02, "a sector and its mask");
    lab_assert_equal(bytes_per_cycle(&with, "STG.E.SYS", 4),
                     bytes_per_cycle(&without, "STG.E.SYS", 4), "whole sectors have no mask");
}

static void together_sms_read_what_the_port_moves(void **state)
{
    const gpu_spec_t spec = CHIP_SPEC("icnt.gpc_replies=3.5");
    (void)state;
    lab_assert_near(bytes_per_cycle(&spec, "LDG.E.STRONG.GPU", 4), 3.5 * 32, 0.03,
                    "reads of a GPC");
}

static void a_port_wider_than_the_sms_changes_nothing(void **state)
{
    const gpu_spec_t without = CHIP_SPEC("icnt.gpc_data=0");
    const gpu_spec_t with =
        CHIP_SPEC("icnt.gpc_data=200", "icnt.tpc_data=64", "icnt.gpc_replies=200");
    static const char *const mnemonics[] = {"STG.E.SYS", "LDG.E.STRONG.GPU",
                                            "RED.E.ADD.STRONG.GPU"};
    (void)state;
    for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++)
        lab_assert_equal(bytes_per_cycle(&with, mnemonics[i], 4),
                         bytes_per_cycle(&without, mnemonics[i], 4), mnemonics[i]);
}

static void a_perfect_crossbar_has_no_such_ports(void **state)
{
    const gpu_spec_t without = CHIP_SPEC("icnt.perfect=true");
    const gpu_spec_t with = CHIP_SPEC("icnt.perfect=true", "icnt.gpc_data=0.1");
    (void)state;
    lab_assert_equal(bytes_per_cycle(&with, "STG.E.SYS", 4),
                     bytes_per_cycle(&without, "STG.E.SYS", 4), "writes");
}

/* One warp whose loads wait for each other never meets another request. */
static void a_chain_of_loads_takes_as_long_as_without(void **state)
{
    const gpu_spec_t without = CHIP_SPEC("icnt.gpc_data=0");
    const gpu_spec_t with = CHIP_SPEC("icnt.gpc_data=4", "icnt.tpc_data=2", "icnt.gpc_replies=4");
    const lab_access_t a = {.op = {"LDG.E.64.STRONG.GPU", "R2", "R2"},
                            .blocks = 1,
                            .threads = 32,
                            .regs = 32,
                            .mask = 1,
                            .steps = 64,
                            .address = lines};
    (void)state;
    lab_assert_equal(lab_access_slope(&with, a), lab_access_slope(&without, a), "a chain of loads");
}

/* Loads that find the ports still busy with the stores of earlier windows. */
static void mixed_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (uint64_t i = 0; i < 20; i++) {
        synth_emit_affine(w, 0, (uint32_t)LAB_FULL, lines(NULL, w->global, 0, i), 4);
        synth_emit_affine(w, 1, (uint32_t)LAB_FULL, lines(NULL, w->global, 0, i + 50), 4);
        synth_emit(w, 2, (uint32_t)LAB_FULL);
    }
    synth_emit(w, 3, (uint32_t)LAB_FULL);
}

static void add_mixed(synth_t *s, const gpu_spec_t *spec)
{
    synth_kernel_t *k = synth_kernel_create(
        s, "mixed",
        &(synth_shape_t){.arch = spec->gpu.arch, .grid = {7}, .block = {128}, .regs = 32});
    synth_code(k, "STG.E.SYS", "", "R6 R5");
    synth_code(k, "LDG.E.STRONG.GPU", "R4", "R2");
    synth_code(k, "IADD3", "R5", "R4 R4 R4"); /* waits for the load */
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, mixed_body, NULL);
}

static void nothing_depends_on_threads_or_windows(void **state)
{
    static const char *const distances[] = {"icnt.distance=0", "icnt.distance=54"};
    static const char *const gpcs[] = {"icnt.gpc_sms=4", "icnt.gpc_sms=2"};
    static const char *const replies[] = {"icnt.gpc_replies=3.6", "icnt.gpc_replies=0"};
    static const cycle_t windows[] = {0, 1, 7, 0, 13, 0};
    static const int threads[] = {1, 1, 2, 3, 3, 16};
    (void)state;
    for (size_t d = 0; d < 4; d++) {
        const gpu_spec_t spec = CHIP_SPEC("icnt.gpc_data=2.3", "icnt.tpc_data=1.14",
                                          distances[d % 2], gpcs[d / 2], replies[d / 2]);
        char want[SHA256_TEXT], got[SHA256_TEXT];
        for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
            static const char *const mnemonics[] = {"STG.E.SYS", "LDG.E.STRONG.GPU",
                                                    "RED.E.ADD.STRONG.GPU"};
            lab_results_t r;
            synth_t *s = synth_create();
            add_mixed(s, &spec);
            for (size_t k = 0; k < 3; k++) {
                const bool load = k == 1;
                lab_access_add(
                    s, &spec,
                    &(lab_access_t){.op = {mnemonics[k], load ? NULL : "", load ? "R2" : "R2 R4"},
                                    .blocks = 7,
                                    .threads = 256,
                                    .regs = 32,
                                    .mask = (uint32_t)LAB_FULL,
                                    .steps = 20,
                                    .address = lines});
            }
            lab_run(&spec, synth_source(s), threads[i], windows[i], &r);
            synth_destroy(s);
            lab_hash(&r, i == 0 ? want : got);
            if (i > 0)
                assert_string_equal(got, want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_sms_write_what_the_port_moves),
        cmocka_unit_test(the_mask_of_a_line_written_in_part_takes_slots),
        cmocka_unit_test(together_sms_read_what_the_port_moves),
        cmocka_unit_test(a_port_wider_than_the_sms_changes_nothing),
        cmocka_unit_test(a_perfect_crossbar_has_no_such_ports),
        cmocka_unit_test(a_chain_of_loads_takes_as_long_as_without),
        cmocka_unit_test(nothing_depends_on_threads_or_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
