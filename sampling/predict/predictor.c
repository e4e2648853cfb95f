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

/* Launches of a kernel that the index can hardly tell from each other have the traffic of those that were walked. */
#define ALIKE 0.1
typedef struct {
    launch_counts_t counts;
    unsigned times;             /* walked */
    double spins;               /* predict_profile_t's, the last time */
    predict_traffic_t *traffic; /* owned; the last time; per specification */
} walked_t;

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
    hash_map_t sums_map;  /* by key before lengths; without entries */
    walked_t *walked;     /* owned */
    size_t n_walked, cap_walked;
    hash_map_t walked_map; /* by kernel and shape */
    double copied;         /* sectors that the host has copied so far */
    uint64_t *code;        /* owned; kernels that have run, ascending */
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
    hash_map_free(&p->sums_map);
    for (size_t i = 0; i < p->n_walked; i++)
        free(p->walked[i].traffic);
    free(p->walked);
    hash_map_free(&p->walked_map);
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

static bool is_near(uint64_t a, uint64_t b)
{
    const double x = (double)a, y = (double)b;
    return x >= y * (1 - ALIKE) && y >= x * (1 - ALIKE);
}

static bool is_alike(const launch_counts_t *a, const launch_counts_t *b)
{
    return is_near(a->blocks, b->blocks) && is_near(a->warp_insts, b->warp_insts) &&
           is_near(a->requests, b->requests) && is_near(a->global_sectors, b->global_sectors) &&
           is_near(a->insts[OP_LOAD_LG], b->insts[OP_LOAD_LG]) &&
           is_near(a->insts[OP_STORE_LG], b->insts[OP_STORE_LG]) && is_near(a->atomics, b->atomics);
}

/* What was walked like this launch; if nothing was, an empty one. NULL: no index. */
static walked_t *walked_like(predictor_t *p, const predict_profile_t *x)
{
    const launch_info_t *i = &x->info;
    const uint64_t key = mix64(mix64(i->code_id ^ mix64(i->shared_bytes)) ^
                               ((uint64_t)i->regs << 48 ^ (uint64_t)i->block[0] << 32 ^
                                (uint64_t)i->block[1] << 16 ^ i->block[2]));
    if (!x->indexed)
        return NULL;
    for (hash_walk_t w = hash_map_walk(&p->walked_map, key); hash_walk_next(&w);)
        if (is_alike(&p->walked[w.number].counts, &x->counts))
            return &p->walked[w.number];
    rb_grow(&p->walked, &p->cap_walked, p->n_walked + 1, sizeof(*p->walked));
    hash_map_add(&p->walked_map, key, (uint32_t)p->n_walked);
    walked_t *w = &p->walked[p->n_walked++];
    *w = (walked_t){.counts = x->counts, .traffic = rb_calloc(p->n, sizeof(*w->traffic))};
    return w;
}

/* Sets the traffic of the launch by the one that was walked. */
static void take_traffic(predictor_t *p, const walked_t *w, const predict_profile_t *x)
{
    const double before = (double)(w->counts.global_sectors + w->counts.local_sectors);
    const double now = (double)(x->counts.global_sectors + x->counts.local_sectors);
    const double more = before > 0 ? now / before : 1;
    for (size_t i = 0; i < p->n; i++) {
        predict_traffic_t *t = &p->traffic[i];
        *t = w->traffic[i];
        double *const all[] = {&t->load_sectors, &t->store_sectors, &t->atomic_sectors,
                               &t->load_lines,   &t->dram_reads,    &t->dram_writes,
                               &t->hot_atomics};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            *all[k] *= more;
    }
}

static rb_code_t walk(predictor_t *p, trace_source_t *source, uint64_t id, walked_t *like,
                      predict_profile_t *x, rb_err_t *err)
{
    if (like != NULL && like->times > 1) {
        take_traffic(p, like, x);
        RB_TRY(predict_profile_end(x, err));
        x->spins = like->spins;
        return RB_OK;
    }
    RB_TRY(predict_walk_launch(p->walk, source, id, x, p->traffic, err));
    if (like == NULL)
        return RB_OK;
    like->times++;
    like->counts = x->counts;
    like->spins = x->spins;
    memcpy(like->traffic, p->traffic, p->n * sizeof(*p->traffic));
    return RB_OK;
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

/* Whether no launch before had the same sums; notes it. */
static bool is_new(predictor_t *p, const predict_profile_t *x)
{
    for (hash_walk_t w = hash_map_walk(&p->sums_map, x->key); hash_walk_next(&w);)
        return false;
    hash_map_add(&p->sums_map, x->key, 0);
    return true;
}

static rb_code_t predict_open(predictor_t *p, trace_source_t *source, uint64_t id,
                              trace_launch_t *launch, bool cold, predict_profile_t *profile,
                              predicted_t *out, rb_err_t *err)
{
    RB_TRY(predict_profile_lengths(profile, source, launch, is_new(p, profile), err));
    const uint64_t key = profile->indexed && !cold ? profile->key | 1 : 0;
    const known_t *k = key != 0 ? find(p, key) : NULL;
    if (k != NULL && k->times > p->level) {
        memcpy(out, k->of, p->n * sizeof(*out));
        return RB_OK;
    }
    if (profile->indexed || p->level == 0)
        RB_TRY(predict_profile_index(profile, source, launch, err));
    RB_TRY(p->walk != NULL ? walk(p, source, id, walked_like(p, profile), profile, err)
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
