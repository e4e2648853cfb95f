/* A strict JSON reader for tests: checks that a text is JSON (RFC 8259), and finds the value of
 * a member. */
#ifndef RUBATO_TESTS_JSON_CHECK_H
#define RUBATO_TESTS_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if text is one JSON value, otherwise the position of the first error. */
const char *json_check(const char *text);

/*
 * The text of the value at a path of keys and array indices ("launches.0.sm.warp_insts") of valid
 * JSON; *n is its length. NULL if there is none.
 */
const char *json_find(const char *text, const char *path, size_t *n);

/* Compares the value at path with literal JSON text ("true", "\"v100\"", "12"). */
bool json_is(const char *text, const char *path, const char *literal);

/* The number at path; -1 if there is none. */
double json_number(const char *text, const char *path);

#endif
