/* Numbers and units as Nsight Compute writes them. */
#include <math.h>

#include "frontend/input/profile/hardware_unit.h"
#include "tests/support/test.h"

static void units_become_plain(void **state)
{
    static const struct {
        const char *unit;
        double scale;
    } good[] = {{"", 1},
                {"%", 0.01},
                {"cycle", 1},
                {"Kbyte", 1e3},
                {"Gbyte/second", 1e9},
                {"GB/s", 1e9},
                {"cycle/nsecond", 1e9},
                {"usecond", 1e-6},
                {"\xc2\xb5s", 1e-6},
                {"ms", 1e-3},
                {"inst/cycle", 1},
                {"register/thread", 1},
                {"Minst", 1e6},
                {"kernel", 1},
                {"sectors", 1},
                {"Mhz", 1e6}};
    static const char *const bad[] = {"furlong", "Kfurlong", "byte/furlong", "K", "/",
                                      "Ksecond", "%%"};
    double scale;
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (!hardware_unit(good[i].unit, &scale) || fabs(scale / good[i].scale - 1) > 1e-12)
            fail_msg("'%s' is %g", good[i].unit, scale);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (hardware_unit(bad[i], &scale))
            fail_msg("'%s' is known", bad[i]);
}

static bool same(double a, double b)
{
    return isnan(b) ? isnan(a) : fabs(a - b) <= fabs(b) * 1e-12;
}

static void numbers_are_read_with_either_mark(void **state)
{
    static const struct {
        const char *text;
        double point, comma;
        const char *rest;
    } known[] = {{"6900", 6900, 6900, ""},
                 {"6,900", 6900, 6.9, ""},
                 {"1,234,567", 1234567, NAN, ""},
                 {"1,234.5", 1234.5, NAN, ""},
                 {"1.234,5", NAN, 1234.5, ""},
                 {"0,512", NAN, 0.512, ""},
                 {"0.512", 0.512, NAN, ""},
                 {"12,34", NAN, 12.34, ""},
                 {"-1'234.5", -1234.5, NAN, ""},
                 {"1 234,5", NAN, 1234.5, ""},
                 {"1\xe2\x80\xaf"
                  "234",
                  1234, 1234, ""},
                 {"1.5e+03", 1500, NAN, ""},
                 {"0,512 Kbyte", NAN, 0.512, "Kbyte"},
                 {"45.2%", 45.2, NAN, "%"},
                 {"3 (1; 2)", 3, 3, ""}};
    static const char *const none[] = {"", "n/a", "Tesla V100", ",5", "-", "1,2,3", "1..2"};
    hardware_number_t n;
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!hardware_number(known[i].text, &n) || !same(n.point, known[i].point) ||
            !same(n.comma, known[i].comma))
            fail_msg("'%s' is %g, %g", known[i].text, n.point, n.comma);
        assert_string_equal(n.rest, known[i].rest);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        if (hardware_number(none[i], &n))
            fail_msg("'%s' is a number", none[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_become_plain),
        cmocka_unit_test(numbers_are_read_with_either_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
