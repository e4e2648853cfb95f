#include "frontend/input/rbt/write/rbt_lane_choice.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    PLANES = 4, /* byte positions with statistics; higher bytes are assumed to be random */
    BYTES = 256,
    MODELS_MAX = 1024,   /* per frame: bounds memory */
    FIRST_LOOK = 8,      /* records before the first comparison; intervals then grow fourfold */
    LOOK_EVERY = 512,    /* up to this many records */
    SAMPLE_ALL = 128,    /* the first records all count, */
    SAMPLE_EVERY = 4,    /* later one in this many */
    LOG_FRACTION = 8,    /* fractional bits of a logarithm */
    COUNT_MAX = 0xff00u, /* of a byte; all counts are halved when one reaches it */
};

/* How often each byte occurred at each position, in records that do not repeat earlier ones. */
struct rbt_lane_model {
    uint16_t count[RBT_LANE_WAYS][PLANES][BYTES];
    uint32_t more[RBT_LANE_WAYS]; /* other bits, including those of bytes above PLANES */
    uint32_t records, next_look;
    unsigned best;
};

void rbt_lane_choice_free(rbt_lane_choice_t *c)
{
    free(c->models);
    free(c->model_of);
    *c = (rbt_lane_choice_t){0};
}

void rbt_lane_choice_clear(rbt_lane_choice_t *c)
{
    c->n_models = 0;
    memset(c->lately, 0, sizeof(c->lately));
    if (c->cap_slots > 0)
        memset(c->model_of, 0, c->cap_slots * sizeof(*c->model_of));
}

static rbt_lane_model_t *model_of(rbt_lane_choice_t *c, uint32_t slot)
{
    size_t had = c->cap_slots;

    rb_grow(&c->model_of, &c->cap_slots, (size_t)slot + 1, sizeof(c->model_of[0]));
    if (c->cap_slots > had)
        memset(c->model_of + had, 0, (c->cap_slots - had) * sizeof(*c->model_of));
    if (c->model_of[slot] == 0) {
        if (c->n_models == MODELS_MAX)
            return NULL;
        rb_grow(&c->models, &c->cap_models, c->n_models + 1, sizeof(c->models[0]));
        memset(&c->models[c->n_models], 0, sizeof(c->models[0]));
        c->models[c->n_models++].next_look = FIRST_LOOK;
        c->model_of[slot] = (uint32_t)c->n_models;
    }
    return &c->models[c->model_of[slot] - 1];
}

static uint64_t hash_values(const rbt_lane_values_t *l)
{
    uint64_t h = l->n;

    for (unsigned k = 0; k < l->n; k++)
        h = (h ^ l->v[k]) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Whether the same values occurred recently, so that zstd will find them. Remembers them. */
static bool repeats(rbt_lane_choice_t *c, const rbt_lane_values_t *l)
{
    uint64_t hash = hash_values(l);
    uint32_t *slot = &c->lately[hash % RBT_LATELY];
    bool seen = *slot == (uint32_t)(hash >> 32);

    *slot = (uint32_t)(hash >> 32);
    return seen;
}

static void halve(rbt_lane_model_t *m)
{
    uint16_t *count = &m->count[0][0][0];

    for (size_t i = 0; i < sizeof(m->count) / sizeof(*count); i++)
        count[i] = (uint16_t)(count[i] / 2);
    for (unsigned w = 0; w < RBT_LANE_WAYS; w++)
        m->more[w] /= 2;
}

static void count_values(rbt_lane_choice_t *c, rbt_lane_model_t *m,
                         const rbt_lane_values_t ways[RBT_LANE_WAYS])
{
    bool full = false;

    for (unsigned w = 0; w < RBT_LANE_WAYS; w++) {
        const rbt_lane_values_t *l = &ways[w];

        if (repeats(c, l))
            continue;
        m->more[w] += l->more;
        for (unsigned b = 0; b < l->bytes && b < PLANES; b++)
            for (unsigned k = 0; k < l->n; k++)
                full |= ++m->count[w][b][l->v[k] >> 8 * b & 0xff] >= COUNT_MAX;
        m->more[w] += l->bytes > PLANES ? 8 * (l->bytes - PLANES) * l->n : 0;
    }
    if (full)
        halve(m);
}

/* log2 of v > 0 in units of 2^-LOG_FRACTION. Integer arithmetic gives the same result on every
 * machine. */
static uint64_t log2_of(uint32_t v)
{
    unsigned whole = 31u - (unsigned)__builtin_clz(v);
    uint64_t x = (uint64_t)v << (31 - whole), log = whole; /* 1 <= x / 2^31 < 2 */

    for (unsigned i = 0; i < LOG_FRACTION; i++) {
        x = x * x >> 31;
        log = log << 1 | (x >> 32 & 1);
        x >>= x >> 32 & 1;
    }
    return log;
}

/* Bits that an ideal coder of single bytes needs for the counted bytes, in units of log2_of(). */
static uint64_t bits_of(const rbt_lane_model_t *m, unsigned w)
{
    uint64_t bits = (uint64_t)m->more[w] << LOG_FRACTION;

    for (unsigned b = 0; b < PLANES; b++) {
        const uint16_t *count = m->count[w][b];
        uint32_t all = 0;
        uint64_t sum = 0;

        for (unsigned i = 0; i < BYTES; i++) {
            all += count[i];
            sum += count[i] > 1 ? count[i] * log2_of(count[i]) : 0;
        }
        bits += all > 0 ? all * log2_of(all) - sum : 0;
    }
    return bits;
}

static void look(rbt_lane_model_t *m)
{
    uint64_t bits[RBT_LANE_WAYS];

    for (unsigned w = 0; w < RBT_LANE_WAYS; w++)
        bits[w] = bits_of(m, w);
    m->best = bits[1] < bits[0];
    m->next_look = m->next_look < LOOK_EVERY ? 4 * m->next_look : m->next_look + LOOK_EVERY;
}

unsigned rbt_lane_choice(rbt_lane_choice_t *c, uint32_t slot,
                         const rbt_lane_values_t ways[RBT_LANE_WAYS])
{
    rbt_lane_model_t *m = model_of(c, slot);

    if (m == NULL)
        return 0;
    if (m->records < SAMPLE_ALL || m->records % SAMPLE_EVERY == 0)
        count_values(c, m, ways);
    if (++m->records == m->next_look)
        look(m);
    return m->best;
}
