/* rubato record: programs see their results, rubato sees what they execute. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define PROGRAM     RUBATO_CUDA_PROGRAM
#define CUBIN(arch) RUBATO_ROOT "/traces/cubin/vecadd.sm" arch ".cubin", arch

static void assert_has(char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' has no '%s'", text, wanted);
    free(text);
}

static void programs_get_right_results(void **state)
{
    (void)state;
    assert_has(cli_run_as(&rubato, 0, NULL,
                          WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("70"), "add", "1000")),
               "no error\n0 wrong");
    assert_has(cli_run_as(&rubato, 0, NULL,
                          WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("75"), "add", "1000")),
               "no error\n0 wrong");
}

static void launches_are_counted(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("record", "--no-trace", "--profile", "p.csv", "--", PROGRAM, CUBIN("75"), "add",
                 "1000"));
    /* 31 warps with all of their 15 instructions, one with 8 lanes behind the test of the index */
    assert_has(cli_read("p.csv"), "\n1,\"vecadd\",4,1,1,256,1,1,12,0,480,");
}

static void traces_can_be_simulated(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "a.rbt", "--", PROGRAM, CUBIN("70"), "add", "1000"));
    assert_has(cli_run_as(&rubato, 0, NULL, WORDS("info", "--count", "--json", "a.rbt")),
               "\"warp_instructions\": 512");
    assert_has(cli_run_as(&rubato, 0, NULL, WORDS("run", "--json", "a.rbt")), "\"complete\": true");
    expect(125, "a.rbt", WORDS("record", "-o", "a.rbt", "--", PROGRAM, CUBIN("70"), "add"));
    expect(0, NULL, WORDS("record", "-f", "-o", "a.rbt", "--", PROGRAM, CUBIN("70"), "add"));
}

static void only_chosen_launches_are_traced(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("record", "-o", "b.rbt", "-l", "2-3", "--", PROGRAM, CUBIN("75"), "add", "1000",
                 "4"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", "b.rbt"));
    assert_null(strstr(text, "\"trace_id\": 1,"));
    assert_non_null(strstr(text, "\"trace_id\": 2,"));
    assert_non_null(strstr(text, "\"trace_id\": 3,"));
    assert_null(strstr(text, "\"trace_id\": 4,"));
    free(text);
}

static void a_plan_says_what_is_traced(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("record", "-o", "all.rbt", "--", PROGRAM, CUBIN("75"), "add", "1000", "6"));
    expect(0, NULL, WORDS("plan", "--sample", "random:fraction=0.5", "-o", "plan.json", "all.rbt"));
    expect(0, NULL,
           WORDS("record", "--plan", "plan.json", "-o", "plan.rbt", "--", PROGRAM, CUBIN("75"),
                 "add", "1000", "6"));
    expect(0, NULL, WORDS("trace", "slice", "--plan", "plan.json", "-o", "cut.rbt", "all.rbt"));
    expect(0, NULL, WORDS("run", "-o", "planned", "plan.rbt"));
    expect(0, NULL, WORDS("run", "-o", "cut", "cut.rbt"));
    cli_same_file("planned", "cut", "launches.csv");
    assert_has(cli_run_as(&rubato, 0, NULL, WORDS("run", "--json", "plan.rbt")),
               "\"estimated\": true");
    /* a program that makes only some of the plan's launches, or none */
    expect(125, "plan.json: the plan simulates launch",
           WORDS("record", "--plan", "plan.json", "-o", "short.rbt", "--", PROGRAM, CUBIN("75"),
                 "add", "1000", "2"));
    expect(125, "without a kernel launch of the plan",
           WORDS("record", "--plan", "plan.json", "-o", "short.rbt", "--", PROGRAM, CUBIN("75"),
                 "add", "1000", "1"));
    assert_false(cli_exists("short.rbt"));
}

static void traces_can_be_text(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("record", "--accelsim", "text", "--", PROGRAM, CUBIN("75"), "add", "1000"));
    char *text = cli_read("text/kernel-1.traceg");
    assert_non_null(strstr(text, "\n00d0 ffffffff 0 STG.E.SYS 2 R6 R9 4 1 0x"));
    free(text);
    expect(0, NULL, WORDS("record", "-o", "n.rbt", "--", PROGRAM, CUBIN("75"), "add", "1000"));
    expect(0, NULL, WORDS("convert", "n.rbt", "other", "--to", "accelsim"));
    cli_same_file("text", "other", "kernel-1.traceg");
    cli_same_file("text", "other", "kernelslist.g");
    expect(125, "not empty", WORDS("record", "--accelsim", "text", "--", "not started"));
    expect(125, "n.rbt: exists already; --force replaces it",
           WORDS("record", "-o", "n.rbt", "--", "not started"));
}

/* Number of files in the folder whose names have this prefix. */
static unsigned files_like(const char *start)
{
    DIR *dir = opendir(".");
    unsigned n = 0;

    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        n += strncmp(e->d_name, start, strlen(start)) == 0;
    closedir(dir);
    return n;
}

static void nothing_is_left_of_what_was_not_recorded(void **state)
{
    (void)state;
    expect(128 + SIGKILL, NULL,
           WORDS("record", "-o", "killed.rbt", "--", PROGRAM, CUBIN("70"), "die"));
    expect(125, "none of --launches 9-12 was executed: the program ended after launch 1",
           WORDS("record", "-l", "9-12", "-o", "killed.rbt", "--", PROGRAM, CUBIN("70"), "add"));
    expect(125, "which is not supported",
           WORDS("record", "-o", "killed.rbt", "--", PROGRAM, CUBIN("70"), "missing"));
    assert_int_equal(files_like("killed"), 0);
    assert_int_equal(mkfifo("killed", 0600), 0);
    expect(125, "killed: is not a regular file",
           WORDS("record", "-f", "-o", "killed", "--", PROGRAM, CUBIN("70"), "add"));
    assert_int_equal(files_like("killed"), 1);
}

static void status_is_the_programs(void **state)
{
    (void)state;
    expect(7, NULL, WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("70"), "exit", "7"));
    expect(125, "not there: No such file", WORDS("record", "--no-trace", "--", "./not there"));
    expect(125, "did not call the CUDA runtime", WORDS("record", "--no-trace", "--", "true"));
    expect(125, "the destination of the trace is missing", WORDS("record", "--", "true"));
    expect(0, NULL,
           WORDS("record", "--no-trace", "--threads", "3", "--", PROGRAM, CUBIN("70"), "add",
                 "600000"));
    expect(125, "--threads needs --no-trace",
           WORDS("record", "-o", "t.rbt", "--threads", "3", "--", "true"));
    expect(125, "not a list of launches", WORDS("record", "--no-trace", "-l", "3-1", "--", "true"));
}

static void mistakes_of_the_program_are_explained(void **state)
{
    (void)state;
    assert_has(cli_run_as(&rubato, 0, "kernel vecadd, block (",
                          WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("70"), "wild")),
               "an illegal memory access was encountered");
    assert_has(cli_run_as(&rubato, 0, NULL,
                          WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("70"), "threads")),
               "invalid configuration argument");
    expect(0, "given up after",
           WORDS("record", "--no-trace", "--max-insts", "100", "--", PROGRAM, CUBIN("70"), "add"));
    expect(0, "kernel vecadd, block (0,0,0), warp 0, pc 0x",
           WORDS("record", "--no-trace", "--timeout", "1e-9", "--", PROGRAM, CUBIN("70"), "add"));
    expect(125, "so nothing is recorded",
           WORDS("record", "-o", "wild.rbt", "--", PROGRAM, CUBIN("70"), "wild"));
    assert_false(cli_exists("wild.rbt"));
    expect(125, "cudaIpcGetMemHandle(), which is not supported; one process uses the GPU",
           WORDS("record", "--no-trace", "--", PROGRAM, CUBIN("70"), "missing"));
    expect(125, "no machine code for sm_75",
           WORDS("record", "--no-trace", "--arch", "sm_75", "--", PROGRAM,
                 RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "80", "add"));
}

/* Writes the bundled code with another opcode at byte offset pc of its only function. */
static void spoil(const char *file, unsigned pc)
{
    /* the first two instructions: MOV R1, c[0x0][0x28]; @!PT SHFL.IDX */
    static const uint64_t begin[] = {0x00000a0000017a02, 0x000fc40000000f00, 0x000000fffffff389};
    static uint8_t code[1 << 16];
    FILE *in = fopen(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "rb");

    assert_non_null(in);
    const size_t n = fread(code, 1, sizeof(code), in);
    fclose(in);
    size_t at = 0;
    while (at + sizeof(begin) <= n && memcmp(code + at, begin, sizeof(begin)) != 0)
        at++;
    assert_true(at + pc + 16 <= n);
    code[at + pc] = 0xff; /* no instruction has opcode 0xbff */
    code[at + pc + 1] = 0x7b;
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(code, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

static void unsupported_launches_can_be_left_out(void **state)
{
    (void)state;
    spoil("end.cubin", 0xf0);    /* EXIT, after the result is stored */
    spoil("never.cubin", 0x110); /* behind the end */
    expect(125, "nothing is recorded; --skip-unsupported goes on without such launches",
           WORDS("record", "-o", "no.rbt", "--", PROGRAM, "end.cubin", "70", "add", "1000"));
    assert_false(cli_exists("no.rbt"));
    /* nothing of the launch is left: not a sum is there */
    assert_has(cli_run_as(&rubato, 0, "launch 1 is left out: kernel vecadd, block (0,0,0)",
                          WORDS("record", "--no-trace", "--skip-unsupported", "--", PROGRAM,
                                "end.cubin", "70", "add", "1000", "3")),
               "no error\n1000 wrong");
    expect(0, "launches left out: 3, of kernels: 1;",
           WORDS("record", "--no-trace", "--skip-unsupported", "--", PROGRAM, "end.cubin", "70",
                 "add", "1000", "3"));
    expect(125, "launches left out: 1, of kernels: 1;",
           WORDS("record", "-o", "no.rbt", "--skip-unsupported", "--", PROGRAM, "end.cubin", "70",
                 "add", "1000"));
    expect(125, "ended without a kernel launch that can be emulated; it made others",
           WORDS("record", "-o", "no.rbt", "--skip-unsupported", "--", PROGRAM, "end.cubin", "70",
                 "add", "1000"));
    assert_false(cli_exists("no.rbt"));
    /* an instruction that is not reached does no harm */
    assert_has(cli_run_as(&rubato, 0, NULL,
                          WORDS("record", "-o", "yes.rbt", "--skip-unsupported", "--", PROGRAM,
                                "never.cubin", "70", "add", "1000", "2")),
               "no error\n0 wrong");
    assert_has(cli_run_as(&rubato, 0, NULL, WORDS("info", "--count", "--json", "yes.rbt")),
               "\"warp_instructions\": 1024");
    expect(2, "need a program", WORDS("run", "--skip-unsupported", "yes.rbt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_get_right_results),
        cmocka_unit_test(launches_are_counted),
        cmocka_unit_test(traces_can_be_simulated),
        cmocka_unit_test(only_chosen_launches_are_traced),
        cmocka_unit_test(a_plan_says_what_is_traced),
        cmocka_unit_test(traces_can_be_text),
        cmocka_unit_test(nothing_is_left_of_what_was_not_recorded),
        cmocka_unit_test(status_is_the_programs),
        cmocka_unit_test(mistakes_of_the_program_are_explained),
        cmocka_unit_test(unsupported_launches_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
