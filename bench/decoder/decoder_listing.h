/* The output of nvdisasm for encoded instructions. */
#ifndef RUBATO_BENCH_DECODER_LISTING_H
#define RUBATO_BENCH_DECODER_LISTING_H

#include "bench/decoder/decoder_shapes.h"

enum { LISTING_TEXT = 256 };

/*
 * Runs nvdisasm (found in PATH) on n instructions, as one function that begins at 0. text[i] is
 * empty if nvdisasm has no such instruction. scratch: a file that is overwritten. Errors: RB_IO, if
 * the program or the file cannot be used.
 */
RB_CHECKED rb_code_t listing_read(const char *scratch, uint32_t arch, const word_t *insts, size_t n,
                                  char (*text)[LISTING_TEXT], rb_err_t *err);

#endif
