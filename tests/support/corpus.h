/* Runs the corpus of a fuzz target, and random changes of it, in tests of every build. */
#ifndef RUBATO_TESTS_CORPUS_H
#define RUBATO_TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* A file in memory. */
typedef struct {
    char name[64]; /* the last part of its path */
    char *data;    /* owned; there is a byte, which is 0, behind the n */
    size_t n;
} corpus_input_t;

/* False, with errno: it cannot be read. */
bool corpus_input_read(corpus_input_t *in, const char *path);
void corpus_input_free(corpus_input_t *in);

/*
 * Runs trial on each file of tests/fuzz/corpus/<name>: those whose name begins with bad_ must be
 * refused, the others must end with RB_OK; fails the running test otherwise. There must be some of
 * both.
 */
void corpus_holds(const char *name, rb_code_t (*trial)(const void *data, size_t n));

/*
 * Runs trial on n random changes of the corpus, always the same ones. Both outcomes must occur, or
 * the changes test nothing.
 */
void corpus_survives_changes(const char *name, rb_code_t (*trial)(const void *data, size_t n),
                             unsigned n);

#endif
