/* The page's section of instructions: what its files say, damaged files, and which source it shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/report/page_instructions.h"
#include "frontend/tool/report/page_source.h"
#include "frontend/tool/report/report_page.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

#define HEAD                                                                                       \
    "kernel,name,arch,launches,estimated,pc,opcode,class,text,file,line,issued,lanes,"             \
    "state_no_warp,state_selected,state_long_scoreboard,awaited_long\n"
#define WAITS_HEAD "kernel,pc,state,for_pc,cycles\n"

static const char *plain(char *text, size_t n, const char *kernel)
{
    snprintf(text, n, "%s", kernel);
    return text;
}

/* The section of these files; NULL: an error, in err. Free it. */
static char *section(const char *insts, const char *waits, rb_err_t *err)
{
    char path[300], other[300], *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    temp_write("instructions.csv", insts);
    snprintf(path, sizeof(path), "%s", temp_path("instructions.csv"));
    if (waits != NULL)
        temp_write("instruction_waits.csv", waits);
    snprintf(other, sizeof(other), "%s", temp_path("instruction_waits.csv"));
    rb_code_t rc = page_instructions(out, path, waits != NULL ? other : NULL, "run", plain, err);
    fclose(out);
    if (rc == RB_OK)
        return text;
    free(text);
    return NULL;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no %s in %s", part, text);
}

static void columns_come_by_name_and_kernels_by_cycles(void **state)
{
    static const char insts[] =
        HEAD "1,a,75,1,0,0,MOV,alu,\"MOV R1, R2\",,,4,128,0,4,0,0\n"
             "1,a,75,1,0,,,,,,,0,0,100,0,0,0\n"
             "2,\"b<float>(int, \"\"x\"\")\",80,2,1,0,LDG,load,LDG R1,gone.cu,7,4,128,0,4,0,50\n"
             "2,\"b<float>(int, \"\"x\"\")\",80,2,1,32,FADD,fp,FADD R1,gone.cu,8,4,120,0,4,50,0\n";
    static const char waits[] = WAITS_HEAD "2,32,long_scoreboard,0,49.9\n"
                                           "2,32,long_scoreboard,,0.6\n"
                                           "2,32,long_scoreboard,32,0.1\n"
                                           "2,64,long_scoreboard,0,9\n"
                                           "2,32,unheard_of,0,9\n"
                                           "9,0,long_scoreboard,0,9\n";
    rb_err_t err = {0};
    char *text = section(insts, waits, &err);

    (void)state;
    assert_non_null(text);
    has(text, "\"stateNames\":[\"selected\",\"long_scoreboard\"]");
    has(text, "\"files\":[{\"path\":\"gone.cu\",\"lines\":null}]");
    has(text, "\"waits\":[[1,1,0,49.9],[1,1,-1,0.6]]"); /* 0.1 is below 1 % */
    has(text, "\"states\":{\"selected\":{\"at\":[0,1],\"is\":[4,4]},"
              "\"long_scoreboard\":{\"at\":[1],\"is\":[50]}}");
    has(text, "\"lanes\":{\"at\":[0,1],\"is\":[128,120]}");
    assert_true(strstr(text, "\"name\":\"b\\u003cfloat>(int, \\\"x\\\")\"") <
                strstr(text, "\"name\":\"a\""));
    free(text);
}

static void refused(const char *insts, const char *waits, const char *part)
{
    rb_err_t err = {0};
    char *text = section(insts, waits, &err);

    if (text != NULL || err.code != RB_TRACE || strstr(err.text, part) == NULL)
        fail_msg("'%s' where '%s' is expected", err.text, part);
}

static void damaged_files_are_named(void **state)
{
#define ROW "1,a,75,1,0,0,MOV,alu,MOV,,,4,128,0,4,0,0\n"
    (void)state;
    refused("", NULL, "the file is empty");
    refused("kernel,name\n", NULL, "no column 'arch'");
    refused(HEAD "1,a\n", NULL, "instructions.csv:2: not a row");
    refused(HEAD ROW "1,a,75,1,0,x,MOV,alu,MOV,,,4,128,0,4,0,0\n", NULL, ":3: not a row");
    refused(HEAD ROW ROW, NULL, ":3: not a row");     /* the same pc again */
    refused(HEAD "2" ROW ROW, NULL, ":3: not a row"); /* kernels go down */
    refused(HEAD "1,a,75,1,0,0,MOV,alu,MOV,,,4,-128,0,4,0,0\n", NULL, ":2: not a row");
    refused(HEAD "1,a,75,1,0,0,MOV,alu,MOV,,,4,nan,0,4,0,0\n", NULL, ":2: not a row");
    refused(HEAD ROW, "kernel,pc\n", "no column 'state'");
    refused(HEAD ROW, WAITS_HEAD "1,0\n", "instruction_waits.csv:2: not a row");
    refused(HEAD ROW, WAITS_HEAD "1,,long_scoreboard,0,1\n", "instruction_waits.csv:2: not a row");
}

static void a_profile_without_rows_is_empty(void **state)
{
    rb_err_t err = {0};
    char *text = section(HEAD, WAITS_HEAD, &err);

    (void)state;
    assert_non_null(text);
    has(text, "\"kernels\":[]");
    free(text);
}

/* Of more instructions than a page holds, those of the kernels with most cycles are shown. */
static void a_page_has_an_end(void **state)
{
    enum { KERNELS = 3, INSTS = 15000 };
    rb_err_t err = {0};
    char *csv = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&csv, &n);

    (void)state;
    fputs(HEAD, out);
    for (int k = 1; k <= KERNELS; k++)
        for (int i = 0; i < INSTS; i++)
            fprintf(out, "%d,k%d,75,1,0,%d,MOV,alu,MOV,,,1,32,0,%d,0,0\n", k, k, 16 * i, k);
    fclose(out);
    char *text = section(csv, NULL, &err);
    assert_non_null(text);
    has(text, "{\"name\":\"k3\",\"arch\":75,\"launches\":1,\"estimated\":0,\"all\":15000,");
    assert_true(strstr(text, "\"k3\"") < strstr(text, "\"k2\""));
    size_t pcs = 0;
    for (const char *at = text; (at = strstr(at, "\"MOV\"")) != NULL; at++)
        pcs++;
    assert_int_equal(pcs, 40000);
    free(text);
    free(csv);
}

/* --- source files ---------------------------------------------------------------------------- */

static char *lines_of(const char *path, const uint32_t *wanted, size_t n, size_t *room)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    page_source_lines(out, path, wanted, n, room);
    fclose(out);
    return text;
}

static void shows(const char *name, const uint32_t *wanted, size_t n, size_t room,
                  const char *expected)
{
    char path[300];

    snprintf(path, sizeof(path), "%s", temp_path(name));
    char *text = lines_of(path, wanted, n, &room);
    assert_string_equal(text, expected);
    free(text);
}

static void lines_near_the_wanted_ones_are_shown(void **state)
{
    static const uint32_t first[] = {1}, apart[] = {1, 15}, none[] = {900};

    (void)state;
    temp_write("a.cu", "1\n2\t.\n3\n4\n\"5\"\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15");
    shows("a.cu", first, 1, 1000,
          "[[1,\"1\"],[2,\"2   .\"],[3,\"3\"],[4,\"4\"],[5,\"\\\"5\\\"\"]]");
    shows("a.cu", apart, 2, 1000,
          "[[1,\"1\"],[2,\"2   .\"],[3,\"3\"],[4,\"4\"],[5,\"\\\"5\\\"\"],[11,\"11\"],[12,\"12\"],"
          "[13,\"13\"],[14,\"14\"],[15,\"15\"]]");
    shows("a.cu", none, 1, 1000, "[]");
    shows("a.cu", first, 0, 1000, "[]");
    shows("a.cu", first, 1, 7, "[[1,\"1\"],[2,\"2   .\"],[3,\"3\"]]");
}

/* A trace can name any file. Only source is shown, and nothing that blocks is opened. */
static void other_files_are_not_shown(void **state)
{
    static const uint32_t first[] = {1};

    (void)state;
    temp_write("passwords", "secret\n");
    shows("passwords", first, 1, 1000, "null");
    temp_write("key.pem", "secret\n");
    shows("key.pem", first, 1, 1000, "null");
    shows("gone.cu", first, 1, 1000, "null");
    assert_int_equal(mkfifo(temp_path("pipe.cu"), 0600), 0);
    shows("pipe.cu", first, 1, 1000, "null");
    assert_int_equal(mkdir(temp_path("folder.cu"), 0700), 0);
    shows("folder.cu", first, 1, 1000, "null");
    temp_write_bytes("zero.cu", "a\n\0\n", 4);
    shows("zero.cu", first, 1, 1000, "[[1,\"a\"]]");
}

static void long_lines_are_cut_between_characters(void **state)
{
    static const uint32_t first[] = {1};
    char text[2000] = "", path[300];
    size_t room = 10000;

    (void)state;
    for (int i = 0; i < 500; i++)
        strcat(text, "\xc3\xa9");
    temp_write("long.cu", text);
    snprintf(path, sizeof(path), "%s", temp_path("long.cu"));
    char *shown = lines_of(path, first, 1, &room);
    assert_int_equal(strlen(shown), 240 + strlen("[[1,\"\"]]"));
    assert_int_equal(room, 10000 - 240);
    assert_null(strstr(shown, "\xef\xbf\xbd"));
    free(shown);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(columns_come_by_name_and_kernels_by_cycles),
        TEST(damaged_files_are_named),
        TEST(a_profile_without_rows_is_empty),
        TEST(a_page_has_an_end),
        TEST(lines_near_the_wanted_ones_are_shown),
        TEST(other_files_are_not_shown),
        TEST(long_lines_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
