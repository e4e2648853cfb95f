/* Workloads whose blocks or launches differ on purpose: where, and by how much, in closed form. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/input/gen_trial.h"
#include "tests/support/test.h"

enum { LINE = 128, KIB = 1024 };

/* A launch that is read block by block. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
    launch_info_t info;
} reading_t;

static reading_t start_reading(trace_source_t *s, uint64_t id)
{
    reading_t r = {.source = s};

    assert_int_equal(s->ops->launch_info(s, id, &r.info, NULL), RB_OK);
    assert_int_equal(s->ops->open(s, id, &r.launch, NULL), RB_OK);
    return r;
}

/* Also destroys the source. */
static void end_reading(reading_t *r)
{
    r->source->ops->close(r->launch);
    r->source->ops->destroy(r->source);
}

static trace_block_t *block_of(reading_t *r, uint64_t index)
{
    trace_block_t *b = NULL;

    assert_int_equal(r->source->ops->get_block(r->launch, index, &b, NULL), RB_OK);
    assert_non_null(b);
    return b;
}

/* Address of lane 0 in record n of a warp. */
static uint64_t address(const trace_block_t *b, unsigned warp, unsigned n)
{
    const uint64_t *rec = b->warps[warp].addrs;
    uint64_t lane[32];

    while (n-- > 0)
        rec += addr_words(rec);
    (void)stream_lanes(rec, lane);
    return lane[0];
}

static uint64_t insts_of(reading_t *r, uint64_t index)
{
    trace_block_t *b = block_of(r, index);
    uint64_t n = b->n_insts;

    r->source->ops->free_block(r->launch, b);
    return n;
}

/* --- other data, or other code ----------------------------------------------------------------- */

/* The first line that a block sums, after its look-up of the window's length. */
static uint64_t first_line(reading_t *r, uint64_t index)
{
    trace_block_t *b = block_of(r, index);
    uint64_t addr = address(b, 0, 1);

    r->source->ops->free_block(r->launch, b);
    return addr;
}

/* A block of 32 lines begins at the start of a small window of 8. */
static void phases_read_two_kinds_of_data(void **state)
{
    static const struct {
        const char *period, *first;
        uint64_t small; /* bits of blocks 0 .. 7 */
    } cases[] = {
        {"period=0", "first=0", 0x0f}, {"period=0", "first=1", 0xf0}, {"period=1", "first=0", 0x55},
        {"period=3", "first=0", 0xc7}, {"period=3", "first=1", 0x38},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading_t r = start_reading(
            GEN_OPEN("phases", 70, 8 * 256, "loads=4", "small=1", cases[i].period, cases[i].first),
            1);
        uint64_t lowest = UINT64_MAX;

        for (uint64_t b = 0; b < 8; b++)
            if (first_line(&r, b) < lowest)
                lowest = first_line(&r, b);
        for (uint64_t b = 0; b < 8; b++) {
            bool small = first_line(&r, b) < lowest + KIB;

            assert_int_equal(small, cases[i].small >> b & 1);
            if (!small) /* behind the small one; 8 warps, 4 lines each */
                assert_int_equal(first_line(&r, b), lowest + KIB + LINE * 8 * 4 * b);
            assert_int_equal(insts_of(&r, b), insts_of(&r, 0));
        }
        end_reading(&r);
    }
}

static void phases_may_differ_in_code(void **state)
{
    stream_counts_t data = GEN_COUNT("phases", 2048, "loads=4", "small=1");
    stream_counts_t code = GEN_COUNT("phases", 2048, "loads=4", "small=1", "code=1");

    (void)state;
    assert_int_equal(data.opcode[OP_MUFU], 0);
    assert_int_equal(code.opcode[OP_MUFU], 32 * 4);
    assert_int_equal(data.opcode[OP_LOAD_LG], 64 * (1 + 4));
    assert_int_equal(code.opcode[OP_LOAD_LG], 64 + 32 * 4);
}

/* Farthest place, in bytes from the nearest, that a block looks up. */
static uint64_t reach(reading_t *r, uint64_t index)
{
    trace_block_t *b = block_of(r, index);
    uint64_t low = UINT64_MAX, high = 0;

    for (unsigned warp = 0; warp < b->n_warps; warp++)
        for (unsigned k = 0; k < 50; k++) {
            uint64_t at = address(b, warp, 2 * k + 1); /* each after that of its index */

            low = at < low ? at : low;
            high = at > high ? at : high;
        }
    r->source->ops->free_block(r->launch, b);
    return high - low;
}

static void the_looked_up_part_of_a_table_drifts(void **state)
{
    reading_t r = start_reading(
        GEN_OPEN("gather", 70, 100 * 256, "loads=50", "lines=1", "from=64", "to=1064"), 1);

    (void)state;
    for (uint64_t b = 0; b < 100; b += 33) {
        uint64_t want = (64 + 10 * b) * KIB; /* 400 places: the farthest are close to the ends */

        assert_in_range(reach(&r, b), want * 95 / 100, want);
    }
    end_reading(&r);
}

static void look_ups_may_be_atomic_and_hot(void **state)
{
    stream_counts_t loads = GEN_COUNT("gather", 2560, "loads=10", "from=4000");
    stream_counts_t atomics = GEN_COUNT("gather", 2560, "loads=10", "from=4000", "atomic=1");
    stream_counts_t hot = GEN_COUNT("gather", 2560, "loads=10", "from=16", "hot=100");

    (void)state;
    assert_int_equal(loads.lanes[OP_LOAD_LG], 2 * 25600);
    assert_int_equal(atomics.lanes[OP_LOAD_LG], 25600);
    assert_int_equal(atomics.lanes[OP_ATOM_LG], 25600);
    assert_int_equal(atomics.opcode[OP_STORE_LG], 0);
    /* a sixteenth of 16 KiB: 32 sectors, of which 32 random words touch 20 or 21 */
    assert_in_range(hot.load_sectors, 800 * (4 + 20), 800 * (4 + 21));
}

/* --- other lengths ----------------------------------------------------------------------------- */

/* Steps of all blocks, from the loads of their four warps. */
static uint64_t steps_of(const stream_counts_t *c)
{
    return (c->opcode[OP_LOAD_LG] - 2 * 4 * c->blocks) / 4;
}

static void few_segments_are_longer(void **state)
{
    stream_counts_t last =
        GEN_COUNT("segments", 1000, "steps=5", "spread=0", "share=30", "ratio=20", "order=2");
    stream_counts_t one = GEN_COUNT("segments", 999, "steps=5", "spread=0", "ratio=100", "order=3");
    stream_counts_t random =
        GEN_COUNT("segments", 4000, "steps=5", "spread=0", "share=100", "ratio=11");

    (void)state;
    assert_int_equal(steps_of(&last), 970 * 5 + 30 * 100);
    assert_int_equal(steps_of(&one), 998 * 5 + 500);
    assert_in_range(steps_of(&random), 4000 * 5 * 1.8, 4000 * 5 * 2.2);
}

static void segments_stand_in_the_order_asked_for(void **state)
{
    static const struct {
        const char *order;
        uint64_t longest;
    } cases[] = {{"order=1", 0}, {"order=2", 100}, {"order=3", 50}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading_t r = start_reading(
            GEN_OPEN("segments", 70, 101, "steps=100", "spread=100", "tail=2", cases[i].order), 1);

        /* lengths fall on both sides of the longest */
        for (uint64_t b = 0; b + 1 < 101; b++)
            assert_int_equal(insts_of(&r, b) > insts_of(&r, b + 1), b >= cases[i].longest);
        end_reading(&r);
    }
}

/* With tail=2 one in x is sqrt(x) times as long: the mean of n is about twice the shortest, and the
 * longest sqrt(2 n) times the shortest. */
static void tails_are_power_laws(void **state)
{
    enum { N = 10000 };
    reading_t r =
        start_reading(GEN_OPEN("segments", 70, N, "steps=100", "spread=0", "tail=2", "order=2"), 1);
    double shortest = (double)insts_of(&r, 0), longest = (double)insts_of(&r, N - 1);
    double quarter = (double)insts_of(&r, N - N / 4), sum = 0;

    (void)state;
    for (uint64_t b = 0; b < N; b++)
        sum += (double)insts_of(&r, b);
    assert_in_range(1000 * longest / shortest, 1000 * 0.97 * sqrt(N), 1000 * sqrt(N));
    assert_in_range(1000 * quarter / shortest, 1940, 2000);
    assert_in_range(1000 * sum / N / shortest, 1930, 2000);
    end_reading(&r);
}

static void arithmetic_comes_in_groups(void **state)
{
    stream_counts_t none = GEN_COUNT("segments", 10, "steps=7", "spread=0");
    stream_counts_t some = GEN_COUNT("segments", 10, "steps=7", "spread=0", "math=10");

    (void)state;
    assert_int_equal(some.opcode[OP_FP32] - none.opcode[OP_FP32], 10 * 4 * 7 * 12);
    assert_int_equal(none.load_sectors, 10 * 4 * (7 * 4 + 2));
}

static void blocks_read_their_data_again(void **state)
{
    stream_counts_t c = GEN_COUNT("reread", 10, "kib=3", "passes=7");

    (void)state;
    assert_int_equal(c.load_sectors, 10 * 3 * 7 * KIB / 32);
    assert_int_equal(c.store_sectors, 10 * KIB / 32);
    assert_int_equal(c.highest_address - c.lowest_address + 1, 10 * (3 + 1) * KIB);
}

/* Independent of the generator: floating point, and z before c. */
static uint64_t escape(double re, double im, uint64_t most)
{
    double x = 0, y = 0;
    uint64_t n = 1;

    for (; n < most && x * x + y * y <= 4; n++) {
        double next = x * x - y * y + re;

        y = 2 * x * y + im;
        x = next;
    }
    return n;
}

static void pixels_iterate_until_they_escape(void **state)
{
    enum { SIDE = 100, MOST = 60 };
    stream_counts_t c = GEN_COUNT("mandelbrot", SIDE, "iterations=60");
    uint64_t want = 0, got = c.lanes[OP_FP32_SETP];

    (void)state;
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            want += escape(-2 + 2.5 * x / SIDE, -1.25 + 2.5 * y / SIDE, MOST);
    assert_in_range(got, want - SIDE * SIDE - want / 200, want + want / 200);
    assert_int_equal(c.lanes[OP_STORE_LG], SIDE * SIDE);
}

static void a_cell_reads_six_neighbours(void **state)
{
    stream_counts_t c = GEN_COUNT("stencil3d", 50, "planes=7", "steps=3");

    (void)state;
    assert_int_equal(c.lanes[OP_LOAD_LG], 3 * 7 * 48 * 48 * 5);
    assert_int_equal(c.lanes[OP_STORE_LG], 3 * 48 * 48 * 5);
}

static void a_warp_multiplies_a_row(void **state)
{
    stream_counts_t c = GEN_COUNT("matvec", 99, "columns=301");

    (void)state;
    assert_int_equal(c.lanes[OP_LOAD_LG], 99 * 2 * 304 / 4);
    assert_int_equal(c.lanes[OP_FP32], 99 * (304 + 5 * 32));
    assert_int_equal(c.lanes[OP_STORE_LG], 99);
}

/* --- programs ---------------------------------------------------------------------------------- */

/* Rows that a request may ask for, about: from the first to the farthest of the 400 that its warps
 * begin with. */
static uint64_t rows_of(trace_source_t *s, uint64_t request)
{
    reading_t r = start_reading(s, 2 * request + 1);
    uint64_t low = UINT64_MAX, high = 0;

    for (uint64_t i = 0; i < r.info.n_blocks; i++) {
        trace_block_t *b = block_of(&r, i);

        for (unsigned warp = 0; warp < b->n_warps; warp++) {
            uint64_t at = address(b, warp, 1);

            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        s->ops->free_block(r.launch, b);
    }
    s->ops->close(r.launch);
    return (high - low) / 512 + 1;
}

static void slow_requests_are_of_equal_size(void **state)
{
    enum { REQUESTS = 500 };
    trace_source_t *s = GEN_OPEN("lookups", 70, REQUESTS, "cold=40", "first=3");
    stream_counts_t first = gen_trial_launch(s, 1), later = gen_trial_launch(s, 101);
    unsigned slow = 0;

    (void)state;
    assert_int_equal(s->ops->n_launches(s), 2 * REQUESTS);
    assert_int_equal(first.warp_insts, later.warp_insts);
    assert_int_equal(first.load_sectors, later.load_sectors);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        uint64_t rows = rows_of(s, i);

        assert_true(rows <= 512 || rows > 200000);
        assert_true(i >= 3 || rows > 200000);
        slow += rows > 512;
    }
    assert_in_range(slow, 12, 36); /* 23 are expected */
    s->ops->destroy(s);
}

static void requests_drift_and_some_are_giants(void **state)
{
    trace_source_t *s = GEN_OPEN("lookups", 70, 300, "cold=0", "drift=900", "share=50", "ratio=7");
    unsigned giants = 0;

    (void)state;
    assert_in_range(rows_of(s, 150), 0.95 * 512 * 5.5, 512 * 5.5);
    assert_in_range(rows_of(s, 299), 0.95 * 512 * 10, 512 * 10);
    for (uint64_t i = 0; i < 300; i++) {
        launch_info_t info;

        assert_int_equal(s->ops->launch_info(s, 2 * i + 1, &info, NULL), RB_OK);
        assert_true(info.n_blocks == 100 || info.n_blocks == 700);
        giants += info.n_blocks == 700;
    }
    assert_in_range(giants, 5, 27); /* 15 are expected */
    s->ops->destroy(s);
}

static void an_iteration_of_the_solver_has_eight_launches(void **state)
{
    static const char *const names[] = {"spmv_scalar", "dot", "reduce_smem", "axpy",
                                        "axpy",        "dot", "reduce_smem", "axpy"};
    trace_source_t *s = GEN_OPEN("solver", 70, 1000, "iterations=3");

    (void)state;
    assert_int_equal(s->ops->n_launches(s), 24);
    for (uint64_t id = 1; id <= 24; id++) {
        launch_info_t info;

        assert_int_equal(s->ops->launch_info(s, id, &info, NULL), RB_OK);
        assert_string_equal(info.name, names[(id - 1) % 8]);
    }
    stream_counts_t dot = gen_trial_launch(s, 2), sum = gen_trial_launch(s, 3);
    stream_counts_t axpy = gen_trial_launch(s, 4);

    assert_int_equal(dot.lanes[OP_LOAD_LG], 2 * 1000);
    assert_int_equal(dot.lanes[OP_LOAD_SH], 4 * 8);
    assert_int_equal(dot.lanes[OP_STORE_LG], 4);
    assert_int_equal(sum.lanes[OP_LOAD_LG], 4);
    assert_int_equal(axpy.lanes[OP_STORE_LG], 1000);
    assert_int_equal(axpy.load_sectors, 2 * 125 + 32);
    s->ops->destroy(s);
}

/* Down: two steps and a transfer on each of two grids; eight steps on the last; up the same. */
static void a_cycle_goes_down_and_up(void **state)
{
    static const uint64_t sides[] = {64, 64, 32, 32, 32,  16, 16, 16,  16, 16,
                                     16, 16, 16, 16, 132, 32, 32, 164, 64, 64};
    trace_source_t *s = GEN_OPEN("multigrid", 70, 64, "levels=3", "cycles=2");

    (void)state;
    assert_int_equal(s->ops->n_launches(s), 2 * 20);
    for (uint64_t id = 1; id <= 40; id++) {
        uint64_t side = sides[(id - 1) % 20]; /* above 100: a transfer up, in pairs of cells */
        uint64_t stores = side > 100 ? (side - 100) * (side - 100) / 2 : side * side;

        assert_int_equal(gen_trial_launch(s, id).lanes[OP_STORE_LG], stores);
    }
    s->ops->destroy(s);
}

static void attention_grows_with_the_text(void **state)
{
    trace_source_t *s = GEN_OPEN("decode", 70, 4, "width=64", "layers=2", "heads=4",
                                 "vocabulary=1000", "prompt=10");

    (void)state;
    assert_int_equal(s->ops->n_launches(s), 4 * (2 * 10 + 3));
    for (uint64_t token = 0; token < 4; token++) {
        uint64_t first = 23 * token + 1;

        assert_int_equal(gen_trial_launch(s, first).lanes[OP_STORE_LG], 64);
        assert_int_equal(gen_trial_launch(s, first + 1).lanes[OP_STORE_LG], 3 * 64);
        assert_int_equal(gen_trial_launch(s, first + 2).lanes[OP_STORE_LG], 4 * (11 + token));
        assert_int_equal(gen_trial_launch(s, first + 13).lanes[OP_STORE_LG], 4 * (11 + token));
        assert_int_equal(gen_trial_launch(s, first + 21).lanes[OP_STORE_LG], 1000);
        assert_int_equal(gen_trial_launch(s, first + 21).lanes[OP_LOAD_LG], 1000 * 2 * 16);
    }
    s->ops->destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_read_two_kinds_of_data),
        cmocka_unit_test(phases_may_differ_in_code),
        cmocka_unit_test(the_looked_up_part_of_a_table_drifts),
        cmocka_unit_test(look_ups_may_be_atomic_and_hot),
        cmocka_unit_test(few_segments_are_longer),
        cmocka_unit_test(segments_stand_in_the_order_asked_for),
        cmocka_unit_test(tails_are_power_laws),
        cmocka_unit_test(arithmetic_comes_in_groups),
        cmocka_unit_test(blocks_read_their_data_again),
        cmocka_unit_test(pixels_iterate_until_they_escape),
        cmocka_unit_test(a_cell_reads_six_neighbours),
        cmocka_unit_test(a_warp_multiplies_a_row),
        cmocka_unit_test(slow_requests_are_of_equal_size),
        cmocka_unit_test(requests_drift_and_some_are_giants),
        cmocka_unit_test(an_iteration_of_the_solver_has_eight_launches),
        cmocka_unit_test(a_cycle_goes_down_and_up),
        cmocka_unit_test(attention_grows_with_the_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
