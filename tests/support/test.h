/* Includes cmocka with the headers that must precede it. */
#ifndef RUBATO_TESTS_TEST_H
#define RUBATO_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
