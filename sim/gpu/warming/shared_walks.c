#include "sim/gpu/warming/shared_walks.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

/* Places of walks; two that meet are not kept together. */
enum { PLACES = 1 << 16 };

typedef struct {
    uint64_t key;
    char *bytes; /* owned; NULL: empty */
    size_t n;
} place_t;

struct shared_walks {
    place_t place[PLACES]; /* by the low bits of the key */
    size_t bytes;          /* of all of them */
    uint64_t *digest;      /* owned; by position; 0: unknown */
    size_t cap_digest;
};

/* Kinds of pieces. */
enum { PIECE_DIGESTS = 2, PIECE_WALK };

shared_walks_t *shared_walks_create(void)
{
    return rb_calloc(1, sizeof(shared_walks_t));
}

void shared_walks_destroy(shared_walks_t *s)
{
    for (size_t i = 0; s != NULL && i < PLACES; i++)
        free(s->place[i].bytes);
    if (s != NULL)
        free(s->digest);
    free(s);
}

void shared_walk_free(shared_walk_t *w)
{
    used_lines_free(&w->lines);
    free(w->item);
    *w = (shared_walk_t){0};
}

/* Takes ownership of bytes. */
static void keep(shared_walks_t *s, uint64_t key, char *bytes, size_t n)
{
    place_t *p = &s->place[key % PLACES];
    if (p->bytes != NULL || s->bytes + n > SHARED_WALKS_MEMORY) {
        free(bytes);
        return;
    }
    *p = (place_t){key, bytes, n};
    s->bytes += n;
}

/* Which SMs use an item is not kept: it follows from the launch and the chip. */
static void put_items(const shared_walk_t *w, FILE *out)
{
    uint64_t address = 0;
    number_put(w->n_items, out);
    for (size_t i = 0; i < w->n_items; i++) {
        const trail_item_t *item = &w->item[i];
        difference_put(item->address - address, out);
        number_put(item->when << 2 | (uint64_t)item->code << 1 | (item->sub_cores > 0), out);
        address = item->address;
    }
}

static bool get_items(shared_walk_t *w, size_t most, FILE *in)
{
    uint64_t n, address = 0;
    if (!number_get(&n, in) || n > most)
        return false;
    w->item = rb_calloc(n + 1, sizeof(*w->item));
    for (; w->n_items < n; w->n_items++) {
        uint64_t difference, bits;
        if (!difference_get(&difference, in) || !number_get(&bits, in))
            return false;
        address += difference;
        w->item[w->n_items] = (trail_item_t){
            .address = address, .when = bits >> 2, .code = (bits & 2) != 0, .sub_cores = bits & 1};
    }
    return true;
}

void shared_walks_put(shared_walks_t *s, uint64_t key, const shared_walk_t *w)
{
    memory_file_t m;
    size_t n;
    FILE *out = memory_file_open(&m);
    number_put(PIECE_WALK, out);
    number_put(key, out);
    number_put(w->warp_insts, out);
    put_items(w, out);
    used_lines_put(&w->lines, out);
    char *bytes = memory_file_close(&m, &n);
    keep(s, key, bytes, n);
}

/* Reads a walk; each item and line takes a byte at least. */
static bool get_walk(shared_walk_t *w, const void *bytes, size_t n, uint64_t *key)
{
    uint64_t kind;
    FILE *in = fmemopen((void *)(uintptr_t)bytes, n, "r");
    *w = (shared_walk_t){0};
    bool ok = in != NULL && number_get(&kind, in) && kind == PIECE_WALK && number_get(key, in) &&
              number_get(&w->warp_insts, in) && get_items(w, n, in) &&
              used_lines_get(&w->lines, n, in);
    if (in != NULL)
        fclose(in);
    if (!ok)
        shared_walk_free(w);
    return ok;
}

bool shared_walks_find(const shared_walks_t *s, uint64_t key, shared_walk_t *out)
{
    const place_t *p = &s->place[key % PLACES];
    uint64_t found;
    return p->bytes != NULL && p->key == key && get_walk(out, p->bytes, p->n, &found);
}

bool shared_walks_has(const shared_walks_t *s, uint64_t key)
{
    const place_t *p = &s->place[key % PLACES];
    return p->bytes != NULL && p->key == key;
}

void shared_walks_put_digest(shared_walks_t *s, uint64_t position, uint64_t digest)
{
    const size_t had = s->cap_digest;
    rb_grow(&s->digest, &s->cap_digest, position + 1, sizeof(*s->digest));
    memset(s->digest + had, 0, (s->cap_digest - had) * sizeof(*s->digest));
    s->digest[position] = digest;
}

uint64_t shared_walks_digest(const shared_walks_t *s, uint64_t position)
{
    return position < s->cap_digest ? s->digest[position] : 0;
}

void shared_walks_visit(const shared_walks_t *s,
                        void (*visit)(void *ctx, const void *bytes, size_t n), void *ctx)
{
    memory_file_t m;
    size_t n;
    FILE *out = memory_file_open(&m);
    number_put(PIECE_DIGESTS, out);
    for (size_t i = 0; i < s->cap_digest; i++) {
        if (s->digest[i] == 0)
            continue;
        number_put(i, out);
        number_put(s->digest[i], out);
    }
    char *digests = memory_file_close(&m, &n);
    visit(ctx, digests, n);
    free(digests);
    for (size_t i = 0; i < PLACES; i++)
        if (s->place[i].bytes != NULL)
            visit(ctx, s->place[i].bytes, s->place[i].n);
}

/* Launches that a program may have here. */
enum { POSITIONS_MOST = 1 << 28 };

static bool take_digests(shared_walks_t *s, FILE *in)
{
    uint64_t position, digest;
    while (number_get(&position, in)) {
        if (!number_get(&digest, in) || position > POSITIONS_MOST)
            return false;
        shared_walks_put_digest(s, position, digest);
    }
    return true;
}

bool shared_walks_take(shared_walks_t *s, const void *bytes, size_t n)
{
    uint64_t kind = 0, key = 0;
    FILE *in = n > 0 ? fmemopen((void *)(uintptr_t)bytes, n, "r") : NULL;
    bool ok = in != NULL && number_get(&kind, in);
    if (ok && kind == PIECE_WALK && (ok = number_get(&key, in))) {
        char *copy = rb_calloc(n, 1);
        memcpy(copy, bytes, n);
        keep(s, key, copy, n);
    } else if (ok) {
        ok = kind == PIECE_DIGESTS && take_digests(s, in);
    }
    if (in != NULL)
        fclose(in);
    return ok;
}
