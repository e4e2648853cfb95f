/* The commands on a MacSim trace, which is recognised by its content. */
#include <string.h>

#include "tests/support/input/macsim_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

/* Two blocks of a warp each: a load, an addition that waits for it, a store. */
static int begin(void **state)
{
    const uint64_t wids[] = {0, 65536};
    const size_t counts[] = {4, 4};

    (void)state;
    temp_folder_create();
    macsim_write_lists(wids, counts, 2);
    temp_write("kernel_names.txt", "Kernel0 name: saxpy(float *)\n  Grid size: (2, 1, 1), Block "
                                   "size: (32, 1, 1), maxBlockPerCore: 16, # of regs: 16, static "
                                   "shared mem: 0, dynamic shared mem: 0\n");
    for (unsigned i = 0; i < 2; i++) {
        const macsim_record_t r[] = {
            {.opcode = 73,
             .num_dest_regs = 1,
             .dst = {4},
             .active_mask = UINT32_MAX,
             .mem_addr = 0x10000 + 128 * i,
             .mem_access_size = 4},
            {.opcode = 0,
             .num_dest_regs = 1,
             .dst = {5},
             .num_read_regs = 2,
             .src = {4, 4},
             .active_mask = UINT32_MAX,
             .inst_addr = 16},
            {.opcode = 78,
             .num_read_regs = 1,
             .src = {5},
             .active_mask = UINT32_MAX,
             .inst_addr = 32,
             .mem_addr = 0x20000 + 128 * i,
             .mem_access_size = 4},
            {.opcode = 139, .active_mask = UINT32_MAX, .inst_addr = 48},
        };

        macsim_write_warp(wids[i], r, 4);
    }
    return 0;
}

static void info_describes_it(void **state)
{
    char *out = cli_run_as(&rubato, 0, "128-byte lines for lane addresses",
                           WORDS("info", temp_path(""), "--json", "--count"));

    (void)state;
    assert_null(json_check(out));
    assert_true(json_is(out, "format", "\"macsim\""));
    assert_true(json_is(out, "launches.0.name", "\"saxpy(float *)\""));
    assert_true(json_is(out, "launches.0.registers", "16"));
    assert_true(json_is(out, "totals.warp_instructions", "8"));
    assert_true(json_is(out, "totals.thread_instructions", "256"));
    free(out);
}

static void it_is_simulated(void **state)
{
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("run", temp_path(""), "--json"));

    (void)state;
    assert_null(json_check(out));
    assert_true(json_is(out, "totals.warp_instructions", "8"));
    assert_true(json_number(out, "totals.cycles") > 0);
    free(out);
}

static void its_files_identify_the_run(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", temp_path(""), "-o", "a"));
    const macsim_record_t other = {.opcode = 139, .active_mask = 1};
    const macsim_record_t four[] = {other, other, other, other};

    macsim_write_warp(0, four, 4);
    expect(0, NULL, WORDS("run", temp_path(""), "-o", "b"));
    char *a = cli_read_json("a/run.json"), *b = cli_read_json("b/run.json");
    size_t n, m;
    const char *x = json_find(a, "trace.sha256", &n), *y = json_find(b, "trace.sha256", &m);

    assert_true(n == m && n > 60 && memcmp(x, y, n) != 0);
    free(a);
    free(b);
}

static void a_damaged_one_is_the_users_mistake(void **state)
{
    (void)state;
    temp_write("Kernel0/trace_info.txt", "0 5\n65536 4\n");
    expect(2, "trace_0.raw: record 4: the file ends", WORDS("run", temp_path("")));
    temp_write("kernel_config.txt", "newptx\n14\n-1\n");
    expect(2, "kernel_config.txt:1: 'newptx' is not a kind", WORDS("info", temp_path("")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(info_describes_it),
        TEST(it_is_simulated),
        TEST(its_files_identify_the_run),
        TEST(a_damaged_one_is_the_users_mistake),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
