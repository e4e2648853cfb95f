/*
 * Laws of runs whose launches overlap: nothing depends on threads and windows, sums are exact, and a
 * run that continues from a checkpoint is the run without one.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/files/memory_file.h"
#include "tests/support/sim/overlap_lab.h"

static told_t told, other;

static void nothing_depends_on_threads_or_windows(void **state)
{
    (void)state;
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{1, 1}, {1, 3}, {2, 0}, {4, 7}, {3, 0}};
    gpu_spec_t spec =
        LAB_SPEC("v100", "gpu.concurrent_launches=3", "warmup.mode=keep", "sm.count=6",
                 "mem.partitions=2", "l2.slices=4", "l2.size=384KiB", "gpu.launch_gap=90");
    char want[SHA256_TEXT], got[SHA256_TEXT];
    program_t p;
    program_mixed(&p);
    program_run(&spec, &p, &told);
    lab_hash(&told.results, want);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        program_run_with(&spec, &p, &(run_plan_t){.first = 1}, ways[i].threads, ways[i].window,
                         &other);
        lab_hash(&other.results, got);
        assert_string_equal(got, want);
        assert_memory_equal(other.time, told.time, told.n * sizeof(told.time[0]));
    }
    program_end(&p);
}

/* Counters of launches that overlap are shares; together they are all that was counted. */
static void the_sums_are_exact(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", "icache.perfect=true", "const.perfect=true",
                               "warmup.mode=keep", "gpu.concurrent_launches=128", "sm.count=6",
                               "mem.partitions=2", "l2.slices=4", "l2.size=384KiB");
    gpu_spec_t serial = spec;
    serial.gpu.concurrent_launches = 1;
    program_t p;
    uint64_t insts[2] = {0}, threads[2] = {0}, blocks[2] = {0}, states = 0, slots = 0;
    program_mixed(&p);
    program_run(&spec, &p, &told);
    lab_run(&serial, synth_source(p.s), 1, 0, &other.results);
    assert_int_equal(told.results.n, p.n);
    for (size_t i = 0; i < p.n; i++) {
        const lab_results_t *all[] = {&told.results, &other.results};
        for (unsigned k = 0; k < 2; k++) {
            insts[k] += all[k]->launch[i].sm.warp_insts;
            blocks[k] += all[k]->launch[i].sm.blocks;
        }
        states += lab_state_sum(&told.results.launch[i].sm);
        slots += told.results.launch[i].warp_slot_cycles;
    }
    assert_int_equal(insts[0], insts[1]);
    assert_int_equal(threads[0], threads[1]);
    assert_int_equal(blocks[0], blocks[1]);
    assert_int_equal(states, slots);
    /* launch latency is counted once, where several launches wait at the same time */
    uint64_t latency = 0, cycles_of_all = 0;
    for (size_t i = 0; i < p.n; i++) {
        latency += told.results.launch[i].launch_cycles;
        cycles_of_all = cycle_max(cycles_of_all, told.results.launch[i].end);
    }
    assert_true(latency < cycles_of_all);
    program_end(&p);
}

/* --- checkpoints ----------------------------------------------------------------------------- */

enum { MAX_IMAGES = 16 };

/* The chip at a point of a run, and how many launches were reported before. */
typedef struct {
    char *data;
    size_t bytes, launches;
} image_t;

typedef struct {
    told_t told; /* first: the callbacks of a program expect it */
    gpu_t *gpu;
    image_t image[MAX_IMAGES];
    size_t n;
} saved_run_t;

static rb_code_t save(void *ctx, rb_err_t *err)
{
    saved_run_t *s = ctx;
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);
    assert_true(s->n < MAX_IMAGES);
    const rb_code_t rc = gpu_save(s->gpu, out, err);
    image_t *image = &s->image[s->n++];
    image->data = memory_file_close(&memory, &image->bytes);
    image->launches = s->told.results.n;
    return rc;
}

static rb_code_t load(gpu_t *gpu, const image_t *image, cycle_t end, rb_err_t *err)
{
    FILE *in = fmemopen(image->data, image->bytes, "r");
    assert_non_null(in);
    const rb_code_t rc = gpu_load(gpu, in, end, err);
    fclose(in);
    return rc;
}

static void copy_at(program_t *p, uint64_t stream, stream_op_kind_t kind, uint64_t addr)
{
    stream_builder_add(&p->b, stream,
                       (stream_op_t){.kind = (uint8_t)kind, .bytes = 300000, .addr = addr});
}

/* Four phases of three streams, with copies through the L2; the host waits between them. In the last
 * phase, launches wait for a copy. */
static void phases(program_t *p)
{
    program_begin(p);
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t addr = UINT64_C(0x7f1000000000) + 40000 * i;
        copy_at(p, 1, STREAM_OP_TO_DEVICE, addr);
        copy_at(p, 4, STREAM_OP_FROM_DEVICE, addr + 200000);
        program_copy(p, 4, STREAM_OP_FROM_DEVICE, 700);
        if (i == 3)
            stream_builder_host_stream(&p->b, 1);
        program_streaming(p, 1, 14, 6);
        program_streaming(p, 2, 20, 5 + i);
        program_chain(p, 3, 12, 96, 40, 2048);
        program_chain(p, 3, 7, 64, 120, 0);
        stream_builder_host_all(&p->b);
    }
}

static rb_code_t run_on(gpu_t *gpu, program_t *p, told_t *out, saved_run_t *saved, rb_err_t *err)
{
    const run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = program_callbacks(out);
    if (saved != NULL)
        callbacks.at_rest = save;
    synth_order(p->s, &p->b.graph);
    return gpu_run(gpu, synth_source(p->s), &plan, &callbacks, err);
}

static saved_run_t whole;

/* Runs the program and keeps the chip at each point where it is at rest. */
static void run_and_save(const gpu_spec_t *spec, program_t *p)
{
    rb_err_t err = {0};
    memset(&whole, 0, sizeof(whole));
    whole.gpu = gpu_create(spec, 1, 0);
    if (run_on(whole.gpu, p, &whole.told, &whole, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(whole.gpu);
}

static void free_images(void)
{
    for (size_t i = 0; i < whole.n; i++)
        free(whole.image[i].data);
}

static cycle_t last_end(const image_t *image)
{
    return whole.told.results.launch[image->launches - 1].end;
}

static gpu_spec_t small_chip(const char *setting)
{
    return LAB_SPEC("v100", "gpu.concurrent_launches=3", "warmup.mode=keep", "sm.count=6",
                    "mem.partitions=2", "l2.slices=4", "l2.size=384KiB", setting);
}

/* From every checkpoint, on any number of threads and with any window, the rest is what it was. */
static void continue_from_checkpoints(const char *setting)
{
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{1, 0}, {2, 0}, {3, 5}};
    const gpu_spec_t spec = small_chip(setting);
    program_t p;
    phases(&p);
    run_and_save(&spec, &p);
    assert_int_equal(whole.told.results.n, p.n);
    assert_true(whole.n >= 3);
    for (size_t i = 0; i < whole.n * 3; i++) {
        const image_t *image = &whole.image[i / 3];
        rb_err_t err = {0};
        gpu_t *gpu = gpu_create(&spec, ways[i % 3].threads, ways[i % 3].window);
        memset(&other, 0, sizeof(other));
        if (load(gpu, image, last_end(image), &err) != RB_OK ||
            run_on(gpu, &p, &other, NULL, &err) != RB_OK)
            fail_msg("%s", err.text);
        gpu_destroy(gpu);
        assert_int_equal(image->launches + other.results.n, p.n);
        assert_memory_equal(other.results.launch, &whole.told.results.launch[image->launches],
                            other.results.n * sizeof(other.results.launch[0]));
        assert_int_equal(other.n, whole.told.n);
        assert_memory_equal(other.time, whole.told.time, other.n * sizeof(other.time[0]));
        assert_memory_equal(&other.copies, &whole.told.copies, sizeof(other.copies));
    }
    free_images();
    program_end(&p);
}

/* Also if the last writes wait before they are drained: the pause between launches is longer; and if the
 * pause between two dispatches lasts into the next launch. */
static void a_run_continues_from_a_checkpoint(void **state)
{
    (void)state;
    continue_from_checkpoints("dram.write_wait=0");
    continue_from_checkpoints("dram.write_wait=500");
    continue_from_checkpoints("sched.dispatch_interval=9000");
}

/* What the L2 fetches, for launches and for copies, is what the DRAM reads; requests of the launches are
 * those of the L2. */
static void the_memory_serves_launches_and_copies(void **state)
{
    const gpu_spec_t spec = small_chip("dram.write_wait=500");
    program_t p;
    (void)state;
    phases(&p);
    program_run(&spec, &p, &told);
    const copy_counters_t *c = &told.copies;
    uint64_t fills = c->l2.fills, reads = c->dram.read_sectors, missed = 0, asked = 0;
    uint64_t back = c->l2.writebacks, written = c->dram.write_sectors;
    for (size_t i = 0; i < told.results.n; i++) {
        const launch_result_t *r = &told.results.launch[i];
        fills += r->l2.fills;
        reads += r->dram.read_sectors;
        back += r->l2.writebacks;
        written += r->dram.write_sectors;
        asked += r->l2.read_sectors - r->l2.inst_sectors;
        missed += r->sm.global_load_sectors - r->sm.global_load_hits;
    }
    assert_true(c->l2.fills > 0 && fills > c->l2.fills);
    assert_int_equal(reads, fills);
    assert_true(written > 0);
    assert_int_equal(written, back);
    assert_int_equal(asked, missed);
    program_end(&p);
}

/* Bytes of a checkpoint that are changed or missing: refused, or a run that ends. */
static void an_impossible_checkpoint_is_refused(void **state)
{
    const gpu_spec_t spec = small_chip("dram.write_wait=500");
    program_t p;
    unsigned refused = 0, tried = 0;
    (void)state;
    phases(&p);
    run_and_save(&spec, &p);
    image_t *image = &whole.image[0];
    const size_t graph = sizeof(uint64_t) * (12 + 5 * p.b.graph.n); /* its head and operations */
    for (size_t back = 4; back < graph; back += 52) {
        char *at = &image->data[image->bytes - back], kept = *at;
        rb_err_t err = {0};
        gpu_t *gpu = gpu_create(&spec, 1, 0);
        memset(&other, 0, sizeof(other));
        *at = (char)(kept ^ 0x15);
        rb_code_t rc = load(gpu, image, last_end(image), &err);
        if (rc == RB_OK)
            rc = run_on(gpu, &p, &other, NULL, &err);
        assert_true(rc == RB_OK || rc == RB_TRACE);
        refused += rc == RB_TRACE;
        tried++;
        gpu_destroy(gpu);
        *at = kept;
    }
    assert_true(refused > tried / 2);
    for (size_t missing = 1; missing < graph; missing += 97) {
        const image_t part = {image->data, image->bytes - missing, image->launches};
        rb_err_t err = {0};
        gpu_t *gpu = gpu_create(&spec, 1, 0);
        memset(&other, 0, sizeof(other));
        rb_code_t rc = load(gpu, &part, last_end(image), &err);
        if (rc == RB_OK)
            rc = run_on(gpu, &p, &other, NULL, &err);
        assert_int_equal(rc, RB_TRACE);
        gpu_destroy(gpu);
    }
    free_images();
    program_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_depends_on_threads_or_windows),
        cmocka_unit_test(the_sums_are_exact),
        cmocka_unit_test(a_run_continues_from_a_checkpoint),
        cmocka_unit_test(the_memory_serves_launches_and_copies),
        cmocka_unit_test(an_impossible_checkpoint_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
