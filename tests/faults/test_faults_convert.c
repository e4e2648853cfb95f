/* Allocations from every chain of callers and every call on a file of a conversion fail once. The
 * trace must be complete or absent. The text is compressed, so that allocations of the compression
 * libraries fail, too. */
#include "tests/support/test.h"

#include "tests/support/tool/fault_lab.h"

#define TO_TEXT(pack)  "convert", "small.rbt", "work/text", "--to", "accelsim", "--pack", pack
#define TO_NATIVE(dir) "convert", dir, "work/out.rbt", "--force", "--threads", "1"

#define CASE(...)                                                                                  \
    {                                                                                              \
        .binary = RUBATO_BINARY, .preload = RUBATO_FAULTS_LIBRARY,                                 \
        .words = (const char *const[]){__VA_ARGS__, NULL},                                         \
        .again = (const char *const[]){__VA_ARGS__, NULL}, .refused = 1, .refused_too = 1,         \
    }

static const fault_case_t to_xz = CASE(TO_TEXT("xz"));
static const fault_case_t to_zst = CASE(TO_TEXT("zst"));
static const fault_case_t of_xz = CASE(TO_NATIVE("text-xz"));
static const fault_case_t of_zst = CASE(TO_NATIVE("text-zst"));

static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    expect(0, NULL, WORDS("gen", "stencil", "--size", "4", "-p", "steps=2", "-o", "small.rbt"));
    expect(0, NULL, WORDS("convert", "small.rbt", "text-xz", "--to", "accelsim", "--pack", "xz"));
    expect(0, NULL, WORDS("convert", "small.rbt", "text-zst", "--to", "accelsim", "--pack", "zst"));
    return 0;
}

static void convert(const fault_case_t *c)
{
    fault_lab_begin(c);
    fault_lab_allocations(c);
    fault_lab_files(c);
    fault_lab_end();
}

static void every_call_of_a_conversion_to_xz_fails_once(void **state)
{
    (void)state;
    convert(&to_xz);
}

static void every_call_of_a_conversion_to_zst_fails_once(void **state)
{
    (void)state;
    convert(&to_zst);
}

static void every_call_of_a_conversion_of_xz_fails_once(void **state)
{
    (void)state;
    convert(&of_xz);
}

static void every_call_of_a_conversion_of_zst_fails_once(void **state)
{
    (void)state;
    convert(&of_zst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_conversion_to_xz_fails_once),
        cmocka_unit_test(every_call_of_a_conversion_to_zst_fails_once),
        cmocka_unit_test(every_call_of_a_conversion_of_xz_fails_once),
        cmocka_unit_test(every_call_of_a_conversion_of_zst_fails_once),
    };
    return cmocka_run_group_tests(tests, begin, cli_end);
}
