#include "frontend/macsim/macsim_samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { TEXT_LINES = 2 };

typedef struct {
    uint64_t number;
    double weight;
} sample_t;

typedef struct {
    sample_t *all; /* owned */
    size_t n, cap;
} samples_t;

static rb_code_t read_cluster(const macsim_text_t *t, samples_t *s, rb_err_t *err)
{
    const char *p = t->text;
    uint64_t size, n, number;

    if (!macsim_text_number(&p, UINT32_MAX, &size) || !macsim_text_number(&p, UINT32_MAX, &n) ||
        size == 0 || n == 0)
        return macsim_text_fail(t, err,
                                "'SIZE NUMBER ID ...' of a cluster is expected, each at least 1");
    for (uint64_t i = 0; i < n; i++) {
        if (!macsim_text_number(&p, UINT64_MAX, &number))
            return macsim_text_fail(t, err,
                                    "%" PRIu64 " launches are announced, %" PRIu64 " follow", n, i);
        rb_grow(&s->all, &s->cap, s->n + 1, sizeof(s->all[0]));
        s->all[s->n++] = (sample_t){.number = number, .weight = (double)size / (double)n};
    }
    if (!macsim_text_ends(p))
        return macsim_text_fail(t, err, "more than the announced %" PRIu64 " launches follow", n);
    return RB_OK;
}

static rb_code_t read_clusters(macsim_text_t *t, samples_t *s, rb_err_t *err)
{
    bool more;

    for (unsigned i = 0; i < TEXT_LINES; i++)
        RB_TRY(macsim_text_need(t, "the first cluster", err));
    for (;;) {
        RB_TRY(macsim_text_next(t, &more, err));
        if (!more || t->text[0] == '\0')
            return RB_OK;
        RB_TRY(read_cluster(t, s, err));
    }
}

static int by_number(const void *a, const void *b)
{
    const sample_t *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sums what belongs to one launch. */
static void merge(samples_t *s)
{
    size_t n = 0;

    qsort(s->all, s->n, sizeof(s->all[0]), by_number);
    for (size_t i = 0; i < s->n; i++) {
        if (n > 0 && s->all[n - 1].number == s->all[i].number)
            s->all[n - 1].weight += s->all[i].weight;
        else
            s->all[n++] = s->all[i];
    }
    s->n = n;
}

/* Launches that were not drawn stand for themselves. */
static void give_weights(macsim_list_t *list, const samples_t *s)
{
    size_t used = 0;

    for (size_t i = 0; i < list->n_kernels; i++) {
        const sample_t key = {.number = list->kernels[i].number};
        const sample_t *found =
            s->n > 0 ? bsearch(&key, s->all, s->n, sizeof(s->all[0]), by_number) : NULL;

        if (found != NULL) {
            list->kernels[i].weight = found->weight;
            used++;
        }
    }
    if (used < s->n)
        rb_warn("%s: %zu of the %zu sampled launches are not in the trace", list->samples,
                s->n - used, s->n);
}

rb_code_t macsim_samples_read(macsim_list_t *list, rb_err_t *err)
{
    samples_t s = {0};
    macsim_text_t t;

    RB_TRY(macsim_text_open(&t, list->samples, err));
    rb_code_t code = read_clusters(&t, &s, err);

    if (code == RB_OK) {
        merge(&s);
        give_weights(list, &s);
    }
    free(s.all);
    macsim_text_close(&t);
    return code;
}
