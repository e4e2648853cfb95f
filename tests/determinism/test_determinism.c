/*
 * Neither the number of threads nor the window may be observable: every counter of every launch is
 * the same, bit for bit.
 */
#include <stdio.h>
#include <string.h>

#include "sim/core/sanitizer.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

/* Sanitizers look for races and bad accesses: two ways are enough for them. */
#if RB_THREAD_SANITIZER || RB_ADDRESS_SANITIZER
static const int thread_counts[] = {3};
static const cycle_t windows[] = {0, 1};
#else
static const int thread_counts[] = {1, 2, 3, 8};
static const cycle_t windows[] = {0, 1, 3};
#endif

/* Prints the counters that differ. */
static void explain(const launch_result_t *a, const launch_result_t *b)
{
    const uint64_t *x = (const uint64_t *)(const void *)&a->sm;
    const uint64_t *y = (const uint64_t *)(const void *)&b->sm;

    if (a->end - a->start != b->end - b->start)
        print_message("launch %llu: %llu and %llu cycles\n", (unsigned long long)a->info.id,
                      (unsigned long long)(a->end - a->start),
                      (unsigned long long)(b->end - b->start));
    for (size_t i = 0; i < SM_STAT_COUNT; i++)
        if (x[i] != y[i])
            print_message("launch %llu: %s is %llu and %llu\n", (unsigned long long)a->info.id,
                          sm_stat_defs[i].name, (unsigned long long)x[i], (unsigned long long)y[i]);
}

static void check_same(const gpu_spec_t *spec, synth_t *s)
{
    static lab_results_t first, other;
    char want[SHA256_TEXT], got[SHA256_TEXT];

    lab_run(spec, synth_source(s), 1, 0, &first);
    assert_true(first.n > 0);
    lab_hash(&first, want);
    for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
        for (size_t t = 0; t < sizeof(thread_counts) / sizeof(thread_counts[0]); t++) {
            lab_run(spec, synth_source(s), thread_counts[t], windows[w], &other);
            lab_hash(&other, got);
            if (strcmp(got, want) == 0)
                continue;
            assert_int_equal(first.n, other.n);
            for (size_t i = 0; i < first.n; i++)
                explain(&first.launch[i], &other.launch[i]);
            fail_msg("%d threads with window %llu differ from one thread", thread_counts[t],
                     (unsigned long long)windows[w]);
        }
    }
}

#define SMALL                                                                                      \
    "sm.count=6", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB", "gpu.launch_latency=700"

static void threads_and_windows_do_not_show_on_volta(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    synth_t *s = mix_create(1);

    (void)state;
    check_same(&spec, s);
    synth_destroy(s);
}

/* Another ratio of clocks, uneven numbers of parts, distances between SMs and slices, other
 * policies. */
static void threads_and_windows_do_not_show_on_an_uneven_chip(void **state)
{
    gpu_spec_t spec = LAB_SPEC(
        "v100", "sm.count=5", "mem.partitions=3", "l2.slices=6", "l2.size=576KiB",
        "sm.scheduler=gto", "gpu.launch_latency=0", "icnt.request_latency=17", "icnt.distance=19",
        "icnt.columns=2", "icnt.reply_latency=23", "sched.dispatch_latency=11",
        "sched.completion_latency=13", "l1.replacement=random", "l2.replacement=bip",
        "l1.prefetcher=stride", "l1.write=allocate", "warmup.mode=flush");
    synth_t *s = mix_create(1);

    (void)state;
    check_same(&spec, s);
    synth_destroy(s);
}

/* Small buffers everywhere: every queue fills and every credit counts. */
static void threads_and_windows_do_not_show_under_back_pressure(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=8", "mem.partitions=1", "l2.slices=2", "l2.size=192KiB",
                 "l2.mshrs=8", "l2.mshr_merge=2", "dram.queue=4", "l1.mshrs=8", "l1.miss_queue=2",
                 "l1.pending_loads=8", "sm.mem_queue=2", "gpu.launch_latency=100");
    synth_t *s = mix_create(1);

    (void)state;
    check_same(&spec, s);
    synth_destroy(s);
}

/* Dependences by control words, of any value, with and without back pressure. */
static void threads_and_windows_do_not_show_with_control_words(void **state)
{
    gpu_spec_t plain = LAB_SPEC("v100", SMALL);
    gpu_spec_t tight = LAB_SPEC("t4", "sm.count=8", "mem.partitions=1", "l2.slices=2",
                                "l2.size=256KiB", "l2.mshrs=8", "l1.mshrs=8", "l1.miss_queue=2",
                                "l1.pending_loads=8", "sm.mem_queue=2", "gpu.launch_latency=100");

    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++) {
        synth_t *s = mix_create(1);

        synth_control_scramble(s, seed);
        check_same(seed == 0 ? &plain : &tight, s);
        synth_destroy(s);
    }
}

/* --- Arithmetic between barriers, and beside memory instructions ------------------------------- */

enum { LOOP = 60, ROUNDS = 6, LANES_FULL = SYNTH_FULL_MASK };

/* Loops of different length, so that the sub-cores reach the barriers at different times; some
 * warps have little to do and wait with an empty instruction buffer. */
static void uneven_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t mix = synth_mix(w->global * ROUNDS + round);
        for (uint64_t i = 0; i < mix % 4; i++)
            synth_emit_span(w, 0, mix >> 8 & 1 ? LOOP : LOOP / 3);
        synth_emit(w, LOOP, (uint32_t)LANES_FULL);
    }
    synth_emit(w, LOOP + 1, (uint32_t)LANES_FULL);
}

/* The instructions of uneven_body()'s loops. */
static void loop_put(synth_kernel_t *k)
{
    static const char *const code[][3] = {
        {"FFMA", "R4", "R4 R5 R6"}, {"IADD3", "R7", "R7 R4 R8"},   {"DADD", "R10", "R10 R12"},
        {"MUFU.RCP", "R14", "R4"},  {"FMUL", "R15", "R14 R7"},     {"LOP3.LUT", "R16", "R15 R7"},
        {"IMAD", "R17", "R16 R4"},  {"IMAD.WIDE", "R18", "R4 R5"}, {"HFMA2", "R20", "R20 R4"},
        {"FADD", "R21", "R21 R17"},
    };
    const size_t n = sizeof(code) / sizeof(code[0]);
    for (unsigned i = 0; i + 1 < LOOP; i++)
        synth_code(k, code[i % n][0], code[i % n][1], code[i % n][2]);
    synth_code(k, "BRA", "", "");
}

static synth_t *uneven_create(void)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "uneven", &(synth_shape_t){.arch = 70, .grid = {12}, .block = {320}, .regs = 32});
    loop_put(k);
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, uneven_body, NULL);
    return s;
}

/* Some warps of each sub-core have long loops, while others use the load/store unit for many cycles: 32
 * lines that the L1 has, shared memory with conflicts, stores. */
static void beside_memory_body(synth_warp_t *w, const void *ctx)
{
    enum { LANES = 32, LINE = 128, SUB_CORES = 4 };
    uint64_t lines[LANES], words[LANES];
    (void)ctx;
    for (uint64_t l = 0; l < LANES; l++) {
        lines[l] = 0x7f0000000000 + l * LINE;
        words[l] = l * LINE;
    }
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t mix = synth_mix(w->global * ROUNDS + round);
        if (w->warp / SUB_CORES % 2 == 0 || mix % 4 == 0) {
            synth_emit_span(w, 0, LOOP);
            continue;
        }
        synth_emit_list(w, LOOP, (uint32_t)LANES_FULL, lines);
        synth_emit(w, LOOP + 1, (uint32_t)LANES_FULL);
        synth_emit_list(w, LOOP + 2, (uint32_t)LANES_FULL, words);
        synth_emit_span(w, LOOP + 3, 2);
        synth_emit_list(w, LOOP + 5, (uint32_t)LANES_FULL, lines);
        synth_emit(w, LOOP + 6, (uint32_t)LANES_FULL);
    }
    synth_emit(w, LOOP + 7, (uint32_t)LANES_FULL);
}

static synth_t *beside_memory_create(void)
{
    static const char *const code[][3] = {
        {"LDG.E.SYS", "R24", "R2"},
        {"FADD", "R25", "R24 R25"},
        {"LDS.U", "R26", "R15"},
        {"S2R", "R27", ""},
        {"FADD", "R28", "R26 R27"},
        {"STG.E.SYS", "", "R2 R28"},
        {"BRA", "", ""},
        {"EXIT", "", ""},
    };
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "beside memory",
        &(synth_shape_t){.arch = 70, .grid = {12}, .block = {512}, .regs = 32, .shared = 32 * 128});
    loop_put(k);
    for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
        synth_code(k, code[i][0], code[i][1], code[i][2]);
    synth_kernel_body(k, beside_memory_body, NULL);
    return s;
}

/* In windows of one cycle no sub-core runs ahead. */
static void running_ahead_does_not_show(void **state)
{
    const gpu_spec_t specs[] = {
        LAB_SPEC("v100", SMALL),
        LAB_SPEC("v100", SMALL, "sm.barrier_latency=1", "sm.barrier_interval=0"),
        LAB_SPEC("v100", SMALL, "icache.l0_size=1KiB", "icache.l0_ways=1", "sm.barrier_latency=2"),
        LAB_SPEC("rtx2060", SMALL, "sm.fp64_shared=true", "sm.scheduler=two_level",
                 "sm.scheduler_group=2"),
        LAB_SPEC("v100", SMALL, "sm.scheduler=lrr", "icache.prefetch=0", "icache.buffer=0"),
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(specs) / sizeof(specs[0]); i++) {
        synth_t *s = i % 2 == 0 ? uneven_create() : beside_memory_create();
        check_same(&specs[i / 2], s);
        synth_control_scramble(s, i);
        check_same(&specs[i / 2], s);
        synth_destroy(s);
    }
}

/* A second run in the same process and on the same source gives the same results. */
static void a_second_run_is_equal_to_the_first(void **state)
{
    static lab_results_t a, b;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    char x[SHA256_TEXT], y[SHA256_TEXT];

    (void)state;
    for (int i = 0; i < 2; i++) {
        synth_t *s = mix_create(1);

        lab_run(&spec, synth_source(s), 2, 0, i ? &b : &a);
        lab_hash(i ? &b : &a, i ? y : x);
        synth_destroy(s);
    }
    assert_string_equal(x, y);
}

/* The hash notices a difference of a single cycle, so the comparison above can fail. */
static void a_latency_of_one_cycle_more_changes_the_hash(void **state)
{
    static lab_results_t a, b;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    gpu_spec_t slower = spec;
    char x[SHA256_TEXT], y[SHA256_TEXT];
    synth_t *s = mix_create(1);

    (void)state;
    slower.mem.l2.latency++;
    lab_run(&spec, synth_source(s), 1, 0, &a);
    lab_run(&slower, synth_source(s), 1, 0, &b);
    lab_hash(&a, x);
    lab_hash(&b, y);
    assert_string_not_equal(x, y);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_windows_do_not_show_on_volta),
        cmocka_unit_test(threads_and_windows_do_not_show_on_an_uneven_chip),
        cmocka_unit_test(threads_and_windows_do_not_show_under_back_pressure),
        cmocka_unit_test(threads_and_windows_do_not_show_with_control_words),
        cmocka_unit_test(running_ahead_does_not_show),
        cmocka_unit_test(a_second_run_is_equal_to_the_first),
        cmocka_unit_test(a_latency_of_one_cycle_more_changes_the_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
