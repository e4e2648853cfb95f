/*
 * Damage as text. Formats that change with the program, such as checkpoints, cannot be kept as
 * files; what is kept is what is done to one that was just made. A line is an edit:
 *
 *   PART:OFFSET = HEX     these bytes stand there now
 *   PART:OFFSET + HEX     these bytes are put in
 *   PART:OFFSET - COUNT   so many bytes are taken away
 *   PART:OFFSET .         all from there on is taken away
 *
 * Numbers are decimal and taken modulo what there is; lines that are no edit count for nothing.
 */
#ifndef RUBATO_TESTS_EDITS_H
#define RUBATO_TESTS_EDITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes in parts; zeroed: none. */
typedef struct {
    uint8_t *bytes; /* owned */
    size_t n, cap;
    size_t *part; /* owned: where each begins; ascending, the first at 0 */
    size_t n_parts, cap_parts;
} damaged_t;

/* Appends n bytes, as a part of their own. */
void damaged_add(damaged_t *d, const void *bytes, size_t n);

/* Applies the edits of text [0, n), the first few hundred of them, in order. Parts stay where they
 * began. */
void damaged_edit(damaged_t *d, const char *text, size_t n);

void damaged_free(damaged_t *d);

#endif
