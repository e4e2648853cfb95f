/*
 * An output file, plain or compressed (xz, zstd). Text is written into a buffer at a cursor; errors
 * are kept and reported when the file is closed.
 */
#ifndef RUBATO_ACCELSIM_OUT_H
#define RUBATO_ACCELSIM_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frontend/input/accelsim/write/accelsim_writer.h"

typedef struct accelsim_out accelsim_out_t;

/* Creates a file. Returns NULL with *err set (RB_IO). path is borrowed while the file is open. */
accelsim_out_t *accelsim_out_create(const char *path, accelsim_packing_t packing, rb_err_t *err);

enum { ACCELSIM_ROOM = 4096 };

/* Returns a cursor with room for ACCELSIM_ROOM bytes. accelsim_out_put() ends the write. */
char *accelsim_out_room(accelsim_out_t *o);
void accelsim_out_put(accelsim_out_t *o, const char *cursor);

/* Writes text of any length. */
void accelsim_out_text(accelsim_out_t *o, const char *text, size_t n);

void accelsim_out_printf(accelsim_out_t *o, const char *fmt, ...) RB_PRINTF(2, 3);

/* Compresses and writes the rest, syncs and closes. RB_IO for the first error since the
 * creation. */
RB_CHECKED rb_code_t accelsim_out_close(accelsim_out_t *o, rb_err_t *err);

/* --- writing at a cursor ---------------------------------------------------------------------- */

static inline char *put_text(char *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    return to + n;
}

/* Writes lower-case hexadecimal digits without prefix, at least min of them. */
static inline char *put_hex(char *to, uint64_t value, unsigned min)
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = value != 0 ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

    n = n < min ? min : n;
    for (unsigned i = n; i-- > 0; value >>= 4)
        to[i] = digits[value & 15];
    return to + n;
}

static inline char *put_decimal(char *to, int64_t value)
{
    char digits[20];
    unsigned n = 0;
    uint64_t left = (uint64_t)value;

    if (value < 0) {
        *to++ = '-';
        left = -left;
    }
    do
        digits[n++] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

#endif
