#include "frontend/input/accelsim/block/accelsim_span.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

/* Spans that are kept for one parser. Code that needs more is read line by line. */
enum { SPANS_BYTES_MAX = 2 << 20 };

void accelsim_spans_free(accelsim_spans_t *s)
{
    for (size_t i = 0; i < s->n_after; i++) {
        free(s->after[i].span[0]);
        free(s->after[i].span[1]);
    }
    free(s->after);
    *s = (accelsim_spans_t){0};
}

static size_t span_bytes(size_t len)
{
    return sizeof(accelsim_span_t) + len;
}

/* The pair at a place, in an array that is long enough. */
static span_pair_t *pair_at(accelsim_spans_t *s, uint32_t place)
{
    if (place >= s->n_after) {
        rb_grow(&s->after, &s->cap_after, (size_t)place + 1, sizeof(s->after[0]));
        memset(s->after + s->n_after, 0, (s->cap_after - s->n_after) * sizeof(s->after[0]));
        s->n_after = s->cap_after;
    }
    return &s->after[place];
}

static void keep(accelsim_spans_t *s, bool addressed)
{
    span_pair_t *pair = pair_at(s, s->place);
    const size_t bytes = span_bytes(s->len);

    if (pair->span[1] != NULL)
        s->bytes -= span_bytes(pair->span[1]->len);
    free(pair->span[1]);
    pair->span[1] = pair->span[0];
    pair->span[0] = NULL;
    if (s->bytes + bytes > SPANS_BYTES_MAX)
        return;
    s->bytes += bytes;
    accelsim_span_t *x = rb_realloc(NULL, bytes, 1);

    *x = (accelsim_span_t){.inst = s->inst,
                           .number = s->number,
                           .n = s->n,
                           .mask = s->mask,
                           .len = s->len,
                           .addressed = addressed};
    memcpy(x->text, s->text, s->len);
    pair->span[0] = x;
}

static void end(accelsim_spans_t *s, bool addressed)
{
    if (s->n > 0)
        keep(s, addressed);
    s->n = s->len = 0;
}

void accelsim_spans_end(accelsim_spans_t *s)
{
    end(s, false);
}

void accelsim_spans_add(accelsim_spans_t *s, uint32_t before, uint32_t number, const inst_t *inst,
                        uint32_t mask, const char *text, size_t len, bool addressed)
{
    if (s->n > 0 && (number != s->number + s->n || inst != s->inst + s->n || mask != s->mask ||
                     s->n == SPAN_INSTS_MAX || len > SPAN_TEXT_MAX - s->len))
        end(s, false);
    if (len > SPAN_TEXT_MAX)
        return;
    if (s->n == 0) {
        s->place = accelsim_spans_place(before);
        s->number = number;
        s->inst = inst;
        s->mask = mask;
    }
    memcpy(s->text + s->len, text, len);
    s->len += (uint32_t)len;
    s->n++;
    if (addressed)
        end(s, true);
}
