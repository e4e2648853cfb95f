/* Listings that are programs: launches, their parameters, lanes, and what is refused with file and line. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_program.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_files.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_have_their_parameters),
        cmocka_unit_test(equal_launches_are_each_there),
        cmocka_unit_test(wrong_programs_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
