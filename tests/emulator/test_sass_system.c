/* Functions of the driver that kernels call, linked programs, and generic addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static rb_code_t run(sass_lab_t *lab, uint32_t threads)
{
    return sass_lab_run(lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){threads, 1, 1}, 0, NULL, NULL);
}

/* The output of a launch of a kernel whose first parameter is n. */
static char *printed(sass_lab_t *lab, uint32_t threads, rb_code_t *rc)
{
    char *text = NULL;
    size_t bytes = 0;

    lab->out = open_memstream(&text, &bytes);
    assert_non_null(lab->out);
    *rc = run(lab, threads);
    fclose(lab->out);
    lab->out = NULL;
    return text;
}

static void kernels_print_as_the_host_does(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "system")
    {
        char expected[1024] = "";
        double x = 1.375;
        rb_code_t rc;
        sass_lab_kernel(&lab, "print_values");
        sass_lab_int(&lab, 3);
        sass_lab_param(&lab, &x);
        char *got = printed(&lab, 32, &rc);
        assert_int_equal(rc, RB_OK);
        for (int i = 0; i < 3; i++)
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                     "%d|%5.2f|%s|%c|%lld|%-6x|%*d|%%|%hd|%p\n", i, x * i, "text", 'a' + i,
                     1234567890123ll, 255u, 4, -7, (short)-3, (void *)16);
        assert_string_equal(got, expected);
        free(got);
    }
}

static void assertions_name_block_and_threads(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "system")
    {
        rb_code_t rc;
        sass_lab_kernel(&lab, "assert_below");
        sass_lab_int(&lab, 30);
        char *got = printed(&lab, 32, &rc);
        assert_int_equal(rc, RB_TRACE);
        assert_int_equal(lab.totals.fault, EMU_FAULT_ASSERT);
        assert_non_null(strstr(got, "thread: [30,0,0] Assertion `threadIdx.x < n` failed.\n"));
        assert_non_null(strstr(got, "thread: [31,0,0] Assertion"));
        assert_null(strstr(got, "thread: [29,0,0]"));
        assert_non_null(strstr(got, "block: [0,0,0]"));
        free(got);
        sass_lab_kernel(&lab, "assert_below");
        sass_lab_int(&lab, 32);
        assert_int_equal(run(&lab, 32), RB_OK);
    }
}

static void traps_end_the_launch(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "system")
    {
        sass_lab_kernel(&lab, "stop");
        sass_lab_int(&lab, 5);
        assert_int_equal(run(&lab, 32), RB_TRACE);
        assert_int_equal(lab.totals.fault, EMU_FAULT_TRAP);
        assert_non_null(strstr(lab.err.text, "BPT.TRAP"));
        assert_int_equal(run(&lab, 5), RB_OK);
    }
}

static void kernels_have_a_heap(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "system")
    {
        uint64_t pointers = sass_lab_put(&lab, NULL, 512), out = sass_lab_put(&lab, NULL, 256);
        uint64_t used = emu_mem_in_use(&lab.mem);
        sass_lab_kernel(&lab, "heap_make");
        sass_lab_pointer(&lab, pointers);
        sass_lab_must_run(&lab, 1, 64, 0);
        assert_true(emu_mem_in_use(&lab.mem) > used);
        sass_lab_kernel(&lab, "heap_sum");
        sass_lab_pointer(&lab, pointers);
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 64, 0);
        for (int i = 0; i < 64; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], 256 * i + 120);
        assert_int_equal(emu_mem_in_use(&lab.mem), used);
        assert_int_equal(lab.mem.heap_used, 0);
        assert_int_equal(run(&lab, 64), RB_TRACE); /* given back twice */
        /* 64 times 64 bytes and what the heap needs for itself */
        lab.heap_bytes = 64 * 80;
        sass_lab_kernel(&lab, "heap_make");
        sass_lab_pointer(&lab, pointers);
        sass_lab_must_run(&lab, 1, 64, 0);
        assert_int_equal(lab.mem.heap_used, lab.heap_bytes);
        assert_int_equal(run(&lab, 64), RB_TRACE); /* malloc() returned NULL */
        assert_non_null(strstr(lab.err.text, "address 0x0 is not in an allocation"));
    }
}

static int fibonacci(int n)
{
    return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

static void linked_files_call_each_other(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "linked")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "calls");
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int i = 0; i < 32; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i],
                             2 * i + 200 + fibonacci(i % 7) + i % 4 + 1 + 1000 * (i % 2 + 1));
        sass_lab_kernel(&lab, "pointers");
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int i = 0; i < 32; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], i % 3 == 0   ? -i
                                                                     : i % 3 == 1 ? i + 1
                                                                                  : 2 * i + 100);
    }
}

static void variables_hold_addresses_of_variables(void **state)
{
    static const char *const names[] = {"one", "two", "three"};
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "pointers")
    {
        const uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "addresses");
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int i = 0; i < 32; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], names[i % 3][0] * 0x10000 +
                                                                         names[i % 3][1] * 0x100 +
                                                                         (i % 2 == 0 ? 20 : 30));
    }
}

/* A call through an invalid function pointer is an error of the program. */
static void calls_of_nothing_are_faults(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "linked")
    {
        emu_variable_t table;
        assert_true(emu_module_variable(&lab.module, "table", &table));
        memset(sass_lab_at(&lab, table.addr), 0x5a, 8);
        sass_lab_kernel(&lab, "pointers");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 128));
        assert_int_equal(run(&lab, 32), RB_TRACE);
        assert_non_null(strstr(lab.err.text, "jump to 0x5a5a5a5a5a5a5a5a"));
    }
}

static void generic_addresses_have_long_offsets(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "generic")
    {
        enum { ROOM = 128 };
        uint64_t memory = sass_lab_put(&lab, NULL, 32 * ROOM), pointers[32];
        uint8_t *bytes = sass_lab_at(&lab, memory), before[32 * ROOM];
        for (unsigned i = 0; i < 32 * ROOM; i++)
            before[i] = bytes[i] = (uint8_t)(i * 7 + i / 128);
        for (unsigned i = 0; i < 32; i++) {
            pointers[i] = memory + i * ROOM + 16;
            memset(before + i * ROOM + 48, 0, 8); /* the double at p + 32 */
            memset(bytes + i * ROOM + 48, 0, 8);
            before[i * ROOM + 55] = bytes[i * ROOM + 55] = 0x40; /* is 2 */
        }
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "generic");
        sass_lab_pointer(&lab, sass_lab_put(&lab, pointers, sizeof(pointers)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            const uint8_t *was = before + i * ROOM + 16, *is = bytes + i * ROOM + 16;
            int32_t word, sum, left;
            int16_t half, half_after;
            double twice;
            memcpy(&word, was + 4, 4);
            memcpy(&half, was + 10, 2);
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], word + half + was[13]);
            assert_memory_equal(is + 48, was + 16, 16);
            memcpy(&twice, is + 64, 8);
            assert_true(twice == 4);
            memcpy(&half_after, is + 74, 2);
            assert_int_equal(half_after, (int16_t)(half + 1));
            assert_int_equal(is[77], (uint8_t)(was[13] + 1));
            memcpy(&left, is - 4, 4);
            assert_int_equal(left, i);
            memcpy(&word, was + 80, 4);
            memcpy(&sum, is + 80, 4);
            assert_int_equal(sum, word + (int32_t)i);
        }
    }
}

/* As in a program that could begin launches from kernels and does not: only a call is refused. */
static void functions_that_are_missing_are_refused_when_called(void **state)
{
    static const char name[] = "malloc", other[] = "mallox";
    const double x = 1;
    sass_lab_t lab;
    rb_code_t rc;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "system")
    {
        const size_t n = lab.module.cubin.elf.size;
        emu_module_close(&lab.module);
        for (uint8_t *p = lab.file;
             (p = memmem(p, n - (size_t)(p - lab.file), name, sizeof(name))) != NULL;)
            memcpy(p, other, sizeof(other));
        assert_int_equal(emu_module_open(&lab.module, &lab.mem, "system", lab.file, n, &lab.err),
                         RB_OK);
        sass_lab_kernel(&lab, "print_values");
        sass_lab_int(&lab, 3);
        sass_lab_param(&lab, &x);
        free(printed(&lab, 1, &rc));
        assert_int_equal(rc, RB_OK);
        sass_lab_kernel(&lab, "heap_make");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 512));
        assert_int_equal(run(&lab, 32), RB_TRACE);
        assert_true(lab.totals.unsupported);
        assert_non_null(strstr(lab.err.text, "the function mallox of the driver"));
    }
}

static void kernels_learn_about_the_gpu_and_their_launch(void **state)
{
    enum { BLOCKS = 7, WARPS = 3 };
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "specials", 75);
    sass_lab_kernel(&lab, "specials");
    const uint64_t out = sass_lab_put(&lab, NULL, BLOCKS * WARPS * 32);
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, BLOCKS, 32 * WARPS, 300);
    for (uint32_t i = 0; i < BLOCKS * WARPS; i++) {
        const uint32_t *o = (uint32_t *)sass_lab_at(&lab, out) + 8 * (size_t)i;
        assert_int_equal(o[0], i / WARPS % SASS_LAB_SMS);
        assert_int_equal(o[1], SASS_LAB_SMS);
        assert_int_equal(o[2], i % WARPS);
        assert_int_equal(o[3], 512); /* 32 and 300 bytes in units of 256 */
        assert_int_equal(o[4], 300);
        assert_int_equal(o[5], SASS_LAB_NUMBER);
    }
    sass_lab_close(&lab);
}

static int32_t in_range(int64_t v)
{
    return (int32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static void sums_saturate(void **state)
{
    enum { N = 256 };
    static const int32_t special[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MAX - 1, 7, -7};
    int32_t a[N], b[N];
    uint64_t seed = 4;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        a[i] = i < 64 ? special[i / 8] : (int32_t)sass_lab_random(&seed);
        b[i] = i < 64 ? special[i % 8] : (int32_t)sass_lab_random(&seed);
    }
    sass_lab_open(&lab, "specials", 75);
    const uint64_t sum = sass_lab_put(&lab, NULL, sizeof(a)),
                   difference = sass_lab_put(&lab, NULL, sizeof(a));
    sass_lab_kernel(&lab, "saturate");
    sass_lab_pointer(&lab, sass_lab_put(&lab, a, sizeof(a)));
    sass_lab_pointer(&lab, sass_lab_put(&lab, b, sizeof(b)));
    sass_lab_pointer(&lab, sum);
    sass_lab_pointer(&lab, difference);
    sass_lab_must_run(&lab, 1, N, 0);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(((int32_t *)sass_lab_at(&lab, sum))[i], in_range((int64_t)a[i] + b[i]));
        assert_int_equal(((int32_t *)sass_lab_at(&lab, difference))[i],
                         in_range((int64_t)a[i] - b[i]));
    }
    sass_lab_close(&lab);
}

/* Of parameters (__grid_constant__) and of constants; nothing stays in memory. */
static void kernels_take_addresses_of_constant_banks(void **state)
{
    static const int32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    int32_t words[16];
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "specials", 75);
    const uint64_t out = sass_lab_put(&lab, NULL, sizeof(words));
    const size_t ranges = lab.mem.n_used;
    for (int32_t launch = 0; launch < 2; launch++) {
        for (int32_t i = 0; i < 16; i++)
            words[i] = 1000 * launch + i;
        sass_lab_kernel(&lab, "by_address");
        sass_lab_param(&lab, words);
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 16, 0);
        for (int i = 0; i < 16; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], words[i] + 100 * table[i]);
        assert_int_equal(lab.mem.n_used, ranges);
    }
    sass_lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_print_as_the_host_does),
        cmocka_unit_test(assertions_name_block_and_threads),
        cmocka_unit_test(traps_end_the_launch),
        cmocka_unit_test(kernels_have_a_heap),
        cmocka_unit_test(linked_files_call_each_other),
        cmocka_unit_test(variables_hold_addresses_of_variables),
        cmocka_unit_test(calls_of_nothing_are_faults),
        cmocka_unit_test(generic_addresses_have_long_offsets),
        cmocka_unit_test(functions_that_are_missing_are_refused_when_called),
        cmocka_unit_test(kernels_learn_about_the_gpu_and_their_launch),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(kernels_take_addresses_of_constant_banks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
