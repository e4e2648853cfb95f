/*
 * Damage as text. Formats that change with the program, such as checkpoints, cannot be kept in a
 * corpus as files. Instead the corpus has edits, which are applied to a freshly made file. Each line is
 * an edit:
 *
 *   PART:OFFSET = HEX     overwrites bytes
 *   PART:OFFSET + HEX     inserts bytes
 *   PART:OFFSET - COUNT   removes bytes
 *   PART:OFFSET .         removes all bytes from there on
 *
 * Numbers are decimal and taken modulo the size. Other lines are ignored.
 */
#ifndef RUBATO_TESTS_EDITS_H
#define RUBATO_TESTS_EDITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes, divided into parts. A zeroed struct is empty. */
typedef struct {
    uint8_t *bytes; /* owned */
    size_t n, cap;
    size_t *part; /* owned; offset of each part, ascending, the first is 0 */
    size_t n_parts, cap_parts;
} damaged_t;

/* Appends n bytes as a new part. */
void damaged_add(damaged_t *d, const void *bytes, size_t n);

/* Applies the first few hundred edits of text [0, n) in order. The offsets of parts do not change. */
void damaged_edit(damaged_t *d, const char *text, size_t n);

void damaged_free(damaged_t *d);

#endif
