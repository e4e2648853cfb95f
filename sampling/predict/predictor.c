/* Predictions of all launches of a program on several chips. */
#include <stdlib.h>
#include <string.h>

#include "sampling/predict/predict.h"
#include "sampling/predict/predict_walk.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/core/hash_map.h"
#include "sim/core/mix64.h"

/* Launches that the index cannot tell from each other are predicted once; on level 1 twice, because the
 * first one may find other caches. */
typedef struct {
    uint64_t key;
    unsigned times;  /* predicted */
    predicted_t *of; /* owned; the last time; per specification */
} known_t;

struct predictor {
    gpu_spec_t *spec; /* owned */
    size_t n;
    unsigned level;
    const gpu_spec_t **each;    /* owned; of spec */
    predict_walk_t *walk;       /* owned; level 1 */
    predict_traffic_t *traffic; /* owned; of the launch, per specification */
    known_t *known;             /* owned */
    size_t n_known, cap_known;
    hash_map_t known_map; /* by key */
    double copied;        /* sectors that the host has copied so far */
    uint64_t *code;       /* owned; kernels that have run, ascending */
    size_t n_codes, cap_codes;
};

predictor_t *predictor_create(const gpu_spec_t *const *specs, size_t n, unsigned level)
{
    predictor_t *p = rb_calloc(1, sizeof(*p));
    *p = (predictor_t){.spec = rb_calloc(n, sizeof(*p->spec)), .n = n, .level = level};
    p->each = rb_calloc(n, sizeof(*p->each));
    p->traffic = rb_calloc(n, sizeof(*p->traffic));
    for (size_t i = 0; i < n; i++) {
        p->spec[i] = *specs[i];
        p->each[i] = &p->spec[i];
    }
    if (level > 0)
        p->walk = predict_walk_create(p->each, n);
    return p;
}

void predictor_destroy(predictor_t *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->n_known; i++)
        free(p->known[i].of);
    predict_walk_destroy(p->walk);
    free(p->traffic);
    free(p->each);
    free(p->known);
    hash_map_free(&p->known_map);
    free(p->spec);
    free(p->code);
    free(p);
}

/* Whether the kernel runs for the first time; notes it. */
static bool is_cold(predictor_t *p, uint64_t code)
{
    for (size_t i = p->n_codes; i-- > 0;)
        if (p->code[i] == code)
            return false;
    rb_grow(&p->code, &p->cap_codes, p->n_codes + 1, sizeof(*p->code));
    p->code[p->n_codes++] = code;
    return true;
}

static known_t *find(const predictor_t *p, uint64_t key)
{
    for (hash_walk_t w = hash_map_walk(&p->known_map, key); hash_walk_next(&w);)
        if (p->known[w.number].key == key)
            return &p->known[w.number];
    return NULL;
}

static void remember(predictor_t *p, uint64_t key, const predicted_t *out)
{
    known_t *k = find(p, key);
    if (k == NULL) {
        rb_grow(&p->known, &p->cap_known, p->n_known + 1, sizeof(*p->known));
        k = &p->known[p->n_known];
        *k = (known_t){.key = key, .of = rb_calloc(p->n, sizeof(*k->of))};
        hash_map_add(&p->known_map, key, (uint32_t)p->n_known++);
    }
    k->times++;
    for (size_t i = 0; i < p->n; i++)
        k->of[i] = out[i];
}

/* Copies change what level 0 assumes, and so the key. */
static void take_copies(predictor_t *p, trace_source_t *source, uint64_t id, predict_profile_t *x)
{
    const memcpy_op_t *ops;
    const size_t n = source->ops->copies(source, id, &ops);
    for (size_t i = 0; i < n; i++)
        p->copied += (double)ops[i].bytes / SECTOR_BYTES;
    x->key = mix64(x->key ^ (uint64_t)p->copied);
}

static rb_code_t predict_open(predictor_t *p, trace_source_t *source, uint64_t id,
                              trace_launch_t *launch, bool cold, predict_profile_t *profile,
                              predicted_t *out, rb_err_t *err)
{
    RB_TRY(predict_profile_lengths(profile, source, launch, err));
    const uint64_t key = profile->indexed && !cold ? profile->key | 1 : 0;
    const known_t *k = key != 0 ? find(p, key) : NULL;
    if (k != NULL && k->times > p->level) {
        memcpy(out, k->of, p->n * sizeof(*out));
        return RB_OK;
    }
    if (profile->indexed || p->level == 0)
        RB_TRY(predict_profile_index(profile, source, launch, p->level > 0, err));
    RB_TRY(p->walk != NULL ? predict_walk_launch(p->walk, source, id, profile, p->traffic, err)
                           : predict_profile_end(profile, err));
    for (size_t i = 0; i < p->n; i++)
        RB_TRY(predict_launch(profile, &p->spec[i], p->walk != NULL ? &p->traffic[i] : NULL, cold,
                              &out[i], err));
    if (key != 0)
        remember(p, key, out);
    return RB_OK;
}

rb_code_t predictor_launch(predictor_t *p, trace_source_t *source, uint64_t id, predicted_t *out,
                           rb_err_t *err)
{
    predict_profile_t profile;
    trace_launch_t *launch;
    RB_TRY(predict_profile_begin(&profile, source, id, err));
    const bool cold = is_cold(p, profile.info.code_id);
    take_copies(p, source, id, &profile);
    profile.copied = p->copied;
    RB_TRY(source->ops->open(source, id, &launch, err));
    const rb_code_t rc = predict_open(p, source, id, launch, cold, &profile, out, err);
    source->ops->close(launch);
    predict_profile_free(&profile);
    return rc;
}
