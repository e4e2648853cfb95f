/* Distances between SMs and slices: the mean does not change, the ends are far, the middle is
 * not. */
#include <math.h>
#include <string.h>

#include "sim/parts/distance.h"
#include "tests/support/sim/lab.h"

static int32_t both_ways(const distance_t *d, uint32_t sm, uint32_t slice)
{
    return distance_there(d, sm, slice) + distance_back(d, sm, slice);
}

typedef struct {
    double mean, deviation;
} spread_t;

static spread_t spread_of(const distance_t *d, uint32_t sm)
{
    double sum = 0, squares = 0;
    for (uint32_t s = 0; s < d->n_slices; s++) {
        double beyond = both_ways(d, sm, s);
        sum += beyond;
        squares += beyond * beyond;
    }
    double mean = sum / d->n_slices;
    return (spread_t){mean, sqrt(squares / d->n_slices - mean * mean)};
}

static void the_mean_of_all_pairs_stays(void **state)
{
    static const uint32_t chips[][4] = {/* cycles, columns, SMs, slices */
                                        {54, 3, 80, 64}, {54, 3, 80, 48}, {512, 64, 7, 1024},
                                        {33, 1, 1, 1},   {100, 2, 2, 3},  {1, 5, 68, 44}};
    (void)state;
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        const uint32_t *c = chips[i];
        distance_t d;
        int64_t sum = 0;
        distance_init(&d, c[0], c[1], c[2], c[3]);
        for (uint32_t sm = 0; sm < c[2]; sm++)
            for (uint32_t s = 0; s < c[3]; s++)
                sum += both_ways(&d, sm, s);
        assert_true(fabs((double)sum / (c[2] * c[3])) <= 0.5);
    }
}

/* Jin 2024, V100: standard deviations of 13.9 and 7.5 cycles, means 4 cycles apart. */
static void ends_and_middle_are_as_on_a_v100(void **state)
{
    enum { AT_AN_END = 0, IN_THE_MIDDLE = 2, AT_THE_OTHER_END = 4 };
    distance_t d;

    (void)state;
    distance_init(&d, 54, 3, 80, 64);
    spread_t end = spread_of(&d, AT_AN_END), middle = spread_of(&d, IN_THE_MIDDLE);
    spread_t other = spread_of(&d, AT_THE_OTHER_END);
    assert_true(fabs(end.deviation - 13.9) < 0.7);
    assert_true(fabs(middle.deviation - 7.5) < 0.7);
    assert_true(end.mean - middle.mean > 3 && end.mean - middle.mean < 7);
    assert_true(fabs(end.mean - other.mean) < 0.2);
    for (uint32_t s = 0; s < 64; s++) {
        assert_int_equal(both_ways(&d, 0, s), both_ways(&d, 1, s));
        assert_int_equal(both_ways(&d, 0, s), both_ways(&d, 6, s));
        assert_int_equal(both_ways(&d, 0, s), both_ways(&d, 4, 63 - s));
    }
}

static void without_a_distance_all_are_equally_far(void **state)
{
    distance_t d;

    (void)state;
    distance_init(&d, 0, 3, 80, 64);
    distance_range_t r = distance_range(&d);
    assert_int_equal(r.least, 0);
    assert_int_equal(r.most, 0);
}

static void the_range_holds_every_way(void **state)
{
    distance_t d;

    (void)state;
    distance_init(&d, 77, 3, 30, 24);
    distance_range_t r = distance_range(&d);
    for (uint32_t sm = 0; sm < 30; sm++) {
        for (uint32_t s = 0; s < 24; s++) {
            int32_t there = distance_there(&d, sm, s), back = distance_back(&d, sm, s);
            assert_true(there >= r.least && back <= r.most && (back == there || back == there + 1));
        }
    }
    assert_true(r.least < 0 && r.most > 0);
}

static void a_distance_that_leaves_no_flight_is_refused(void **state)
{
    gpu_spec_t spec = lab_spec("v100", NULL);
    rb_err_t err = {0};

    (void)state;
    spec.mem.icnt.distance = 512;
    assert_int_equal(gpu_spec_check(&spec, &err), RB_CONFIG);
    assert_non_null(strstr(err.text, "icnt.distance = 512"));
    /* The window is that of the nearest pair. */
    spec.mem.icnt.distance = 54;
    assert_int_equal(gpu_spec_check(&spec, &err), RB_OK);
    distance_t d;
    gpu_spec_distance(&spec, &d);
    assert_int_equal(gpu_spec_window(&spec),
                     (int32_t)spec.mem.icnt.request_latency + distance_range(&d).least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_all_pairs_stays),
        cmocka_unit_test(ends_and_middle_are_as_on_a_v100),
        cmocka_unit_test(without_a_distance_all_are_equally_far),
        cmocka_unit_test(the_range_holds_every_way),
        cmocka_unit_test(a_distance_that_leaves_no_flight_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
