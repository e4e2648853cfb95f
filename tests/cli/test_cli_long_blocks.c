/*
 * Long thread blocks in little memory: the address space of the process is a quarter of what the
 * decoded blocks on the chip would take. Not in builds with sanitizers, which reserve address space.
 */
#include "tests/support/test.h"

#include "tests/support/tool/cli_child.h"

/* The small chip holds all 36 blocks at a time: 12 million warp instructions, 200 MB decoded. */
#define PROGRAM "gen", "sgemm", "--size", "384", "-p", "inner=2048", "-o", "long.rbt"
#define SMALL_CHIP                                                                                 \
    "--gpu", "rtx2060", "-s", "sm.count=6", "-s", "mem.partitions=3", "-s", "l2.slices=6", "-s",   \
        "l2.size=768KiB", "-s", "sm.ideal=true", "-s", "l1.perfect=true"

enum { MEMORY_BYTES = 80 << 20 };

static const cli_child_t cramped = {.binary = RUBATO_BINARY, .memory_limit = MEMORY_BYTES};

static void run_in(const cli_child_t *child, const char *trace, const char *threads,
                   const char *folder)
{
    free(cli_run_as(child, 0, NULL, WORDS("run", SMALL_CHIP, "-t", threads, trace, "-o", folder)));
}

static void native_traces_run(void **state)
{
    (void)state;
    expect(0, NULL, WORDS(PROGRAM));
    run_in(&cramped, "long.rbt", "1", "one");
    run_in(&rubato, "long.rbt", "2", "two");
    cli_same_file("one", "two", "stats.csv");
}

/* Its results are those of the native trace. */
static void texts_run(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", "long.rbt", "--to", "accelsim", "--pack", "zst", "text"));
    run_in(&cramped, "text/kernelslist.g", "1", "three");
    cli_same_file("one", "three", "stats.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_traces_run),
        cmocka_unit_test(texts_run),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
