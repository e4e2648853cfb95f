/* Decompression of LZ4 blocks (LZ4 Block Format Description, github.com/lz4/lz4). */
#ifndef RUBATO_SASS_LZ4_BLOCK_H
#define RUBATO_SASS_LZ4_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompresses in[0 .. n_in) into exactly n_out bytes at out. Ignores bytes of in after the end of
 * the data. False: in is damaged or holds less.
 */
bool lz4_block_decompress(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);

#endif
