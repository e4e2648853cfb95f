/*
 * Growing byte buffers with variable-length integers, and bounds-checked reading. For the files of
 * this folder.
 */
#ifndef RUBATO_RBT_BYTES_H
#define RUBATO_RBT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { RBT_VARINT_MAX = 10 };

typedef struct {
    uint8_t *p; /* owned */
    size_t n, cap;
} rbt_buf_t;

/* Makes room for more bytes at the end. */
static inline uint8_t *rbt_buf_room(rbt_buf_t *b, size_t more)
{
    if (b->cap - b->n < more)
        rb_grow(&b->p, &b->cap, b->n + more, 1);
    return b->p + b->n;
}

static inline void rbt_put_bytes(rbt_buf_t *b, const void *data, size_t n)
{
    if (n > 0)
        memcpy(rbt_buf_room(b, n), data, n);
    b->n += n;
}

static inline void rbt_put_u8(rbt_buf_t *b, uint8_t v)
{
    *rbt_buf_room(b, 1) = v;
    b->n++;
}

static inline void rbt_put_u32(rbt_buf_t *b, uint32_t v)
{
    rbt_put_bytes(b, &v, sizeof(v));
}

static inline void rbt_put_u64(rbt_buf_t *b, uint64_t v)
{
    rbt_put_bytes(b, &v, sizeof(v));
}

/* Seven bits per byte, the lowest first; the top bit says that more follow. */
static inline void rbt_put_varint(rbt_buf_t *b, uint64_t v)
{
    uint8_t *p = rbt_buf_room(b, RBT_VARINT_MAX);
    size_t n = 0;

    for (; v >= 0x80; v >>= 7)
        p[n++] = (uint8_t)(v | 0x80);
    p[n++] = (uint8_t)v;
    b->n += n;
}

/* Maps signed numbers of small magnitude to small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t rbt_zigzag(uint64_t v)
{
    return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t rbt_unzigzag(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

static inline void rbt_put_signed(rbt_buf_t *b, uint64_t v)
{
    rbt_put_varint(b, rbt_zigzag(v));
}

/* The unread part of a buffer. The first read past the end sets bad, which stays set; such reads
 * return 0. */
typedef struct {
    const uint8_t *at, *end;
    bool bad;
} rbt_in_t;

static inline size_t rbt_in_left(const rbt_in_t *in)
{
    return (size_t)(in->end - in->at);
}

/* Returns n bytes, or NULL with bad set if there are fewer. */
static inline const uint8_t *rbt_get_bytes(rbt_in_t *in, size_t n)
{
    const uint8_t *p = in->at;

    if (rbt_in_left(in) < n) {
        in->bad = true;
        in->at = in->end;
        return NULL;
    }
    in->at += n;
    return p;
}

static inline uint8_t rbt_get_u8(rbt_in_t *in)
{
    const uint8_t *p = rbt_get_bytes(in, 1);

    return p != NULL ? *p : 0;
}

static inline uint32_t rbt_get_u32(rbt_in_t *in)
{
    const uint8_t *p = rbt_get_bytes(in, sizeof(uint32_t));
    uint32_t v = 0;

    if (p != NULL)
        memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t rbt_get_u64(rbt_in_t *in)
{
    const uint8_t *p = rbt_get_bytes(in, sizeof(uint64_t));
    uint64_t v = 0;

    if (p != NULL)
        memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t rbt_get_varint(rbt_in_t *in)
{
    uint64_t v = 0;

    if (in->at < in->end && *in->at < 0x80) /* the usual case: one byte */
        return *in->at++;
    for (unsigned shift = 0; in->at < in->end && shift < 64; shift += 7) {
        uint8_t byte = *in->at++;

        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    in->bad = true;
    return 0;
}

static inline uint64_t rbt_get_signed(rbt_in_t *in)
{
    return rbt_unzigzag(rbt_get_varint(in));
}

/* Reads a count of at most max; sets bad and returns 0 if it is larger. */
static inline uint64_t rbt_get_count(rbt_in_t *in, uint64_t max)
{
    uint64_t v = rbt_get_varint(in);

    if (v > max) {
        in->bad = true;
        return 0;
    }
    return v;
}

#endif
