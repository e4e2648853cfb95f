/*
 * Spans: the text of lines that were read one after the other, and what they mean. Warps of a launch
 * mostly run through the same lines: a span that comes again is compared and taken whole.
 *
 * The lines of a span are instructions at consecutive addresses with one active mask. Only the last one
 * may have lane addresses; of that line the span has the text before them.
 */
#ifndef RUBATO_ACCELSIM_SPAN_H
#define RUBATO_ACCELSIM_SPAN_H

#include <string.h>

#include "frontend/input/accelsim/text/accelsim_lines.h"
#include "sim/isa/inst.h"

typedef struct {
    const inst_t *inst; /* the first; the others follow it in memory */
    uint32_t number;    /* its entry */
    uint32_t n;         /* instructions */
    uint32_t mask;
    uint32_t len;   /* of the text */
    bool addressed; /* lane addresses follow the text */
    char text[];
} accelsim_span_t;

/* The last two spans that followed an entry: the one read last is the first. */
typedef struct {
    accelsim_span_t *span[2]; /* owned; NULL: none */
} span_pair_t;

enum { SPAN_TEXT_MAX = 4096, SPAN_INSTS_MAX = 256 };

/* Of a parser. A zeroed one is empty. */
typedef struct {
    span_pair_t *after; /* owned; by the entry before, see accelsim_spans_place() */
    size_t n_after, cap_after;
    size_t bytes; /* of all spans */

    /* The lines that are being collected; n is 0 if there are none. */
    const inst_t *inst;
    uint32_t place, number, n, mask, len;
    char text[SPAN_TEXT_MAX];
} accelsim_spans_t;

void accelsim_spans_free(accelsim_spans_t *s);

/* The number that stands for "no entry", before the first line of a warp. */
static const uint32_t SPAN_START = UINT32_MAX - 1;

/* Index of an entry in spans.after; SPAN_START is 0. */
static inline uint32_t accelsim_spans_place(uint32_t number)
{
    return number + 2;
}

/* The span after entry `before`, of at most `most` lines, that begins at lines.at; NULL: none is
 * known. */
static inline const accelsim_span_t *accelsim_spans_find(accelsim_spans_t *s, uint32_t before,
                                                         const accelsim_lines_t *lines,
                                                         uint64_t most)
{
    const uint32_t place = accelsim_spans_place(before);
    const size_t left = (size_t)(lines->limit - lines->at);
    if (place >= s->n_after)
        return NULL;
    span_pair_t *pair = &s->after[place];
    for (unsigned i = 0; i < 2; i++) {
        accelsim_span_t *x = pair->span[i];
        if (x == NULL || x->len > left || x->n > most || memcmp(lines->at, x->text, x->len) != 0)
            continue;
        pair->span[i] = pair->span[0];
        pair->span[0] = x;
        return x;
    }
    return NULL;
}

/* Collects a line that was read after entry `before`: its text, up to lane addresses if it is
 * `addressed`. */
void accelsim_spans_add(accelsim_spans_t *s, uint32_t before, uint32_t number, const inst_t *inst,
                        uint32_t mask, const char *text, size_t len, bool addressed);

/* The next line does not follow the ones collected: keeps these as a span. */
void accelsim_spans_end(accelsim_spans_t *s);

#endif
