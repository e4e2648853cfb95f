/* Damaged and absurd MacSim traces: each gives one message that names the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/macsim/macsim.h"
#include "tests/support/input/macsim_files.h"
#include "tests/support/input/macsim_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

enum { RECORDS = 300 };

static macsim_record_t records[RECORDS];

/* A valid trace of two warps. */
static int make_good(void **state)
{
    const uint64_t wids[] = {0, 1};
    const size_t counts[] = {RECORDS, 1};

    quiet_folder_create(state);
    for (unsigned i = 0; i < RECORDS; i++)
        records[i] = (macsim_record_t){.opcode = (uint8_t)(i % 50),
                                       .inst_addr = 0x1000 + 16 * i,
                                       .active_mask = i * 2654435761u,
                                       .size = 16};
    macsim_write_lists(wids, counts, 2);
    macsim_write_warp(0, records, RECORDS);
    macsim_write_warp(1, records, 1);
    return 0;
}

static char *read_trace(void)
{
    rb_err_t err = {0};

    return trace_source_text(macsim_open(temp_path(""), NULL, &err), &err);
}

static void is_refused(rb_code_t code, const char *part)
{
    char start[128], *got = read_trace(), *error = strstr(got, "error ");

    snprintf(start, sizeof(start), "error %d: " TEMP_FOLDER_NAME, (int)code);
    if (error == NULL || strncmp(error, start, strlen(start)) != 0 || strstr(error, part) == NULL)
        fail_msg("'%s' does not say '%s'", error != NULL ? error : got, part);
    free(got);
}

typedef struct {
    const char *text, *part;
} case_t;

static void texts_are_refused(const char *name, const case_t *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        temp_write(name, cases[i].text);
        is_refused(RB_TRACE, cases[i].part);
    }
}

static void bad_lists_of_launches_are_refused(void **state)
{
    static const case_t cases[] = {
        {"", "kernel_config.txt:1: the file is truncated: it ends before the kind of trace"},
        {"newptx\n14\n-1\n", ":1: 'newptx' is not a kind of MacSim trace that can be read"},
        {"nvbit\n", ":2: the file is truncated"},
        {"nvbit\n13\n-1\n", ":2: version 13 of the format: only version 14 can be read"},
        {"nvbit\nx\n-1\n", ":2: a version number is expected"},
        {"nvbit\n99999999999999999999999\n-1\n", ":2: a version number is expected"},
        {"nvbit\n14\n", ":3: the file is truncated"},
        {"nvbit\n14\n-1\n", "the list names no launch"},
        {"nvbit\n14\n-1\ntrace.txt\n", ":4: 'FOLDER/trace.txt' is expected"},
        {"nvbit\n14\n-1\n./Kernel0/other.txt\n", ":4: 'FOLDER/trace.txt' is expected"},
        {"nvbit\n14\n-1\n../trace.txt\n", ":4: the folder of the launch has no name"},
        {"nvbit\n14\n-1\n/trace.txt\n", ":4: the folder of the launch has no name"},
    };

    (void)state;
    texts_are_refused("kernel_config.txt", cases, sizeof(cases) / sizeof(cases[0]));
    temp_write_bytes("kernel_config.txt", "nvbit\n14\n-1\n\0/trace.txt\n", 24);
    is_refused(RB_TRACE, ":4: contains a zero byte");
}

static void bad_names_are_refused(void **state)
{
#define NAMED "Kernel0 name: k\n"
#define GRID  "  Grid size: (1, 1, 1), "
    static const case_t cases[] = {
        {"nonsense\n", "kernel_names.txt:1: 'Kernel<N> name: NAME' is expected"},
        {NAMED, ":2: the file is truncated"},
        {NAMED "x\n", ":2: 'Grid size: (x, y, z)' is missing"},
        {NAMED GRID "\n", ":2: 'Block size: (x, y, z)' is missing"},
        {NAMED "  Grid size: (0, 1, 1), Block size: (1, 1, 1)\n",
         "numbers between 1 and 2147483647"},
        {NAMED "  Grid size: (1, 1), Block size: (1, 1, 1)\n", "needs three numbers"},
        {NAMED "  Grid size: (4294967295, 4294967295, 4294967295), Block size: (1, 1, 1)\n",
         "numbers between 1 and 2147483647"},
        {NAMED "  Grid size: (2147483647, 2147483647, 2147483647), Block size: (1, 1, 1)\n",
         "no GPU supports this many blocks"},
        {NAMED GRID "Block size: (1025, 1, 1)\n", "between 1 and 1024"},
        {NAMED GRID "Block size: (1024, 1024, 1024)\n", "a block has at most 1024 threads"},
        {NAMED GRID "Block size: (64, 1, 1), # of regs: 256\n", "a number of at most 255"},
        {NAMED GRID "Block size: (64, 1, 1), static shared mem: -1\n", "a number of at most"},
        {NAMED GRID "Block size: (64, 1, 1), static shared mem: 1048576, dynamic shared mem: 1\n",
         "no SM has that much shared memory"},
        {NAMED GRID "Block size: (32, 1, 1)\n", "2 warps in a block of 32 threads"},
    };

    (void)state;
    texts_are_refused("kernel_names.txt", cases, sizeof(cases) / sizeof(cases[0]));
}

static void bad_lists_of_warps_are_refused(void **state)
{
    static const case_t cases[] = {
        {"nvbit\n14\n16\n", "trace.txt:4: the file is truncated"},
        {"nvbit\n14\n16\n0\n", ":4: the number of warps is expected, not '0'"},
        {"nvbit\n14\n16\n-1\n", ":4: the number of warps is expected"},
        {"nvbit\n14\n16\n18446744073709551615\n0 0\n1 0\n", ":7: the file is truncated"},
        {"nvbit\n14\n16\n2\n0 0\n", ":6: the file is truncated"},
        {"nvbit\n14\n16\n2\n0 0\n0 0\n", "warp 0 appears twice"},
        {"nvbit\n14\n16\n2\n0 0\n1 7\n", "a warp that starts at instruction 7 is not supported"},
        {"nvbit\n14\n16\n2\n0\n1\n", ":5: two numbers are expected"},
        {"nvbit\n14\n16\n2\n0 0\n18446744073709551615 0\n", "is impossible"},
        {"nvbit\n14\n16\n33\n0 0\n1 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n8 0\n9 0\n10 0\n11 0\n12 0\n"
         "13 0\n14 0\n15 0\n16 0\n17 0\n18 0\n19 0\n20 0\n21 0\n22 0\n23 0\n24 0\n25 0\n26 0\n"
         "27 0\n28 0\n29 0\n30 0\n31 0\n32 0\n",
         "block 0 has more than 32 warps"},
    };

    (void)state;
    texts_are_refused("Kernel0/trace.txt", cases, sizeof(cases) / sizeof(cases[0]));
}

static void bad_counts_are_refused(void **state)
{
    static const case_t cases[] = {
        {"", "trace_info.txt:1: the file is truncated: it has 0 of the 2 warps"},
        {"0 300\n", "it has 1 of the 2 warps"},
        {"0 300\n1 1\n2 1\n", ":3: trace.txt has no warp 2"},
        {"0 300\n0 300\n", ":2: warp 0 appears twice"},
        {"0 300\n1 0\n", ":2: a warp of no records"},
        {"0 300\n1 x\n", ":2: two numbers are expected"},
        {"0 300\n1 2\n", "trace_1.raw: record 1: the file ends, but trace_info.txt announces 2"},
        {"0 299\n1 1\n", "trace_0.raw: record 300: more than the 299 records"},
        {"0 18446744073709551615\n1 1\n", "trace_0.raw: record 300: the file ends"},
    };

    (void)state;
    texts_are_refused("Kernel0/trace_info.txt", cases, sizeof(cases) / sizeof(cases[0]));
}

static void an_endless_line_is_refused(void **state)
{
    enum { LONG = 2 << 20 };
    char *text = malloc(LONG + 1);

    (void)state;
    memset(text, '1', LONG);
    text[LONG] = '\0';
    temp_write("Kernel0/trace_info.txt", text);
    is_refused(RB_TRACE, "trace_info.txt:1: this line is longer than 1 MiB");
    free(text);
}

static void missing_files_are_named(void **state)
{
    static const char *const names[] = {"Kernel0/trace_1.raw", "Kernel0/trace_0.raw",
                                        "Kernel0/trace_info.txt", "Kernel0/trace.txt"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(remove(temp_path(names[i])), 0);
        is_refused(RB_IO, names[i]);
    }
    assert_int_equal(mkfifo(temp_path("Kernel0/trace.txt"), 0600), 0);
    is_refused(RB_IO, "trace.txt: is a pipe that nobody writes to");
    remove(temp_path("kernel_config.txt"));
    remove(temp_path("Kernel0/trace.txt"));
    is_refused(RB_TRACE, "no kernel_config.txt in this folder");
}

static void bad_records_are_refused(void **state)
{
    macsim_record_t bad[3];

    (void)state;
    memcpy(bad, records, sizeof(bad));
    bad[0].num_read_regs = 1;
    bad[0].src[0] = 256;
    macsim_write_warp(1, bad, 1);
    is_refused(RB_TRACE, "trace_1.raw: record 1: register 256 does not exist");
    bad[0] = (macsim_record_t){.opcode = 73, .is_fp = 1, .active_mask = 1};
    macsim_write_warp(1, bad, 1);
    is_refused(RB_TRACE, "record 1: a further line of an instruction other than the previous one");
    temp_write_bytes("Kernel0/trace_1.raw", bad, 100);
    is_refused(RB_TRACE, "trace_1.raw: the file is truncated: it ends inside record 2");
}

/* An instruction that declares accesses to a hundred thousand lines. */
static void endless_accesses_are_refused(void **state)
{
    enum { N = 100000 };
    macsim_record_t *many = calloc(N, sizeof(*many));

    (void)state;
    for (unsigned i = 0; i < N; i++)
        many[i] = (macsim_record_t){.opcode = 73, .is_fp = i > 0, .active_mask = 1, .mem_addr = i};
    macsim_write_warp(0, many, N);
    temp_write("Kernel0/trace_info.txt", "0 100000\n1 1\n");
    is_refused(RB_TRACE, "more than 65536 records for one instruction");
    free(many);
}

/* The gzip data of a warp, cut at any position or with any byte changed. */
static void damaged_gzip_is_refused_everywhere(void **state)
{
    static char whole[RECORDS * 64], damaged[sizeof(whole)];
    FILE *f = fopen(temp_path("Kernel0/trace_0.raw"), "rb");
    size_t n = fread(whole, 1, sizeof(whole), f);
    unsigned changed = 0;

    (void)state;
    fclose(f);
    char *good = read_trace();

    for (size_t cut = 0; cut < n; cut += cut < 32 || cut + 32 > n ? 1 : 37) {
        temp_write_bytes("Kernel0/trace_0.raw", whole, cut);
        is_refused(RB_TRACE, "trace_0.raw: ");
    }
    for (size_t at = 0; at < n; at += at < 32 || at + 32 > n ? 1 : 37) {
        memcpy(damaged, whole, n);
        damaged[at] = (char)(damaged[at] ^ 0x10);
        temp_write_bytes("Kernel0/trace_0.raw", damaged, n);
        char *got = read_trace();

        /* The header has unused bytes, so the launch is either read correctly or refused. */
        if (strstr(got, "trace_0.raw: ") != NULL)
            changed++;
        else
            assert_string_equal(got, good);
        free(got);
    }
    assert_true(changed > 50);
    free(good);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_good, quiet_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(bad_lists_of_launches_are_refused),
        TEST(bad_names_are_refused),
        TEST(bad_lists_of_warps_are_refused),
        TEST(bad_counts_are_refused),
        TEST(an_endless_line_is_refused),
        TEST(missing_files_are_named),
        TEST(bad_records_are_refused),
        TEST(endless_accesses_are_refused),
        TEST(damaged_gzip_is_refused_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
