/* cmocka with the headers it needs first. */
#ifndef RUBATO_TESTS_TEST_H
#define RUBATO_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
