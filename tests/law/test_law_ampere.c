/* Rates that Ampere has and its predecessors do not: tensor cores by type, lanes that FP32 and
 * integers share. */
#include "tests/support/test.h"

#include "tests/support/sim/lab.h"

#define FAIR                                                                                       \
    "sm.count=1", "icache.perfect=true", "const.perfect=true", "sm.scheduler=lrr", "lat.hmma=8",   \
        "lat.imma=8", "lat.hmma_acc=8"

enum { WARPS_PER_SUB_CORE = 8 };

/* Cycles per warp instruction of a sub-core with many warps. */
static double cycles_of(const gpu_spec_t *spec, const lab_op_t *ops, size_t n)
{
    const uint32_t threads = spec->sm.sm.sub_cores * WARPS_PER_SUB_CORE * 32;
    return lab_straight_slope(spec, 1, threads, ops, n) / (double)n / WARPS_PER_SUB_CORE;
}

typedef struct {
    const char *mnemonic;
    double fma;           /* of a warp instruction */
    double a100, rtx3090; /* peak multiply-adds per cycle and SM */
} tensor_rate_t;

/* White papers: A100 312 TFLOPS of FP16 and BF16, 156 of TF32, 624 TOPS of INT8, 1248 of INT4, 4992
 * of bits and 19.5 TFLOPS of FP64 at 1410 MHz and 108 SMs; RTX 3090 142 TFLOPS of FP16, 71 with 32-bit
 * sums, 35.6 of TF32, 284 TOPS of INT8 and 568 of INT4 at 1695 MHz and 82 SMs. */
static const tensor_rate_t rates[] = {
    {"HMMA.16816.F16", 2048, 1024, 512},      {"HMMA.16816.F32", 2048, 1024, 256},
    {"HMMA.16816.F32.BF16", 2048, 1024, 256}, {"HMMA.1688.F32", 1024, 1024, 256},
    {"HMMA.1688.F32.TF32", 1024, 512, 128},   {"HMMA.1684.F32.TF32", 512, 512, 128},
    {"IMMA.8816.S8.S8", 1024, 2048, 1024},    {"IMMA.16832.S8.S8", 4096, 2048, 1024},
    {"IMMA.16864.S4.S4", 8192, 4096, 2048},   {"BMMA.168256.AND.POPC", 32768, 16384, 8192},
};

static void tensor_cores_reach_the_peak_of_each_type(void **state)
{
    (void)state;
    const gpu_spec_t a100 = LAB_SPEC("a100", FAIR), rtx3090 = LAB_SPEC("rtx3090", FAIR);
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const lab_op_t op = {rates[i].mnemonic, "R8", "R16 R20 R24"};
        const double want[2] = {rates[i].fma / (rates[i].a100 / 4),
                                rates[i].fma / (rates[i].rtx3090 / 4)};
        lab_assert_equal(cycles_of(&a100, &op, 1), want[0], rates[i].mnemonic);
        lab_assert_equal(cycles_of(&rtx3090, &op, 1), want[1], rates[i].mnemonic);
    }
    const lab_op_t dmma = {"DMMA.884", "R8", "R16 R20 R24"};
    lab_assert_equal(cycles_of(&a100, &dmma, 1), 256 / (64 / 4.0), "DMMA.884");
}

static void sums_of_32_bits_cost_nothing_on_cards_for_data_centres(void **state)
{
    (void)state;
    const gpu_spec_t a40 = LAB_SPEC("a40", FAIR);
    const lab_op_t f16 = {"HMMA.16816.F16", "R8", "R16 R20 R24"};
    const lab_op_t f32 = {"HMMA.16816.F32", "R8", "R16 R20 R24"};
    lab_assert_equal(cycles_of(&a40, &f16, 1), 16, "HMMA.16816.F16");
    lab_assert_equal(cycles_of(&a40, &f32, 1), 16, "HMMA.16816.F32");
}

typedef struct {
    const char *mnemonic;
    double a100, rtx3090; /* cycles of a link of a chain of sums */
} tensor_chain_t;

/* The reach of A decides, not the type; on the RTX 3090 32-bit sums take as long as their work. */
static void products_with_more_of_a_take_longer(void **state)
{
    static const tensor_chain_t chains[] = {
        {"HMMA.1688.F16", 18, 18},       {"HMMA.1688.F32", 18, 18},
        {"HMMA.16816.F16", 25, 25},      {"HMMA.16816.F32", 25, 32},
        {"HMMA.1688.F32.TF32", 25, 32},  {"HMMA.1684.F32.TF32", 18, 18},
        {"IMMA.16816.S8.S8", 18, 18},    {"IMMA.16832.S8.S8", 25, 25},
        {"BMMA.168256.AND.POPC", 25, 25}};
    (void)state;
    const gpu_spec_t a100 = LAB_SPEC("a100", "sm.count=1", "icache.perfect=true"),
                     rtx3090 = LAB_SPEC("rtx3090", "sm.count=1", "icache.perfect=true");
    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        const lab_op_t op = {chains[i].mnemonic, "R8", "R16 R20 R8"};
        lab_assert_equal(lab_straight_slope(&a100, 1, 1, &op, 1), chains[i].a100, op.mnemonic);
        lab_assert_equal(lab_straight_slope(&rtx3090, 1, 1, &op, 1), chains[i].rtx3090,
                         op.mnemonic);
    }
    const lab_op_t dmma = {"DMMA.884", "R8", "R16 R20 R8"};
    lab_assert_equal(lab_straight_slope(&a100, 1, 1, &dmma, 1), 38, "DMMA.884");
}

/* Two registers each, one of each bank: the ports serve one of a bank a cycle. 32 lanes: all of them FP32, or at most half of them integers. */
static void fp32_and_integers_share_lanes_on_86(void **state)
{
    (void)state;
    const gpu_spec_t spec = LAB_SPEC("rtx3090", FAIR);
    const lab_op_t ffma = {"FFMA", "R1", "R2 R3 R2"}, iadd = {"IADD3", "R6", "R8 R9 R8"},
                   imad = {"IMAD", "R12", "R14 R15 R14"};
    const lab_op_t mixed[] = {ffma, iadd}, multiply[] = {ffma, imad}, integers[] = {iadd, imad};
    lab_assert_equal(cycles_of(&spec, &ffma, 1), 1, "FFMA");
    lab_assert_equal(cycles_of(&spec, &iadd, 1), 2, "IADD3");
    lab_assert_equal(cycles_of(&spec, &imad, 1), 2, "IMAD");
    lab_assert_near(cycles_of(&spec, mixed, 2), 1, 0.02, "FFMA and IADD3");
    lab_assert_near(cycles_of(&spec, multiply, 2), 1, 0.02, "FFMA and IMAD");
    lab_assert_near(cycles_of(&spec, integers, 2), 2, 0.02, "IADD3 and IMAD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_more_of_a_take_longer),
        cmocka_unit_test(tensor_cores_reach_the_peak_of_each_type),
        cmocka_unit_test(sums_of_32_bits_cost_nothing_on_cards_for_data_centres),
        cmocka_unit_test(fp32_and_integers_share_lanes_on_86),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
