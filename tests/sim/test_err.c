/* Errors: the first is kept, and its reason is readable however long the message is. */
#include "tests/support/test.h"

#include <string.h>

#include "sim/core/err.h"

static void the_first_error_is_kept(void **state)
{
    (void)state;
    rb_err_t err = {0};

    assert_int_equal(rb_fail(&err, RB_TRACE, "line %d", 7), RB_TRACE);
    assert_int_equal(rb_fail(&err, RB_IO, "closing"), RB_IO);
    assert_int_equal(err.code, RB_TRACE);
    assert_string_equal(err.text, "line 7");
    assert_int_equal(rb_fail(NULL, RB_USAGE, "nobody asks"), RB_USAGE);
}

static void long_messages_lose_their_middle(void **state)
{
    (void)state;
    enum { FULL = sizeof(((rb_err_t *)0)->text) - 1, LONG = 6000 };
    char path[LONG + 1];

    for (size_t n = FULL - 20; n <= FULL + 20; n++) {
        rb_err_t err = {0};
        memset(path, 'p', n);
        path[n] = '\0';
        rb_fail(&err, RB_IO, "%s", path);
        assert_int_equal(strlen(err.text), n < FULL ? n : FULL);
        assert_int_equal(strstr(err.text, "[...]") != NULL, n > FULL);
    }
    memset(path, 'p', LONG);
    path[0] = '/';
    path[LONG] = '\0';
    rb_err_t err = {0};
    rb_fail(&err, RB_IO, "%s: File name too long", path);
    assert_int_equal(strlen(err.text), FULL);
    assert_int_equal(strncmp(err.text, "/ppp", 4), 0);
    assert_string_equal(err.text + FULL - strlen("p: File name too long"), "p: File name too long");
}

static void codes_are_exit_statuses(void **state)
{
    (void)state;
    assert_int_equal(rb_exit_code(RB_OK), 0);
    assert_int_equal(rb_exit_code(RB_IO), 1);
    assert_int_equal(rb_exit_code(RB_NOMEM), 1);
    assert_int_equal(rb_exit_code(RB_USAGE), 2);
    assert_int_equal(rb_exit_code(RB_CONFIG), 2);
    assert_int_equal(rb_exit_code(RB_TRACE), 2);
    assert_int_equal(rb_exit_code(RB_STOPPED), 75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(long_messages_lose_their_middle),
        cmocka_unit_test(codes_are_exit_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
