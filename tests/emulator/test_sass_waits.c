/*
 * Warps that wait for what others write, from the emulator to the cycles of the model: their polls are
 * recorded once, and the model repeats them until the write has been performed. So the same program
 * takes about as long whichever block writes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/emulator/record/launch_pipe.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "frontend/tool/run/results/run_waits.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/sim/lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

enum { BLOCKS = 10, THREADS = 32, WORK = 300 };

/* What was recorded of a launch. */
typedef struct {
    rbt_writer_t *writer;
    uint64_t insts, waits, timed;
    uint64_t left_out; /* index of a block that is not written; UINT64_MAX: none */
} seen_t;

static rb_code_t on_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    seen_t *seen = ctx;

    seen->insts += block->n_insts;
    seen->waits += block->n_waits;
    for (uint32_t i = 0; i < block->n_waits; i++)
        seen->timed += block->waits[i].n_words > 0;
    return block->index == seen->left_out ? RB_OK : rbt_writer_block(seen->writer, block, err);
}

/* Executes the launch of the lab and writes it to x.rbt. */
static seen_t record(sass_lab_t *lab, uint32_t blocks, uint32_t threads, uint64_t left_out)
{
    const rbt_writer_options_t options = {.overwrite = true};
    const launch_info_t info = {.id = 1,
                                .trace_id = 1,
                                .name = lab->kernel->name,
                                .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .regs = lab->kernel->regs,
                                .shared_bytes = lab->kernel->shared_bytes,
                                .arch = 75,
                                .shared_base = EMU_SHARED_BASE,
                                .local_base = EMU_LOCAL_BASE,
                                .n_blocks = blocks};
    seen_t seen = {.left_out = left_out};
    rb_err_t err = {0};

    seen.writer = rbt_writer_create(temp_path("x.rbt"), &options, &err);
    assert_non_null(seen.writer);
    assert_int_equal(rbt_writer_launch(seen.writer, &info, 1, NULL, NULL, &err), RB_OK);
    if (sass_lab_run(lab, info.grid, info.block, 0, on_block, &seen) != RB_OK)
        fail_msg("%s", lab->err.text);
    assert_int_equal(rbt_writer_launch_end(seen.writer, &err), RB_OK);
    assert_int_equal(rbt_writer_finish(seen.writer, &err), RB_OK);
    return seen;
}

/* Simulates x.rbt. */
static launch_result_t simulate(int threads, cycle_t window)
{
    static lab_results_t results;
    const gpu_spec_t spec = lab_spec("rtx2060", NULL);
    trace_source_t *source = rbt_lab_open(temp_path("x.rbt"));

    results = (lab_results_t){0};
    lab_run(&spec, source, threads, window, &results);
    source->ops->destroy(source);
    assert_int_equal(results.n, 1);
    return results.launch[0];
}

static uint64_t cycles_of(const launch_result_t *r)
{
    return r->end - r->start;
}

/* Records flag() or sleepy(), with the flag set by block `from`. */
static seen_t record_flag(const char *kernel, int32_t from, uint64_t left_out)
{
    sass_lab_t lab;

    sass_lab_open(&lab, "spins", 75);
    sass_lab_kernel(&lab, kernel);
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 1024));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * BLOCKS));
    sass_lab_int(&lab, from);
    sass_lab_int(&lab, WORK);
    const seen_t seen = record(&lab, BLOCKS, THREADS, left_out);
    sass_lab_close(&lab);
    return seen;
}

static seen_t record_warps(int32_t from)
{
    enum { WARPS = 8 };
    sass_lab_t lab;

    sass_lab_open(&lab, "spins", 75);
    sass_lab_kernel(&lab, "warps");
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 1024));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_int(&lab, from);
    sass_lab_int(&lab, WORK);
    const seen_t seen = record(&lab, 2, WARPS * THREADS, UINT64_MAX);
    sass_lab_close(&lab);
    return seen;
}

static void assert_near(uint64_t got, uint64_t want)
{
    const uint64_t apart = got > want ? got - want : want - got;

    if (apart * 20 > want)
        fail_msg("%llu, not about %llu", (unsigned long long)got, (unsigned long long)want);
}

static void polls_are_recorded_once(void **state)
{
    enum { POLLS = 24 * BLOCKS };
    const seen_t first = record_flag("flag", 0, UINT64_MAX);

    (void)state;
    assert_int_equal(first.waits, BLOCKS - 1);
    assert_int_equal(first.timed, BLOCKS - 1);
    for (int32_t from = 1; from < BLOCKS; from += 4) {
        const seen_t seen = record_flag("flag", from, UINT64_MAX);
        assert_int_equal(seen.waits, BLOCKS - 1);
        assert_int_equal(seen.timed, BLOCKS - 1);
        assert_in_range(seen.insts, first.insts, first.insts + POLLS);
    }
    /* A word that is taken is written, too; who takes it waits until it is free. */
    assert_int_equal(record_flag("taken", BLOCKS - 1, UINT64_MAX).timed, BLOCKS);
}

static void cycles_do_not_depend_on_the_block_that_writes(void **state)
{
    static const char *const kernels[] = {"flag", "plain", "sleepy"};

    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        record_flag(kernels[k], 0, UINT64_MAX);
        const launch_result_t first = simulate(1, 0);
        assert_true(first.sm.wait_repeats > BLOCKS);
        for (int32_t from = 1; from < BLOCKS; from += 4) {
            record_flag(kernels[k], from, UINT64_MAX);
            const launch_result_t r = simulate(1, 0);
            assert_near(cycles_of(&r), cycles_of(&first));
            assert_int_equal(r.sm.waits_given_up, 0);
        }
    }
}

static void nor_on_the_warp_that_writes(void **state)
{
    (void)state;
    record_warps(0);
    const launch_result_t first = simulate(1, 0);
    assert_true(first.sm.wait_repeats > 0);
    for (int32_t from = 1; from < 8; from += 3) {
        record_warps(from);
        const launch_result_t r = simulate(1, 0);
        assert_near(cycles_of(&r), cycles_of(&first));
    }
}

/* Those that wait wait for the work of the one that writes. */
static void waits_last_until_the_write(void **state)
{
    (void)state;
    record_flag("flag", BLOCKS - 1, BLOCKS - 1);
    const launch_result_t alone = simulate(1, 0);
    assert_int_equal(alone.sm.waits_given_up, BLOCKS - 1); /* nobody writes: it ends nevertheless */
    record_flag("flag", 0, UINT64_MAX);
    const launch_result_t r = simulate(1, 0);
    assert_true(cycles_of(&r) > (uint64_t)WORK * 30);
    assert_true(cycles_of(&r) < (uint64_t)WORK * 300);
}

static launch_result_t simulate_lock(uint32_t blocks, int threads, cycle_t window)
{
    sass_lab_t lab;

    sass_lab_open(&lab, "spins", 75);
    sass_lab_kernel(&lab, "lock");
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    const uint64_t number = sass_lab_put(&lab, NULL, 4);
    sass_lab_pointer(&lab, number);
    sass_lab_int(&lab, 4);
    record(&lab, blocks, 1, UINT64_MAX);
    assert_int_equal(*(int32_t *)sass_lab_at(&lab, number), 4 * blocks);
    sass_lab_close(&lab);
    return simulate(threads, window);
}

/* A lock is held by one warp at a time, in any order. */
static void locks_exclude(void **state)
{
    (void)state;
    const launch_result_t one = simulate_lock(1, 1, 0), four = simulate_lock(4, 1, 0),
                          eight = simulate_lock(8, 1, 0);

    assert_int_equal(one.sm.wait_repeats, 0);
    assert_true(eight.sm.wait_repeats > four.sm.wait_repeats);
    assert_true(cycles_of(&four) - cycles_of(&one) > 2 * (cycles_of(&one) - 5000));
    assert_true(cycles_of(&eight) - cycles_of(&four) > 2 * (cycles_of(&one) - 5000));
}

static void threads_and_windows_do_not_matter(void **state)
{
    (void)state;
    const launch_result_t whole = simulate_lock(8, 1, 0);
    for (int i = 0; i < 3; i++) {
        const launch_result_t r = simulate(1 + i, i == 0 ? 1 : i == 1 ? 3 : 0);
        assert_int_equal(r.end, whole.end);
        assert_memory_equal(&r.sm, &whole.sm, sizeof(r.sm));
        assert_memory_equal(&r.l2, &whole.l2, sizeof(r.l2));
    }
}

/* A loop that reads one place again and again and ends by itself does not wait: all is recorded. */
static void loops_that_count_are_recorded(void **state)
{
    enum { STEPS = 100 };
    uint64_t insts[3];

    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        sass_lab_t lab;
        sass_lab_open(&lab, "spins", 75);
        sass_lab_kernel(&lab, "rereads");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        sass_lab_int(&lab, STEPS * (i + 1));
        sass_lab_int(&lab, 1);
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        const seen_t seen = record(&lab, 2, THREADS, UINT64_MAX);
        sass_lab_close(&lab);
        assert_int_equal(seen.waits, 0);
        insts[i] = seen.insts;
    }
    assert_true(insts[1] - insts[0] >= 2 * 3 * STEPS);
    assert_int_equal(insts[2] - insts[1], insts[1] - insts[0]);
}

/* Makes the branch around the read of the loop a guard of the read, as in products of cuBLAS. */
static void guard_the_read(sass_lab_t *lab)
{
    enum { INST_BYTES = 16, OPCODE = 0xfff, LDG = 0x981, BRA = 0x947 };
    const uint64_t guard = UINT64_C(15) << 12, never = UINT64_C(15) << 12;
    uint8_t *code = lab->file + (lab->kernel->code - lab->file);
    size_t at = INST_BYTES;
    uint64_t around, read;

    do {
        memcpy(&around, code + at - INST_BYTES, sizeof(around));
        memcpy(&read, code + at, sizeof(read));
        at += INST_BYTES;
    } while ((around & OPCODE) != BRA || (read & OPCODE) != LDG);
    read = (read & ~guard) | ((around & guard) ^ UINT64_C(8) << 12);
    around = (around & ~guard) | never;
    memcpy(code + at - 2 * INST_BYTES, &around, sizeof(around));
    memcpy(code + at - INST_BYTES, &read, sizeof(read));
}

/* Blocks that take turns last as long as all of their turns, one after another. */
static void turns_add_up(void **state)
{
    uint64_t cycles[2][3];

    (void)state;
    for (unsigned guarded = 0; guarded < 2; guarded++)
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t blocks = 4u << i;
            sass_lab_t lab;
            sass_lab_open(&lab, "spins", 75);
            sass_lab_kernel(&lab, "turns");
            if (guarded)
                guard_the_read(&lab);
            sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
            sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
            const seen_t seen = record(&lab, blocks, THREADS, UINT64_MAX);
            sass_lab_close(&lab);
            assert_int_equal(seen.timed, blocks - 1);
            const launch_result_t r = simulate(1, 0);
            assert_int_equal(r.sm.waits_given_up, 0);
            cycles[guarded][i] = cycles_of(&r);
        }
    for (unsigned guarded = 0; guarded < 2; guarded++) {
        const uint64_t four = cycles[guarded][1] - cycles[guarded][0];
        assert_true(four > 4 * 400); /* each reads the turn and the number in the L2 */
        assert_near(cycles[guarded][2] - cycles[guarded][1], 2 * four);
    }
    assert_near(cycles[1][2], cycles[0][2]);
}

/* A launch that is sent through a pipe while it is executed. */
typedef struct {
    sass_lab_t *lab;
    launch_pipe_writer_t *pipe;
    rb_code_t rc;
} sent_t;

static rb_code_t send_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    return launch_pipe_block(((sent_t *)ctx)->pipe, block, err);
}

static void *send(void *ctx)
{
    sent_t *s = ctx;
    const emu_code_t *code;
    rb_err_t err = {0};
    const launch_info_t info = {.id = 1,
                                .trace_id = 1,
                                .name = s->lab->kernel->name,
                                .grid = {4, 1, 1},
                                .block = {1, 1, 1},
                                .regs = s->lab->kernel->regs,
                                .arch = 75,
                                .shared_base = EMU_SHARED_BASE,
                                .local_base = EMU_LOCAL_BASE,
                                .n_blocks = 4};

    s->pipe = launch_pipe_open(temp_path("fifo"), &err);
    s->rc = s->pipe == NULL ? RB_IO : emu_module_code(&s->lab->module, s->lab->kernel, &code, &err);
    if (s->rc == RB_OK)
        s->rc = launch_pipe_launch(s->pipe, &info, code->static_code, code->n_insts, NULL, &err);
    if (s->rc == RB_OK)
        s->rc = sass_lab_run(s->lab, info.grid, info.block, 0, send_block, s);
    if (s->rc == RB_OK)
        s->rc = launch_pipe_launch_end(s->pipe, &err);
    if (s->rc == RB_OK)
        s->rc = launch_pipe_finish(s->pipe, &err);
    return NULL;
}

/* A program that is simulated as it runs takes as long as its trace. */
static void programs_wait_as_traces_do(void **state)
{
    const launch_result_t whole = simulate_lock(4, 1, 0);
    const gpu_spec_t spec = lab_spec("rtx2060", NULL);
    static lab_results_t results;
    sass_lab_t lab;
    pthread_t thread;

    (void)state;
    sass_lab_open(&lab, "spins", 75);
    sass_lab_kernel(&lab, "lock");
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_int(&lab, 4);
    sent_t sent = {.lab = &lab};
    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, send, &sent), 0);
    const int fd = open(temp_path("fifo"), O_RDONLY);
    assert_true(fd >= 0);
    trace_source_t *source = launch_pipe_source(fd, "the program");
    lab_run(&spec, source, 2, 0, &results);
    pthread_join(thread, NULL);
    assert_int_equal(sent.rc, RB_OK);
    const wait_loop_t *loops;
    assert_int_equal(source->ops->waits(source, &loops), 1);
    assert_int_equal(loops[0].n, 16);
    source->ops->destroy(source);
    sass_lab_close(&lab);
    assert_int_equal(results.n, 1);
    assert_int_equal(results.launch[0].end, whole.end);
    assert_memory_equal(&results.launch[0].sm, &whole.sm, sizeof(whole.sm));
}

/* run.json and rubato info name the loop and count its waits. */
static void loops_are_named(void **state)
{
    json_t j;
    char *text;
    size_t bytes;

    (void)state;
    record_flag("flag", 3, UINT64_MAX);
    trace_source_t *source = rbt_lab_open(temp_path("x.rbt"));
    FILE *out = open_memstream(&text, &bytes);
    json_init(&j, out);
    json_begin_object(&j, NULL);
    run_waits_json(source, &j);
    json_end(&j);
    fclose(out);
    source->ops->destroy(source);
    assert_non_null(strstr(text, "\"kernel\": \"flag\""));
    assert_non_null(strstr(text, "\"waits\": 9"));
    assert_non_null(strstr(text, "\"end_at_first_poll\": 0"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(polls_are_recorded_once),
        TEST(cycles_do_not_depend_on_the_block_that_writes),
        TEST(nor_on_the_warp_that_writes),
        TEST(waits_last_until_the_write),
        TEST(locks_exclude),
        TEST(threads_and_windows_do_not_matter),
        TEST(loops_that_count_are_recorded),
        TEST(turns_add_up),
        TEST(loops_are_named),
        TEST(programs_wait_as_traces_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
