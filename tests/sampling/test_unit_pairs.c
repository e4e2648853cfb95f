/* Units inside launches that two runs measured: their file, and the change as pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/change/unit_pairs.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"
#include "tests/support/sim/lab.h"
#include "tests/support/temp_folder.h"

enum { CHOSEN = 12, FOLLOWED = 6, BLOCKS = 12000, REPLAYS = 400 };

/* Cycles of a warp instruction; how much a unit of b differs from the change; both relative. */
typedef struct {
    double spread, noise, change;
} truth_t;

static const stat_form_t cycles = {.num = {.term = {{VALUE_CYCLES, 1}}, .n = 1}};

/* A unit that stands for `weight` instructions; its rate has the launch's spread and its own. */
static measured_unit_t unit(uint64_t of, uint64_t last, double rate, double weight)
{
    const double at = (double)(of * (BLOCKS / CHOSEN));
    measured_unit_t u = {.of = of,
                         .last = last,
                         .resume = (uint64_t)at,
                         .stratum_end = (last + 1) * (BLOCKS / CHOSEN),
                         .begin = at + 1.5,
                         .end = at + 100,
                         .weight = weight,
                         .insts = 1e5,
                         .measured.cycles = 1e5 * rate};
    u.measured.counter[0] = (double)of;
    return u;
}

static launch_units_t units(size_t n)
{
    return (launch_units_t){.launch = 1,
                            .code = 2,
                            .blocks = BLOCKS,
                            .choice = 3,
                            .chosen = CHOSEN,
                            .l2_bytes = 1 << 20,
                            .unit = rb_calloc(n, sizeof(measured_unit_t)),
                            .n = n};
}

/* Run a measures all units, run b every other one. Returns the change of the launch in truth, of which each unit is
 * a sample. */
static double draw(launch_units_t *a, launch_units_t *b, const truth_t *t, rng_t *rng)
{
    *a = units(CHOSEN);
    *b = units(FOLLOWED);
    a->counted.cycles = b->counted.cycles = 1e5; /* ramp and tail */
    double of_a = 1e5, of_b = 1e5;
    for (size_t i = 0; i < CHOSEN; i++) {
        const double rate = 1 + t->spread * (2 * rng_unit(rng) - 1);
        double own = 0; /* 12 uniform numbers have variance 1 */
        for (unsigned k = 0; k < 12; k++)
            own += rng_unit(rng) - 0.5;
        const double rate_b = rate * (1 + t->change) * (1 + t->noise * own);
        a->unit[i] = unit(i, i, rate, 9e5);
        a->counted.cycles += a->unit[i].measured.cycles;
        of_a += 1e6 * rate;
        of_b += 1e6 * rate * (1 + t->change);
        if (i % 2 == 1)
            continue;
        b->unit[i / 2] = unit(i, i + 1, rate_b, 1.9e6);
        b->counted.cycles += b->unit[i / 2].measured.cycles;
    }
    return of_b / of_a - 1;
}

static void free_both(launch_units_t *a, launch_units_t *b)
{
    free(a->unit);
    free(b->unit);
}

static change_t change_of(const launch_units_t *a, const launch_units_t *b)
{
    unit_pairs_t *p = unit_pairs_create(0.95);
    assert_null(unit_pairs_add(p, a, b));
    const change_t c = unit_pairs_change(p, &cycles, &cycles, CHANGE_RELATIVE);
    unit_pairs_free(p);
    return c;
}

/* Lengths that differ by 30 % do not matter, only what changes otherwise than the rest. */
static void intervals_hold_and_are_narrow(void **state)
{
    static const truth_t truths[] = {{0.3, 0.02, 0.1}, {0.3, 0.02, 0}, {0.1, 0.05, -0.4}};
    rng_t rng = rng_make(5, 1);
    (void)state;
    for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++) {
        unsigned covered = 0;
        double width = 0;
        for (unsigned r = 0; r < REPLAYS; r++) {
            launch_units_t a, b;
            const double truth = draw(&a, &b, &truths[i], &rng);
            const change_t c = change_of(&a, &b), back = change_of(&b, &a);
            covered += c.low <= truth && truth <= c.high;
            width += (c.high - c.low) / 2 / REPLAYS;
            lab_assert_near((1 + c.change) * (1 + back.change), 1, 1e-9, "there and back");
            free_both(&a, &b);
        }
        assert_in_range(covered, 94 * REPLAYS / 100, REPLAYS);
        /* t times the noise of six units, and what pairs do not show */
        assert_true(width < 2 * truths[i].noise + 0.02);
    }
}

/* A program of two such launches that change differently, one that both runs simulated completely, and one of which only
 * the second run left out a part. */
static void the_launches_of_a_program_add_up(void **state)
{
    static const truth_t truths[] = {{0.3, 0.02, 0.1}, {0.1, 0.03, -0.2}};
    const double whole = 4e6, error = 1e5;
    rng_t rng = rng_make(9, 1);
    unsigned covered = 0;
    double width = 0;
    (void)state;
    for (unsigned r = 0; r < REPLAYS; r++) {
        double values[2][STAT_VALUES] = {0}, of_a = 2 * whole, of_b = 2 * whole;
        unit_pairs_t *p = unit_pairs_create(0.95);
        for (size_t i = 0; i < 2; i++) {
            launch_units_t a, b;
            const double change = draw(&a, &b, &truths[i], &rng);
            /* What run a measured is all of its launch: 10 times the units' cycles, and ramp and tail. */
            double cycles_a = 1e5;
            for (size_t k = 0; k < CHOSEN; k++)
                cycles_a += 10 * a.unit[k].measured.cycles;
            of_a += cycles_a;
            of_b += cycles_a * (1 + change);
            assert_null(unit_pairs_add(p, &a, &b));
            free_both(&a, &b);
        }
        double own = 0;
        for (unsigned k = 0; k < 12; k++)
            own += rng_unit(&rng) - 0.5;
        values[0][VALUE_CYCLES] = values[1][VALUE_CYCLES] = whole;
        unit_pairs_add_apart(p, values[0], values[1], 0, 0);
        values[1][VALUE_CYCLES] += error * own;
        unit_pairs_add_apart(p, values[0], values[1], 0, error * error);
        assert_int_equal(unit_pairs_launches(p), 2);
        const change_t c = unit_pairs_change(p, &cycles, &cycles, CHANGE_RELATIVE);
        const double truth = of_b / of_a - 1;
        covered += c.low <= truth && truth <= c.high;
        width += (c.high - c.low) / 2 / REPLAYS;
        /* Other statistics have no interval where a launch is no pair. */
        const stat_form_t other = {.num = {.term = {{VALUE_COUNTERS, 1}}, .n = 1}};
        assert_non_null(unit_pairs_change(p, &other, &other, CHANGE_POINTS).reason);
        unit_pairs_free(p);
    }
    assert_in_range(covered, 94 * REPLAYS / 100, REPLAYS);
    assert_true(width < 0.04);
}

static void equal_changes_leave_what_pairs_do_not_show(void **state)
{
    static const truth_t t = {.spread = 0.3, .change = 0.25};
    rng_t rng = rng_make(6, 1);
    launch_units_t a, b;
    (void)state;
    draw(&a, &b, &t, &rng);
    const change_t c = change_of(&a, &b);
    assert_true(c.low < c.change && c.change < c.high);
    assert_true(c.high - c.low < 0.04);
    assert_string_equal(c.method, "paired units");
    free_both(&a, &b);
}

static void expect_none(launch_units_t *a, const launch_units_t *b, const char *reason)
{
    unit_pairs_t *p = unit_pairs_create(0.95);
    const char *why = unit_pairs_add(p, a, b);
    assert_non_null(why);
    assert_int_equal(unit_pairs_launches(p), 0);
    if (strstr(why, reason) == NULL)
        fail_msg("'%s' does not say '%s'", why, reason);
    unit_pairs_free(p);
}

static void what_is_no_pair_says_why(void **state)
{
    static const truth_t t = {.spread = 0.3};
    rng_t rng = rng_make(7, 1);
    launch_units_t a, b;
    (void)state;
    draw(&a, &b, &t, &rng);
    a.choice++;
    expect_none(&a, &b, "different parts");
    a.choice--;
    a.blocks++;
    expect_none(&a, &b, "different programs");
    a.blocks--;
    b.n = 2;
    expect_none(&a, &b, "too few");
    b.n = FOLLOWED;
    b.unit[0].of = 1;
    a.unit[1].of = 0;
    expect_none(&a, &b, "could not");
    free_both(&a, &b);
}

static const char *write_file(const unit_file_t *f)
{
    FILE *out = fopen(temp_path("units.txt"), "w");
    unit_file_write(out, f);
    fclose(out);
    return temp_path("units.txt");
}

static void a_file_keeps_everything(void **state)
{
    static const truth_t t = {.spread = 0.3};
    rng_t rng = rng_make(8, 1);
    launch_units_t list[2];
    unit_file_t f = {.list = list, .n = 2, .launches = 2}, back;
    rb_err_t err;
    (void)state;
    draw(&list[0], &list[1], &t, &rng);
    list[1].launch = 2;
    temp_folder_create();
    assert_int_equal(unit_file_read(&back, write_file(&f), &err), RB_OK);
    assert_int_equal(back.launches, 2);
    assert_int_equal(back.n, 2);
    for (size_t i = 0; i < 2; i++) {
        const launch_units_t *l = unit_file_find(&back, i + 1);
        assert_memory_equal(&l->counted, &list[i].counted, sizeof(l->counted));
        assert_int_equal(l->n, list[i].n);
        assert_memory_equal(l->unit, list[i].unit, l->n * sizeof(*l->unit));
    }
    assert_null(unit_file_find(&back, 3));
    unit_file_free(&back);
    free_both(&list[0], &list[1]);
    temp_folder_remove();
}

/* Every line that is cut or changed is refused with its number, and none crashes. */
static void a_damaged_file_names_the_line(void **state)
{
    static const truth_t t = {.spread = 0.3};
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"rubato-units 2 1\n", "no file of units"},
        {"rubato-units 1 1\nlaunch 1 2 12000 3 12 nan 6\n", ":2: expected a launch"},
        {"rubato-units 1 1\nlaunch 1 2 12000 3 12 0x1p20 13\n", ":2: expected a launch"},
        {"rubato-units 1 1\nlaunch 1 2 12000 3 12 0x1p20 6\n", "the file ends here"},
        {"rubato-units 1 1\nlaunch 1 2 12000 3 12 0x1p20 6\ncounted 1\n", ":3: expected what was"},
    };
    rng_t rng = rng_make(9, 1);
    launch_units_t list[2];
    unit_file_t f = {.list = list, .n = 1, .launches = 1}, back;
    rb_err_t err;
    (void)state;
    draw(&list[0], &list[1], &t, &rng);
    temp_folder_create();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        err = (rb_err_t){0};
        temp_write("units.txt", wrong[i].text);
        assert_int_equal(unit_file_read(&back, temp_path("units.txt"), &err), RB_TRACE);
        if (strstr(err.text, wrong[i].message) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, wrong[i].message);
        unit_file_free(&back);
        temp_folder_remove();
        temp_folder_create();
    }
    err = (rb_err_t){0};
    list[0].unit[4].last = CHOSEN; /* beyond the choice */
    assert_int_equal(unit_file_read(&back, write_file(&f), &err), RB_TRACE);
    assert_non_null(strstr(err.text, ":8: expected a unit"));
    unit_file_free(&back);
    free_both(&list[0], &list[1]);
    temp_folder_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_and_are_narrow),
        cmocka_unit_test(the_launches_of_a_program_add_up),
        cmocka_unit_test(equal_changes_leave_what_pairs_do_not_show),
        cmocka_unit_test(what_is_no_pair_says_why),
        cmocka_unit_test(a_file_keeps_everything),
        cmocka_unit_test(a_damaged_file_names_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
