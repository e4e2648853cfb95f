/* Listings of microbenchmarks: expressions, instructions, programs, tests; and listings that are
 * refused. */
#include "tests/support/test.h"

#include <string.h>

#include "frontend/input/silicon/silicon_inst.h"
#include "frontend/input/silicon/silicon_source.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/silicon/silicon_measure.h"
#include "tests/support/sim/lab.h"
#include "tests/support/trace/trace_files.h"

/* --- expressions ----------------------------------------------------------------------------- */

static expr_name_t names(void *ctx, const char *name, size_t len)
{
    (void)ctx;
    if (len == 1 && *name == 'x')
        return (expr_name_t){NAME_VARIABLE, 0, 0};
    if (len == 3 && memcmp(name, "ten", 3) == 0)
        return (expr_name_t){NAME_CONSTANT, 10, 0};
    return (expr_name_t){NAME_UNKNOWN, 0, 0};
}

static double eval(const char *text, double x)
{
    rb_err_t err = {0};
    expr_t e;

    if (expr_parse(&e, text, strlen(text), names, NULL, &err) != RB_OK)
        fail_msg("%s", err.text);
    double v = expr_eval(&e, &(expr_env_t){.vars = &x});

    expr_free(&e);
    return v;
}

static void refuse(const char *text)
{
    rb_err_t err = {0};
    expr_t e;

    assert_int_equal(expr_parse(&e, text, strlen(text), names, NULL, &err), RB_TRACE);
    assert_true(strlen(err.text) > 0);
}

static void operators_bind_as_documented(void **state)
{
    (void)state;
    lab_assert_equal(eval("1 + 2 * 3", 0), 7, "product before sum");
    lab_assert_equal(eval("(1 + 2) * 3", 0), 9, "parentheses");
    lab_assert_equal(eval("10 - 3 - 2", 0), 5, "from the left");
    lab_assert_equal(eval("1 << 2 + 1", 0), 8, "sum before shift");
    lab_assert_equal(eval("7 & 3 == 3", 0), 1, "comparison before and");
    lab_assert_equal(eval("-7 // 2", 0), -4, "division rounds down");
    lab_assert_equal(eval("-7 % 4", 0), 1, "the remainder has the divisor's sign");
    lab_assert_equal(eval("7 / 2", 0), 3.5, "division");
    lab_assert_equal(eval("0x10 + 2Ki", 0), 2064, "numbers");
    lab_assert_equal(eval("if(x > 3, ten, min(x, 2))", 4), 10, "condition");
    lab_assert_equal(eval("if(x > 3, ten, min(x, 2))", 1), 1, "condition");
    lab_assert_equal(eval("1 / 0 + 1 // 0 + 1 % 0", 0), 1, "division by zero gives 0");
    lab_assert_equal(eval("0x7f0000000000 + 8 * x", 3), 0x7f0000000018, "addresses are exact");
}

static void a_permutation_hits_every_place_once(void **state)
{
    enum { N = 1000 };
    bool seen[N] = {false};

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        double at = eval("perm(x, 1000)", i);

        assert_in_range((unsigned)at, 0, N - 1);
        assert_false(seen[(unsigned)at]);
        seen[(unsigned)at] = true;
    }
    lab_assert_equal(eval("perm(x, 1)", 5), 0, "of one place");
    lab_assert_equal(eval("perm(x, 0)", 5), 0, "of none");
}

static void expressions_that_mean_nothing_are_refused(void **state)
{
    static const char *const bad[] = {"",      "1 +",     "(1",       "1)",  "y",
                                      "x(1)",  "min(1)",  "1 2",      "0xg", "12q",
                                      "1e999", "if(1,2)", "perm(1,)", "~",   "$x"};
    char deep[400];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse(bad[i]);
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    refuse(deep);
    memset(deep, '-', sizeof(deep) - 1);
    refuse(deep);
}

/* --- instructions ---------------------------------------------------------------------------- */

static inst_t inst(const char *text)
{
    rb_err_t err = {0};
    const char *mnemonic;
    size_t len;
    inst_t in;

    if (silicon_inst_read(text, strlen(text), 70, &in, &mnemonic, &len, &err) != RB_OK)
        fail_msg("%s", err.text);
    return in;
}

static void control_words_are_read(void **state)
{
    inst_t in = inst("[B025:R2:W3:Y:S11] LDG.E.64.SYS R4, [R2.64+0x10]");

    (void)state;
    assert_true(in.flags & INST_CONTROL_WORD);
    assert_int_equal(ctl_wait_mask(in.ctl), 1 | 4 | 32);
    assert_int_equal(ctl_read_barrier(in.ctl), 2);
    assert_int_equal(ctl_write_barrier(in.ctl), 3);
    assert_true(ctl_yield(in.ctl));
    assert_int_equal(ctl_stall(in.ctl), 11);
    in = inst("[S02] FFMA R6, R97.reuse, R99, R101.reuse");
    assert_int_equal(ctl_reuse(in.ctl), 1 | 4);
    assert_false(ctl_yield(in.ctl));
    assert_int_equal(ctl_write_barrier(in.ctl), 7);
    assert_int_equal(ctl_read_barrier(in.ctl), 7);
    assert_false(inst("FFMA R6, R97, R99, R101").flags & INST_CONTROL_WORD);
}

static bool reads(const inst_t *in, unsigned file, unsigned num)
{
    for (unsigned i = 0; i < in->n_src; i++)
        if (in->src[i].file == file && in->src[i].num == num)
            return true;
    return false;
}

static void operands_are_read_and_written_as_the_opcode_says(void **state)
{
    inst_t in = inst("ISETP.NE.AND P0, PT, R6, 0x400, PT");

    (void)state;
    assert_int_equal(in.n_dst, 1);
    assert_int_equal(in.dst[0].file, REG_PRED);
    assert_true(reads(&in, REG_GPR, 6));
    in = inst("STG.E.64.SYS [R2], R8");
    assert_int_equal(in.n_dst, 0);
    assert_true(reads(&in, REG_GPR, 2) && reads(&in, REG_GPR, 8));
    in = inst("@!P1 BRA 0x40");
    assert_int_equal(in.n_dst, 0);
    assert_true(reads(&in, REG_PRED, 1));
    in = inst("SHFL.IDX PT, R4, R5, R6, 0x1f");
    assert_int_equal(in.n_dst, 1);
    assert_int_equal(in.dst[0].num, 4);
    in = inst("LDC R4, c[0x3][0x40]");
    assert_true(in.flags & INST_CONST_ADDR);
    assert_int_equal(in.const_bank, 3);
    assert_int_equal(in.const_offset, 0x40);
    assert_true(inst("CS2R.32 R0, SR_CLOCKLO").flags & INST_CLOCK);
    assert_false(inst("CS2R R0, SRZ").flags & INST_CLOCK);
}

static void instructions_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "FOO R1, R2",
        "[S16] NOP",
        "[S1",
        "[Q1] NOP",
        "[B7] NOP",
        "[] FADD R1, R2, R3 extra",
        "[S01:] NOP R",
        "@Q NOP",
        "@R1 NOP",
        "FADD R300, R1, R2",
        "LDG.E R1, [R2",
        "LDC R1, c[9",
        "FADD R1, ???",
        "IADD3 R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13",
    };
    const char *mnemonic;
    size_t len;
    inst_t in;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        rb_err_t err = {0};

        if (silicon_inst_read(bad[i], strlen(bad[i]), 70, &in, &mnemonic, &len, &err) == RB_OK)
            fail_msg("'%s' was taken", bad[i]);
    }
}

/* --- suites ---------------------------------------------------------------------------------- */

static const char tail[] = "\n.test T \"t\"\n.harness \"h\"\n.run k\n.value \"cycles\" c\n"
                           ".expect v100 1 1% \"s\"\n";

/* Writes a listing into a new suite folder and reads the suite, which must succeed. */
static void read_suite(suite_t *s, const char *text)
{
    rb_err_t err = {0};

    trace_write("x.sil", text);
    if (suite_read(s, trace_folder(), &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void programs_execute_loops_and_conditions(void **state)
{
    static const char text[] = ".kernel k\n.param n 3\n.grid 2\n.block 48\n"
                               ".loop i n\n"
                               "  .repeat r 2\n    IADD3 R$(4+r), R2, R3, RZ\n  .end\n"
                               "  .if (warp == 1) & (i != 1)\n"
                               "    LDG.E.SYS R8, [R2] @ 4096 * block + 256 * i + 4 * thread\n"
                               "  .end\n.end\nEXIT # the end\n";
    char all[sizeof(text) + sizeof(tail)];
    suite_t suite;
    kernel_t k;
    rb_err_t err = {0};
    trace_launch_t *launch;
    trace_block_t *block;

    (void)state;
    snprintf(all, sizeof(all), "%s%s", text, tail);
    read_suite(&suite, all);
    assert_int_equal(kernel_assemble(&k, suite_kernel(&suite, "k"), 70, NULL, 0, 0, &err), RB_OK);
    assert_int_equal(k.n_code, 4);
    assert_int_equal(k.n_warps, 2);
    silicon_source_t *source = silicon_source_create();
    trace_source_t *t = silicon_source_trace(source);

    silicon_source_add(source, &k);
    assert_int_equal(t->ops->open(t, 1, &launch, &err), RB_OK);
    assert_int_equal(t->ops->get_block(launch, 1, &block, &err), RB_OK);
    assert_int_equal(block->warps[0].n_insts, 3 * 2 + 1);
    assert_int_equal(block->warps[1].n_insts, 3 * 2 + 2 + 1);
    assert_int_equal(block->warps[1].runs[0].mask, 0xffff); /* 16 threads */
    uint64_t lanes[32];

    assert_int_equal(addr_unpack(block->warps[1].addrs, lanes), 16);
    assert_int_equal(lanes[0], 4096 + 4 * 32);
    assert_int_equal(lanes[15], 4096 + 4 * 47);
    const uint64_t *second = block->warps[1].addrs + addr_words(block->warps[1].addrs);

    addr_unpack(second, lanes);
    assert_int_equal(lanes[0], 4096 + 512 + 4 * 32);
    assert_int_equal(t->ops->get_block(launch, 2, &block, &err), RB_OK);
    assert_null(block);
    t->ops->close(launch);
    t->ops->destroy(t);
    suite_free(&suite);
}

static void a_test_measures_what_the_model_takes(void **state)
{
    const char *set = "lat.fp32=7";
    suite_t suite;
    rb_err_t err = {0};
    double value;

    (void)state;
    read_suite(&suite, ".kernel k\n.param n 5\n.loop p 2\nCS2R R0, SR_CLOCKLO\n"
                       ".repeat u 2*n\nFADD R4, R4, R5\n.end\n"
                       "CS2R R0, SR_CLOCKLO\n.repeat u n\nFADD R4, R4, R5\n.end\n"
                       "CS2R R0, SR_CLOCKLO\n.end\nEXIT\n"
                       ".test T \"t\"\n.harness \"h\"\n.points n 4 8\n.run k\n"
                       ".value \"(clock(5) - clock(4)) / n + 0 * r1.cycles"
                       " + totals.warp_instructions - sm.warp_insts\" c\n"
                       ".expect v100 7 7 1% \"s\"\n");
    rubato_config *config = library_config_open("v100", &set, 1, &err);
    measure_t m = {.suite = &suite, .config = config, .threads = 1};

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(
            silicon_measure(&m, &suite.tests[0], suite.tests[0].point[i], &value, &err), RB_OK);
        lab_assert_equal(value, 7, "cycles of one more FADD");
    }
    assert_non_null(suite_expect(&suite.tests[0], "v100"));
    assert_null(suite_expect(&suite.tests[0], "v10"));
    assert_null(suite_expect(&suite.tests[0], "t4"));
    rubato_config_destroy(config);
    suite_free(&suite);
}

/* Text of a kernel that cannot be assembled, and what the message must contain. */
static void kernels_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "without instructions"},
        {"FADD R1, R2, R3\n[S01] EXIT", "control word"},
        {"LDG.E.SYS R1, [R2]", "needs an address"},
        {"FADD R1, R2, R3 @ 4", "takes no address"},
        {".loop i 3\nNOP", "'.end' is missing"},
        {".frob 1\nNOP", "unknown directive"},
        {"$nothing", "no such parameter"},
        {".param a $b\n.param b $a\nNOP $a", "in a circle"},
        {".grid 0\nNOP", "at least one thread"},
        {".block 2000\nNOP", "not 0 to 1024"},
        {".repeat a 200000\n.repeat b 200000\n.end\n.end\nNOP", "repeated too often"},
        {".repeat a 270000\n.end", "not 0 to"},
        {".grid 1 1 1 1\nNOP", "too many numbers"},
        {".copy 4096 0\nNOP", "not 1 to"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[600];
        suite_t suite;
        kernel_t k;
        rb_err_t err = {0};

        snprintf(text, sizeof(text), ".kernel k\n%s\n%s", bad[i].text, tail);
        read_suite(&suite, text);
        assert_int_equal(kernel_assemble(&k, suite_kernel(&suite, "k"), 70, NULL, 0, 0, &err),
                         RB_TRACE);
        if (strstr(err.text, bad[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", bad[i].message, err.text);
        suite_free(&suite);
    }
}

static void endless_programs_end(void **state)
{
    const char *set = "sm.count=2";
    char text[400];
    suite_t suite;
    rb_err_t err = {0};
    double value;

    (void)state;
    snprintf(text, sizeof(text),
             ".kernel k\n.loop i 4000000000000\n.loop j 1000\n.end\n.end\nNOP\n%s", tail);
    read_suite(&suite, text);
    rubato_config *config = library_config_open("v100", &set, 1, &err);
    measure_t m = {.suite = &suite, .config = config, .threads = 1};

    assert_int_equal(silicon_measure(&m, &suite.tests[0], NULL, &value, &err), RB_TRACE);
    rubato_config_destroy(config);
    suite_free(&suite);
}

static void suites_that_cannot_be_are_refused(void **state)
{
    static const char *const bad[] = {
        "NOP\n",
        ".kernel\nNOP\n",
        ".kernel k\nNOP\n.kernel k\nNOP\n",
        ".test T\n",
        ".kernel k\nNOP\n.test T \"t\"\n.run k\n",
        ".kernel k\nNOP\n.test T \"t\"\n.harness \"h\"\n.run z\n.value \"1\" u\n"
        ".expect v100 1 1% \"s\"\n",
        ".kernel k\nNOP\n.test T \"t\"\n.harness \"h\"\n.run k\n.value \"1\" u\n"
        ".expect v100 1 2 1% \"s\"\n",
        ".kernel k\nNOP\n.test T \"t\"\n.harness \"h\"\n.run k\n.value \"1\" u\n"
        ".expect v100 one 1% \"s\"\n",
        ".kernel k\nNOP\n.test T \"t\"\n.harness \"h\"\n.run k\n.value \"1\" u\n"
        ".expect v100 1 1 \"s\"\n",
        ".kernel k\nNOP\n.test T \"t\n",
        ".kernel k\nNOP\n.test T \"t\"\n.frob\n",
        ".kernel k\nNOP\n.test T \"t\"\n.run k x\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        suite_t suite;
        rb_err_t err = {0};

        trace_write("x.sil", bad[i]);
        if (suite_read(&suite, trace_folder(), &err) != RB_TRACE)
            fail_msg("listing %zu was taken", i);
        if (strstr(err.text, "x.sil:") == NULL)
            fail_msg("no place in '%s'", err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_documented),
        cmocka_unit_test(a_permutation_hits_every_place_once),
        cmocka_unit_test(expressions_that_mean_nothing_are_refused),
        cmocka_unit_test(control_words_are_read),
        cmocka_unit_test(operands_are_read_and_written_as_the_opcode_says),
        cmocka_unit_test(instructions_that_are_none_are_refused),
        cmocka_unit_test(programs_execute_loops_and_conditions),
        cmocka_unit_test(a_test_measures_what_the_model_takes),
        cmocka_unit_test(kernels_that_cannot_be_are_refused),
        cmocka_unit_test(endless_programs_end),
        cmocka_unit_test(suites_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
