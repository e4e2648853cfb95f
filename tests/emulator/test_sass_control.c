/* Control flow on the emulator: divergence, calls, recursion, jump tables, locks, parts of a warp.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static uint32_t collatz(uint32_t v)
{
    uint32_t c = 0;

    while (v != 1) {
        if (v & 1) {
            v = 3 * v + 1;
            c += (v & 7) == 4 ? 2 : 1;
        } else {
            v >>= 1;
        }
        c++;
        if (c > 500)
            break;
    }
    return c;
}

static void loops_of_different_length_converge(void **state)
{
    enum { N = 200 };
    uint64_t seed = 9;
    uint32_t v[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        v[i] = 1 + (uint32_t)(sass_lab_random(&seed) % 100000);
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t a = sass_lab_put(&lab, v, sizeof(v)), out = sass_lab_put(&lab, NULL, sizeof(v));
        sass_lab_kernel(&lab, "collatz");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 2, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((uint32_t *)sass_lab_at(&lab, out))[i], collatz(v[i]));
        assert_true(lab.totals.divergences > 100);
    }
}

static void functions_call_themselves(void **state)
{
    enum { N = 64 };
    int32_t n[N], fib[12] = {0, 1};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 2; i < 12; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    for (int32_t i = 0; i < N; i++)
        n[i] = i * 7 % 11;
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t a = sass_lab_put(&lab, n, sizeof(n)), out = sass_lab_put(&lab, NULL, sizeof(n));
        sass_lab_kernel(&lab, "fibk");
        sass_lab_pointer(&lab, a);
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 1, N, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], fib[n[i]]);
    }
}

/*
 * Every lane recurses to a different depth, so each level of the recursion waits at the same BSYNC
 * with other lanes. Also: variables and constants with addresses, a newer cubin.
 */
static void levels_of_a_recursion_wait_apart(void **state)
{
    float table[16];
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "recurse", 75);
    const uint64_t out = sass_lab_put(&lab, NULL, 128);
    emu_variable_t v;
    for (unsigned i = 0; i < 16; i++)
        table[i] = (float)i;
    assert_true(emu_module_variable(&lab.module, "ctab", &v) && v.constant);
    assert_int_equal(v.bytes, sizeof(table));
    memcpy(sass_lab_at(&lab, v.addr), table, sizeof(table));
    sass_lab_kernel(&lab, "recurse");
    sass_lab_pointer(&lab, out);
    sass_lab_int(&lab, 32);
    sass_lab_must_run(&lab, 1, 32, 512);
    int32_t factorial = 1; /* as the kernel's, modulo 2^32 */
    for (unsigned i = 0; i < 32; i++) {
        unsigned k = i ^ 1;
        float s = table[k & 15] + (k < 3 ? (float)(k + 1) : 0.0f);
        if (i > 1)
            factorial = (int32_t)((uint32_t)factorial * i);
        assert_true(((float *)sass_lab_at(&lab, out))[i] == s * (float)factorial);
    }
    assert_true(emu_module_variable(&lab.module, "gcount", &v) && !v.constant);
    assert_int_equal(*(int32_t *)sass_lab_at(&lab, v.addr), 32);
    sass_lab_close(&lab);
}

static uint32_t reversed(uint32_t v)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static int32_t switched(int32_t op, int32_t x, int32_t y)
{
    uint32_t u = (uint32_t)x;

    switch (op) {
    case 0:
        return (int32_t)(u + (uint32_t)y);
    case 1:
        return (int32_t)(u - (uint32_t)y);
    case 2:
        return (int32_t)(u * (uint32_t)y);
    case 3:
        return x / (y | 1);
    case 4:
        return x % (y | 1);
    case 5:
        return __builtin_popcount(u) ^ y;
    case 6:
        return (u != 0 ? __builtin_clz(u) : 32) + y;
    case 7:
        return (int32_t)(u << (y & 31));
    case 8:
        return (int32_t)reversed(u);
    case 9:
        return __builtin_ffs(x);
    default:
        return -1;
    }
}

static void switches_jump_through_tables(void **state)
{
    enum { N = 200 };
    uint64_t seed = 10;
    int32_t op[N], x[N], y[N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        op[i] = (int32_t)(sass_lab_random(&seed) % 11);
        x[i] = (int32_t)sass_lab_random(&seed);
        y[i] = (int32_t)(sass_lab_random(&seed) % 2000) - 1000;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(op));
        sass_lab_kernel(&lab, "sw");
        sass_lab_pointer(&lab, sass_lab_put(&lab, op, sizeof(op)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, y, sizeof(y)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 2, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], switched(op[i], x[i], y[i]));
    }
}

/* Lanes of a warp that wait for a lock of another lane need independent thread scheduling. */
static void spin_locks_make_progress(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t lock = sass_lab_put(&lab, NULL, 4), count = sass_lab_put(&lab, NULL, 4);
        sass_lab_kernel(&lab, "spinlock");
        sass_lab_pointer(&lab, lock);
        sass_lab_pointer(&lab, count);
        sass_lab_int(&lab, 64);
        sass_lab_must_run(&lab, 2, 64, 0);
        assert_int_equal(*(int32_t *)sass_lab_at(&lab, count), 128);
    }
}

/* A warp that polls in shared memory what another one of its block is to write gives up its turn: otherwise each would
 * use up a long turn for each of those before it. */
static void a_polling_warp_gives_up_its_turn(void **state)
{
    enum { WARPS = 8, ROUNDS = 40, ALL = WARPS * ROUNDS, ENOUGH = 1 << 20 };
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "polls")
    {
        uint64_t order = sass_lab_put(&lab, NULL, 4 * ALL);
        sass_lab_kernel(&lab, "relay");
        sass_lab_pointer(&lab, order);
        sass_lab_int(&lab, ROUNDS);
        sass_lab_must_run(&lab, 1, 32 * WARPS, 0);
        for (int32_t i = 0; i < ALL; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, order))[i], WARPS - 1 - i % WARPS);
        assert_true(lab.totals.warp_insts < ENOUGH);
    }
}

static void parts_of_a_warp_synchronise(void **state)
{
    int32_t in[32];
    uint32_t ballot = 0;
    sass_lab_t lab;

    (void)state;
    for (int32_t i = 0; i < 32; i++) {
        in[i] = i * 37 % 100;
        if (i >= 16)
            ballot += (uint32_t)(in[i] & 1) << i;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "warpsync");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t v = (uint32_t)in[i] + (i < 16 ? (uint32_t)in[i ^ 1] : ballot);
            assert_int_equal(((uint32_t *)sass_lab_at(&lab, out))[i], v + 0xffffffffu);
        }
    }
}

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x < y ? -1 : x > y;
}

/* Lanes that have left a loop meet the others at a barrier of the warp that is behind it. */
static void lanes_meet_at_different_places(void **state)
{
    const int32_t trips[] = {3, 11};
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "waits")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "uneven");
        sass_lab_pointer(&lab, sass_lab_put(&lab, trips, sizeof(trips)));
        sass_lab_int(&lab, 11);
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int32_t i = 0; i < 32; i++) {
            int32_t n = trips[i / 16];
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i],
                             100 * n * (n - 1) / 2 + n * (i ^ 1));
        }
    }
}

/* Makes a NOP of the WARPSYNC before each BAR, which nvcc 11 does not write. */
static void bar_without_warpsync(sass_lab_t *lab)
{
    enum { INST_BYTES = 16, OPCODE = 0xfff, BAR = 0xb1d, WARPSYNC = 0x948 };
    const sass_code_t nop = {0x7918, 0xfc00000000000};
    uint8_t *code = lab->file + (lab->kernel->code - lab->file);
    unsigned n = 0;

    for (size_t at = INST_BYTES; at < lab->kernel->code_bytes; at += INST_BYTES) {
        uint64_t before, inst;
        memcpy(&before, code + at - INST_BYTES, sizeof(before));
        memcpy(&inst, code + at, sizeof(inst));
        if ((inst & OPCODE) != BAR)
            continue;
        assert_int_equal(before & OPCODE, WARPSYNC);
        memcpy(code + at - INST_BYTES, &nop, sizeof(nop));
        n++;
    }
    assert_int_equal(n, 1);
}

/* Lanes that have left a loop meet the others behind it once, and wait for them in a barrier of the
 * block while those leave the loop. */
static void lanes_that_left_a_loop_are_not_waited_for(void **state)
{
    const int32_t trips[] = {3, 4}, more[] = {1, 0};
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "early", 75);
    uint64_t out = sass_lab_put(&lab, NULL, 128);
    sass_lab_kernel(&lab, "early");
    bar_without_warpsync(&lab);
    sass_lab_pointer(&lab, sass_lab_put(&lab, trips, sizeof(trips)));
    sass_lab_pointer(&lab, sass_lab_put(&lab, more, sizeof(more)));
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, 1, 32, 0);
    for (int32_t i = 0; i < 32; i++) {
        int32_t lane = 31 - i, n = trips[lane / 16];
        assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], 100 * n * (n - 1) / 2 + n * lane);
    }
    sass_lab_close(&lab);
}

/* Once many blocks of a launch are found to spin, the others do not have to spin for long. */
static void blocks_of_a_plain_launch_may_wait_for_each_other(void **state)
{
    enum { BLOCKS = 1000, N = BLOCKS * 32, ENOUGH = 32 << 20 };
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "waits")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 4 * N);
        sass_lab_kernel(&lab, "barrier_of_all");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * N));
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, BLOCKS, 32, 0);
        for (int32_t i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], BLOCKS - 1 - i / 32);
        assert_true(lab.totals.warp_insts < ENOUGH);
    }
}

/* Lanes that enter a region again leave the lanes that wait for them at its end. */
static void loops_with_two_ways_round_end(void **state)
{
    enum { LISTS = 64, HALF = 20, ROOM = LISTS * 2 * HALF + HALF };
    int32_t *in = calloc(2 * ROOM, sizeof(*in)), starts[LISTS + 1];
    uint64_t seed = 8;
    sass_lab_t lab;

    (void)state;
    starts[0] = 0;
    for (unsigned i = 0; i < LISTS; i++) /* in pairs of numbers; some have no second run */
        starts[i + 1] = starts[i] + (int32_t)(sass_lab_random(&seed) % (2 * HALF + 1));
    for (unsigned i = 0; i < LISTS; i++) {
        int32_t n = starts[i + 1] - starts[i], first = n < HALF ? n : HALF;
        for (int32_t k = 2 * starts[i]; k < 2 * starts[i + 1]; k++)
            in[k] = (int32_t)(sass_lab_random(&seed) % 1000);
        qsort(in + 2 * starts[i], (size_t)(2 * first), sizeof(*in), compare_ints);
        qsort(in + 2 * (starts[i] + first), (size_t)(2 * (n - first)), sizeof(*in), compare_ints);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "merge")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 2 * ROOM * sizeof(*in));
        sass_lab_kernel(&lab, "merge");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, 2 * ROOM * sizeof(*in)));
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, sass_lab_put(&lab, starts, sizeof(starts)));
        sass_lab_int(&lab, HALF);
        sass_lab_int(&lab, LISTS);
        sass_lab_must_run(&lab, 1, LISTS, 0);
        const int32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < LISTS; i++)
            for (int32_t k = 2 * starts[i] + 1; k < 2 * starts[i + 1]; k++)
                assert_true(got[k - 1] <= got[k]);
    }
    free(in);
}

/* Every block waits for all others, twice. */
static void blocks_of_a_grid_wait_for_each_other(void **state)
{
    enum { N = 5000, BLOCKS = 520, THREADS = 64 };
    int32_t *in = calloc(N, sizeof(*in)), sum = 0;
    sass_lab_t lab;

    (void)state;
    for (int32_t i = 0; i < N; i++)
        sum += in[i] = i % 13;
    SASS_LAB_FOR_EACH_ARCH(lab, "cooperative")
    {
        uint64_t out = sass_lab_put(&lab, NULL, 4 + 4 * BLOCKS * THREADS);
        lab.workspace = sass_lab_put(&lab, NULL, 512);
        sass_lab_kernel(&lab, "grid_sum");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, N * sizeof(*in)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * BLOCKS));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, BLOCKS, THREADS, 0);
        const int32_t *got = sass_lab_at(&lab, out);
        assert_int_equal(got[0], sum);
        for (int32_t i = 0; i < BLOCKS * THREADS; i++)
            assert_int_equal(got[1 + i], sum + i / THREADS);
        lab.workspace = 0; /* the kernel traps because it was not launched cooperatively */
        sass_lab_kernel(&lab, "grid_sum");
        for (unsigned i = 0; i < 3; i++)
            sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, 0);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL),
            RB_TRACE);
        assert_int_equal(lab.totals.fault, EMU_FAULT_TRAP);
    }
    free(in);
}

/* Virtual functions, which lanes call through tables: one of them calls another. */
static void virtual_functions_are_called(void **state)
{
    enum { N = 200 };
    int32_t which[N], in[N];
    uint64_t seed = 43;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        which[i] = (int32_t)(sass_lab_random(&seed) % 3);
        in[i] = (int32_t)(sass_lab_random(&seed) % 1000);
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "virtual")
    {
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(in));
        sass_lab_kernel(&lab, "apply_rules");
        sass_lab_pointer(&lab, sass_lab_put(&lab, which, sizeof(which)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, sizeof(in)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, 2, 128, 0);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], which[i] == 0   ? in[i] + 7
                                                                     : which[i] == 1 ? in[i] * 3
                                                                                     : in[i] * 81);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_different_length_converge),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(levels_of_a_recursion_wait_apart),
        cmocka_unit_test(switches_jump_through_tables),
        cmocka_unit_test(spin_locks_make_progress),
        cmocka_unit_test(lanes_meet_at_different_places),
        cmocka_unit_test(lanes_that_left_a_loop_are_not_waited_for),
        cmocka_unit_test(blocks_of_a_plain_launch_may_wait_for_each_other),
        cmocka_unit_test(a_polling_warp_gives_up_its_turn),
        cmocka_unit_test(parts_of_a_warp_synchronise),
        cmocka_unit_test(loops_with_two_ways_round_end),
        cmocka_unit_test(blocks_of_a_grid_wait_for_each_other),
        cmocka_unit_test(virtual_functions_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
