/*
 * The instructions of many cubins, by shape: the opcode, its form and modifiers, and whether each
 * register is the zero register. A few samples stand for all instructions of a shape.
 */
#ifndef RUBATO_BENCH_DECODER_SHAPES_H
#define RUBATO_BENCH_DECODER_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { SHAPE_SAMPLES = 4 };

typedef struct {
    uint64_t lo, hi;
} word_t;

typedef struct {
    word_t key;
    uint64_t count; /* number of instructions of the shape; 0: a free entry of the table */
    word_t samples[SHAPE_SAMPLES];
    unsigned n_samples;
} shape_t;

typedef struct {
    shape_t *table; /* owned, a power of two */
    size_t size, n;
    uint64_t n_insts;
} shapes_t;

/* The shape of an instruction; without its control word. */
word_t shape_key(word_t inst);

/* Counts the instructions of all kernels of a file that are for the architecture. */
RB_CHECKED rb_code_t shapes_add_file(shapes_t *s, const char *path, uint32_t arch, rb_err_t *err);
void shapes_add(shapes_t *s, word_t inst);
void shapes_free(shapes_t *s);

#endif
