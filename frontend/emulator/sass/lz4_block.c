#include "frontend/emulator/sass/lz4_block.h"

#include <string.h>

enum { LENGTH_CONTINUES = 15, MIN_MATCH = 4 };

typedef struct {
    const uint8_t *in;
    size_t n_in, at;
} cursor_t;

/* Adds the bytes that extend a length of 15; false at the end of the input. */
static bool extend_length(cursor_t *c, size_t *length)
{
    uint8_t byte;

    if (*length != LENGTH_CONTINUES)
        return true;
    do {
        if (c->at >= c->n_in)
            return false;
        byte = c->in[c->at++];
        *length += byte;
    } while (byte == 255);
    return true;
}

static bool copy_match(cursor_t *c, size_t token, uint8_t *out, size_t n_out, size_t *done)
{
    size_t length = token & 15, distance;

    if (c->n_in - c->at < 2)
        return false;
    distance = (size_t)c->in[c->at] | (size_t)c->in[c->at + 1] << 8;
    c->at += 2;
    if (!extend_length(c, &length))
        return false;
    length += MIN_MATCH;
    if (distance == 0 || distance > *done || length > n_out - *done)
        return false;
    for (size_t i = 0; i < length; i++) /* source and destination may overlap */
        out[*done + i] = out[*done + i - distance];
    *done += length;
    return true;
}

bool lz4_block_decompress(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    cursor_t c = {.in = in, .n_in = n_in};
    size_t done = 0;

    while (done < n_out) {
        if (c.at >= n_in)
            return false;
        size_t token = in[c.at++];
        size_t literals = token >> 4;
        if (!extend_length(&c, &literals) || literals > n_in - c.at || literals > n_out - done)
            return false;
        memcpy(out + done, in + c.at, literals);
        c.at += literals;
        done += literals;
        if (done < n_out && !copy_match(&c, token, out, n_out, &done))
            return false;
    }
    return true;
}
