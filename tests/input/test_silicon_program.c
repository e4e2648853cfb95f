/* Listings that are programs: launches, their parameters, lanes, and what is refused with file and line. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_program.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/stream_check.h"
#include "tests/support/trace/trace_files.h"

/* 13 lines. */
static const char kernels[] = ".kernel step\n"
                              ".param blocks 1\n"
                              ".param steps 2\n"
                              ".param seed 5\n"
                              ".grid blocks\n"
                              ".block 64\n"
                              ".loop i steps + block\n"
                              "IADD3 R6, R6, 0x1, RZ\n"
                              ".end\n"
                              ".lanes lane >= 8 * (warp + 3)\n"
                              "STG.E.SYS [R2], R6 @ 4096 * seed + 4 * thread\n"
                              ".end\n"
                              "EXIT\n";

/* Opens the kernels and these lines of a program, with at most one parameter; NULL with *err set. */
static trace_source_t *open_program(const char *lines, const char *name, const char *value,
                                    rb_err_t *err)
{
    kernel_param_t param = {name, value};
    char text[2000];

    snprintf(text, sizeof(text), "%s%s", kernels, lines);
    temp_write("program.sil", text);
    return silicon_program_open(&(program_spec_t){.path = temp_path("program.sil"),
                                                  .name = "program",
                                                  .arch = 70,
                                                  .params = &param,
                                                  .n_params = name != NULL},
                                err);
}

static void check_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void launches_have_their_parameters(void **state)
{
    static const char lines[] =
        ".program\n.param n 3\n.param seed 2\n.launch step seed=$seed\n"
        ".repeat t n\n.launch step blocks=$(t + 2) steps=$(if(t == 1, 9, 1))\n"
        ".end\n";
    rb_err_t err = {0};
    launch_info_t info, first;
    (void)state;
    trace_source_t *s = open_program(lines, "n", "2", &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(s->ops->n_launches(s), 3);
    assert_int_equal(s->ops->launch_info(s, 1, &first, &err), RB_OK);
    assert_int_equal(s->ops->launch_info(s, 3, &info, &err), RB_OK);
    assert_int_equal(info.n_blocks, 3);
    assert_int_equal(info.id, 3);
    assert_int_equal(info.code_id, first.code_id); /* same instructions */
    char *text = trace_source_text(s, &err);

    /* block 0 of launch 1: two steps; the first warp stores with lanes 24 to 31, the second with none */
    check_text(text, "ff000000");
    assert_null(strstr(text, "00000000 "));
    free(text);
}

static void equal_launches_are_each_there(void **state)
{
    rb_err_t err = {0};
    (void)state;
    trace_source_t *s =
        open_program(".program\n.repeat t 4\n.launch step\n.end\n", "seed", "7", &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(s->ops->n_launches(s), 4);
    s->ops->destroy(s);
}

static void wrong_programs_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *lines, *text;
    } cases[] = {
        {"", "a section '.program' with its launches is missing"},
        {".program\n", "program.sil:14: the program launches nothing"},
        {".program\n.launch other\n", "program.sil:15: unknown kernel: 'other'"},
        {".program\n.launch step size=3\n",
         "program.sil:15: the kernel has no such parameter: 'size=3'"},
        {".program\n.launch step blocks\n", "program.sil:15: not of the form name=value: 'blocks'"},
        {".program\n\n.launch\n", "program.sil:16: a kernel is missing"},
        {".program\nEXIT\n", "program.sil:15: an instruction outside a kernel: 'EXIT'"},
        {".program\n.loop i 3\n.launch step\n.end\n", "program.sil:15: unknown directive"},
        {".program\n.repeat i 3\n.launch step\n", "program.sil:15: '.end' is missing"},
        {".program\n.launch step\n.program\n", "one program, with a quoted summary or nothing"},
        {".program\n.launch step blocks=0\n", "at least one thread"},
        {".launch step\n.program\n.launch step\n", "unknown directive: '.launch step'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rb_err_t err = {0};

        assert_null(open_program(cases[i].lines, NULL, NULL, &err));
        check_text(err.text, cases[i].text);
    }
    rb_err_t err = {0};

    assert_null(open_program(".program\n.param n 1\n.launch step\n", "m", "1", &err));
    check_text(err.text, "the program has no parameter 'm'");
}

/* --- programs of their own ------------------------------------------------------------------- */

static trace_source_t *open_text(const char *text, const char *name, const char *value,
                                 uint64_t blocks, rb_err_t *err)
{
    kernel_param_t param = {name, value};

    temp_write("own.sil", text);
    return silicon_program_open(&(program_spec_t){.path = temp_path("own.sil"),
                                                  .name = "own",
                                                  .arch = 70,
                                                  .params = &param,
                                                  .n_params = name != NULL,
                                                  .blocks = blocks},
                                err);
}

static stream_counts_t count_text(const char *text)
{
    rb_err_t err = {0};
    stream_counts_t c = {0};
    trace_source_t *s = open_text(text, NULL, NULL, 0, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    stream_check_source(s, &c);
    s->ops->destroy(s);
    return c;
}

/* 40 threads, the first 35 have work: the second warp has 3 lanes after the EXIT. */
static void lanes_leave_at_an_exit_with_a_condition(void **state)
{
    stream_counts_t c = count_text(".program\n.launch k\n.kernel k\n.block 40\n"
                                   "MOV R1, RZ; @P0 EXIT if thread >= 35\n"
                                   "@P1 FADD R2, R2, R2 if thread == 99\n"
                                   "LDG.E.SYS R3, [R2] if thread < 2 @ 4096 + 4 * thread\n"
                                   "FADD R2, R2, R2; EXIT\n");
    (void)state;
    assert_int_equal(c.warp_insts, 2 * 6);
    assert_int_equal(c.thread_insts, 40 + 5 + 0 + 2 + 35 + 35);
    assert_int_equal(c.lanes[OP_LOAD_LG], 2);
    assert_int_equal(c.highest_address, 4096 + 7);
}

/* Lane k iterates k times; the last has 31 iterations. */
static void lanes_leave_a_loop_one_by_one(void **state)
{
    stream_counts_t c = count_text(".program\n.launch k\n.kernel k\n.loop i lane\n"
                                   "FADD R2, R2, R2\n.end\nFMUL R2, R2, R2; EXIT\n");
    (void)state;
    assert_int_equal(c.opcode[OP_FP32], 31 + 1);
    assert_int_equal(c.lanes[OP_FP32], 31 * 32 / 2 + 32);
}

/* x is 0, 1, ... in even lanes, and stays 5 in odd ones: sum of 16 * (0 + 1 + 2) and 3 * 16 * 5. */
static void variables_change_in_the_executing_lanes(void **state)
{
    stream_counts_t c = count_text(".program\n.launch k\n.kernel k\n.let x 5\n"
                                   ".loop i 3\n.lanes lane % 2 == 0\n.let x i\n.end\n"
                                   ".loop j x\nFADD R2, R2, R2\n.end\n.end\nEXIT\n");
    (void)state;
    assert_int_equal(c.lanes[OP_FP32], 16 * (0 + 1 + 2) + 3 * 16 * 5);
}

static void affine_and_other_addresses_agree(void **state)
{
    static const char *const same[][2] = {
        {"4 * ((block * 64 + thread) % 100)",
         "4 * ((block * 64 + perm(thread, 64) * 0 + thread) % 100)"},
        {"(thread + 7) // 3 * 8 - -lane", "((thread ^ 0) + 7) // 3 * 8 + (lane ^ 0)"},
        {"if(thread < 40, 4 * thread, 2 * lane)",
         "if((thread ^ 0) < 40, 4 * (thread ^ 0), 2 * lane)"},
        {"4 * (thread / 2 * 2)", "4 * (thread ^ 0)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        char own[500];
        uint64_t hash[2];

        for (size_t k = 0; k < 2; k++) {
            snprintf(own, sizeof(own),
                     ".program\n.launch k\n.kernel k\n.block 64\n.grid 5\n"
                     "LDG.E.SYS R2, [R2] @ 4096 + %s\nEXIT\n",
                     same[i][k]);
            hash[k] = count_text(own).hash;
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

static const char described[] = ".program \"a summary\"\n.param size 8 2 1k \"elements\"\n"
                                ".size 32 * blocks\n.require size % 2 == 0 \"size is odd\"\n"
                                ".input x 4 * size\n.array y 600\n.input z 100\n.launch k\n"
                                ".kernel k\n.grid (size+31)//32\n"
                                "LDG.E.SYS R2, [R2] @ z\nEXIT\n";

static void arrays_lie_behind_each_other_and_inputs_are_copied(void **state)
{
    const memcpy_op_t *copy;
    rb_err_t err = {0};
    launch_info_t info;
    (void)state;
    trace_source_t *s = open_text(described, NULL, NULL, 3, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_OK);
    assert_int_equal(info.n_blocks, 3);
    assert_int_equal(s->ops->copies(s, 1, &copy), 2);
    assert_int_equal(copy[0].bytes, 4 * 96);
    assert_int_equal(copy[1].addr, copy[0].addr + 512 + 1024);
    s->ops->destroy(s);
}

static void values_of_parameters_are_checked(void **state)
{
    static const struct {
        const char *value, *text;
    } cases[] = {{"1", "own: size = 1 is outside 2 .. 1000 (elements)"},
                 {"2k", "outside"},
                 {"3", "own: size is odd"},
                 {"1e2", "own: size: '1e2' is not a whole number"},
                 {"", "not a whole number"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rb_err_t err = {0};

        assert_null(open_text(described, "size", cases[i].value, 0, &err));
        assert_int_equal(err.code, RB_USAGE);
        check_text(err.text, cases[i].text);
    }
    rb_err_t err = {0};

    assert_null(open_text(described, NULL, NULL, 100, &err));
    check_text(err.text, "own: size = 3200 is outside");
    err = (rb_err_t){0};
    assert_null(open_text(".program\n.param n 1 2 \"x\"\n.launch k\n.kernel k\nEXIT\n", NULL, NULL,
                          0, &err));
    check_text(err.text, "own.sil:2: not of the form NAME VALUE MIN MAX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_have_their_parameters),
        cmocka_unit_test(equal_launches_are_each_there),
        cmocka_unit_test(wrong_programs_are_refused_with_their_line),
        cmocka_unit_test(lanes_leave_at_an_exit_with_a_condition),
        cmocka_unit_test(lanes_leave_a_loop_one_by_one),
        cmocka_unit_test(variables_change_in_the_executing_lanes),
        cmocka_unit_test(affine_and_other_addresses_agree),
        cmocka_unit_test(arrays_lie_behind_each_other_and_inputs_are_copied),
        cmocka_unit_test(values_of_parameters_are_checked),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
