/* Lines that a launch used, without the shape of any cache; how they lie in the L2 of a chip, and as bytes. */
#ifndef RUBATO_GPU_USED_LINES_H
#define RUBATO_GPU_USED_LINES_H

#include <stdio.h>

#include "sim/mem/l2_tags.h"

/* The line that was used last comes first. */
typedef struct {
    cache_tag_t *tag; /* owned; with addresses of the chip, not of a slice */
    size_t n;
    cache_written_t *written; /* owned; of the tags with CACHE_TAG_WRITTEN, in their order */
    uint32_t *writes;         /* owned; accesses that wrote to each of these */
    size_t n_written;
} used_lines_t;

void used_lines_free(used_lines_t *u);

/* Sets *out, which the caller frees, to the lines as an L2 with LRU that was empty would have them. False: it would
 * have evicted or cleaned one; *out is empty. */
bool used_lines_place(const used_lines_t *u, const l2_chip_tags_t *chip, cache_lines_t *out);

/* Writes the lines, in two or three bytes each; reads at most `most` back into *out, which the caller
 * frees (false: damaged). */
void used_lines_put(const used_lines_t *u, FILE *out);
bool used_lines_get(used_lines_t *out, size_t most, FILE *in);

/* Numbers in as many bytes as they need, and differences of either sign. The caller checks ferror(). */
void number_put(uint64_t v, FILE *out);
void difference_put(uint64_t v, FILE *out);
bool number_get(uint64_t *v, FILE *in);
bool difference_get(uint64_t *v, FILE *in);

#endif
