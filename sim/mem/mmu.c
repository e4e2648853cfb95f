#include "sim/mem/mmu.h"

#include "sim/core/engine/inbox.h"
#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/cache/replacement.h"

/* A page walk that was in flight at the last request. */
typedef struct {
    uint64_t entry;
    cycle_t done;
} walk_t;

struct mmu {
    const mmu_spec_t *spec;   /* borrowed */
    const uint16_t *sm_shard; /* borrowed */
    inbox_t inbox;
    cache_t *known; /* owned; entries that were walked, or are being walked */
    walk_t *walk;   /* owned; by end cycle */
    size_t n_walk, cap_walk;
};

mmu_t *mmu_create(const mmu_spec_t *spec, uint32_t entry_bytes, const uint16_t *sm_shard)
{
    mmu_t *m = rb_model_calloc(1, sizeof(*m));
    m->spec = spec;
    m->sm_shard = sm_shard;
    inbox_init(&m->inbox);
    m->known = cache_create(1, spec->entries, entry_bytes, REPLACEMENT_LRU, false, false);
    return m;
}

void mmu_destroy(mmu_t *m)
{
    if (m == NULL)
        return;
    inbox_free(&m->inbox);
    cache_destroy(m->known);
    rb_model_free(m->walk);
    rb_model_free(m);
}

static void mmu_deliver(void *self, const msg_t *msg, size_t n)
{
    mmu_t *m = self;
    inbox_put(&m->inbox, msg, n);
}

static void forget_walks(mmu_t *m, cycle_t now)
{
    size_t over = 0, n = 0;
    while (over < m->n_walk && m->walk[over].done <= now)
        over++;
    if (over == 0)
        return;
    while (over < m->n_walk)
        m->walk[n++] = m->walk[over++];
    m->n_walk = n;
}

/* End of the walk for an entry; starts it now if there was none. */
static cycle_t walk_end(mmu_t *m, uint64_t entry, cycle_t now)
{
    forget_walks(m, now);
    if (cache_use(m->known, entry)) {
        for (size_t i = m->n_walk; i-- > 0;)
            if (m->walk[i].entry == entry)
                return m->walk[i].done;
        return now;
    }
    rb_model_grow(&m->walk, &m->cap_walk, m->n_walk + 1, sizeof(*m->walk));
    m->walk[m->n_walk++] = (walk_t){.entry = entry, .done = now + m->spec->walk};
    return now + m->spec->walk;
}

static void answer(mmu_t *m, const msg_t *question, outbox_t *out)
{
    RB_INVARIANT(question->kind == MSG_TRANSLATE, "MMU: message of kind %d", question->kind);
    cycle_t looked_up = question->arrival + m->spec->lookup;
    msg_t reply = {.kind = MSG_TRANSLATION,
                   .arrival = walk_end(m, question->entry, looked_up) + m->spec->latency,
                   .entry = question->entry};
    engine_send(out, m->sm_shard[question->input], &reply);
}

static cycle_t mmu_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    mmu_t *m = self;
    (void)from;
    for (uint32_t n; (n = inbox_take(&m->inbox, to)) != 0;) {
        answer(m, &msg_pool_at(&m->inbox.pool, n)->msg, out);
        msg_pool_free(&m->inbox.pool, n);
    }
    inbox_advance(&m->inbox, to);
    return inbox_next(&m->inbox);
}

static void mmu_dump(const void *self, FILE *out)
{
    const mmu_t *m = self;
    fprintf(out, "MMU: %u translations known, %zu page walks at the last request\n",
            cache_count(m->known), m->n_walk);
}

const shard_ops_t mmu_shard_ops = {
    .kind = "mmu", .deliver = mmu_deliver, .run = mmu_run, .dump = mmu_dump};

void mmu_learn(mmu_t *m, uint64_t entry)
{
    (void)cache_use(m->known, entry);
}

void mmu_forget(mmu_t *m)
{
    cache_invalidate(m->known);
    m->n_walk = 0;
}

int mmu_save(const mmu_t *m, FILE *out)
{
    return cache_save(m->known, out);
}

int mmu_load(mmu_t *m, FILE *in)
{
    m->n_walk = 0;
    return cache_load(m->known, in);
}
