#include "sim/isa/stream_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

enum {
    CHUNK_BYTES = 64 << 10,
    CHUNK_SLACK = 8,      /* bytes that unpacking may read behind a piece */
    READ_BYTES = 4 << 10, /* of a piece in the file, at first */
    IN_MEMORY = -1,
};

/* Packed pieces, one behind the other. */
typedef struct {
    uint8_t *bytes; /* owned; NULL: in the file */
    uint32_t used;
    int64_t slot; /* of the file, or IN_MEMORY */
} chunk_t;

typedef struct {
    uint32_t chunk, at;
} position_t;

/* Consecutive pieces of a warp. */
typedef struct {
    position_t from;
    uint32_t n;
} stretch_t;

/* The pieces of a warp. */
typedef struct stream_pieces {
    long_block_t *block; /* borrowed */
    pack_state_t state;
    stretch_t *stretch; /* owned */
    size_t n_stretches, cap_stretches;
    size_t reading; /* stretch being read */
    uint32_t read;  /* pieces of it that were read */
    position_t next;
    trace_run_t *runs;  /* in the block's windows: PACK_RUNS */
    uint64_t *words;    /* and a ring of words */
    uint32_t next_word; /* where the next piece's records go */
} pieces_t;

/* What is needed only while a block is packed. */
typedef struct long_packer {
    packer_t packer;
    struct long_packer *next;
} long_packer_t;

struct long_block {
    stream_store_t *store; /* borrowed */
    uint32_t n_warps;
    pieces_t *warp; /* owned */
    pack_dictionary_t dictionary;
    chunk_t *chunk; /* owned */
    size_t n_chunks, cap_chunks;
    long_packer_t *packer; /* owned while the block is packed */
    uint32_t packed_last;  /* warp of the last piece */
    void *windows;         /* owned; allocated when first read */
    uint8_t *scratch;      /* owned; a piece from the file */
    long_block_t *next, *next_made;
};

/* --- the store ------------------------------------------------------------------------------- */

void stream_store_init(stream_store_t *s, const stream_limits_t *limits)
{
    *s = (stream_store_t){.limits = *limits, .fd = -1};
    pthread_mutex_init(&s->lock, NULL);
}

static void give_packer(long_block_t *b)
{
    stream_store_t *s = b->store;
    if (b->packer == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    b->packer->next = s->packers;
    s->packers = b->packer;
    pthread_mutex_unlock(&s->lock);
    b->packer = NULL;
}

static void take_packer(long_block_t *b)
{
    stream_store_t *s = b->store;
    pthread_mutex_lock(&s->lock);
    b->packer = s->packers;
    if (b->packer != NULL)
        s->packers = b->packer->next;
    pthread_mutex_unlock(&s->lock);
    if (b->packer == NULL)
        b->packer = rb_calloc(1, sizeof(*b->packer));
    pack_begin(&b->packer->packer);
}

static void free_chunks(long_block_t *b)
{
    stream_store_t *s = b->store;
    for (size_t i = 0; i < b->n_chunks; i++) {
        const chunk_t *c = &b->chunk[i];
        if (c->bytes != NULL) {
            free(c->bytes);
            atomic_fetch_sub(&s->held, CHUNK_BYTES);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        rb_grow(&s->slots, &s->cap_slots, s->n_slots + 1, sizeof(*s->slots));
        s->slots[s->n_slots++] = (uint32_t)c->slot;
        pthread_mutex_unlock(&s->lock);
    }
    b->n_chunks = 0;
}

static void destroy_block(long_block_t *b)
{
    give_packer(b);
    free_chunks(b);
    for (uint32_t w = 0; w < b->n_warps; w++)
        free(b->warp[w].stretch);
    free(b->dictionary.body);
    free(b->chunk);
    free(b->windows);
    free(b->scratch);
    free(b->warp);
    free(b);
}

void stream_store_free(stream_store_t *s)
{
    while (s->made != NULL) {
        long_block_t *b = s->made;
        s->made = b->next_made;
        destroy_block(b);
    }
    while (s->packers != NULL) {
        long_packer_t *p = s->packers;
        s->packers = p->next;
        free(p);
    }
    if (s->fd >= 0)
        close(s->fd);
    free(s->slots);
    pthread_mutex_destroy(&s->lock);
}

static long_block_t *make_block(stream_store_t *s, uint32_t n_warps)
{
    long_block_t *b = rb_calloc(1, sizeof(*b));
    b->store = s;
    b->n_warps = n_warps;
    b->warp = rb_calloc(n_warps, sizeof(*b->warp));
    for (uint32_t w = 0; w < n_warps; w++)
        b->warp[w].block = b;
    return b;
}

long_block_t *stream_store_take(stream_store_t *s, uint32_t n_warps)
{
    pthread_mutex_lock(&s->lock);
    long_block_t *b = s->free;
    if (b != NULL) {
        s->free = b->next;
    } else {
        b = make_block(s, n_warps);
        b->next_made = s->made;
        s->made = b;
    }
    pthread_mutex_unlock(&s->lock);
    b->dictionary.n = 0;
    b->packed_last = UINT32_MAX;
    for (uint32_t w = 0; w < n_warps; w++)
        b->warp[w].n_stretches = 0;
    take_packer(b);
    return b;
}

void stream_store_give(stream_store_t *s, long_block_t *b)
{
    give_packer(b);
    free_chunks(b);
    pthread_mutex_lock(&s->lock);
    b->next = s->free;
    s->free = b;
    pthread_mutex_unlock(&s->lock);
}

/* --- the temporary file ---------------------------------------------------------------------- */

/* Keeps the first error; call with errno set. */
static void fail(stream_store_t *s)
{
    const char *why = strerror(errno);
    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->failed))
        rb_fail(&s->err, RB_IO,
                "%s: %s: the temporary file of long thread blocks (TMPDIR or --tmpdir chooses "
                "another folder)",
                unnamed_file_dir(s->limits.dir), why);
    atomic_store(&s->failed, true);
    pthread_mutex_unlock(&s->lock);
}

/* A free chunk of the file, which is made if there is none yet; -1: failed. */
static int64_t take_slot(stream_store_t *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->fd < 0)
        s->fd = unnamed_file_open(unnamed_file_dir(s->limits.dir));
    const bool open = s->fd >= 0;
    int64_t slot = -1;
    if (open)
        slot = s->n_slots > 0 ? s->slots[--s->n_slots] : s->end_slot++;
    pthread_mutex_unlock(&s->lock);
    if (!open)
        fail(s);
    return slot;
}

/* Moves the bytes of a full chunk to the file. Returns their memory for the next chunk, NULL if it
 * failed. */
static uint8_t *spool(stream_store_t *s, chunk_t *c)
{
    const int64_t slot = take_slot(s);
    if (slot < 0)
        return NULL;
    c->slot = slot;
    uint8_t *bytes = c->bytes;
    c->bytes = NULL;
    if (unnamed_file_write(s->fd, bytes, c->used, (uint64_t)slot * CHUNK_BYTES))
        return bytes;
    fail(s);
    free(bytes);
    atomic_fetch_sub(&s->held, CHUNK_BYTES);
    return NULL;
}

/* --- packing --------------------------------------------------------------------------------- */

/* Begins another chunk. false: the store has failed. */
static bool add_chunk(long_block_t *b)
{
    stream_store_t *s = b->store;
    uint8_t *bytes = NULL;
    if (b->n_chunks > 0 && atomic_load(&s->held) >= s->limits.memory_bytes) {
        bytes = spool(s, &b->chunk[b->n_chunks - 1]);
        if (bytes == NULL)
            return false;
    } else {
        bytes = rb_realloc(NULL, CHUNK_BYTES + CHUNK_SLACK, 1);
        atomic_fetch_add(&s->held, CHUNK_BYTES);
    }
    rb_grow(&b->chunk, &b->cap_chunks, b->n_chunks + 1, sizeof(*b->chunk));
    b->chunk[b->n_chunks++] = (chunk_t){.bytes = bytes, .slot = IN_MEMORY};
    return true;
}

/* Appends a piece of a warp to the packed bytes. false: the store has failed. */
static bool add_piece(long_block_t *b, uint32_t warp, const uint8_t *piece, uint32_t bytes)
{
    if ((b->n_chunks == 0 || b->chunk[b->n_chunks - 1].used + bytes > CHUNK_BYTES) && !add_chunk(b))
        return false;
    chunk_t *c = &b->chunk[b->n_chunks - 1];
    pieces_t *w = &b->warp[warp];
    if (b->packed_last != warp) {
        rb_grow(&w->stretch, &w->cap_stretches, w->n_stretches + 1, sizeof(*w->stretch));
        w->stretch[w->n_stretches++] =
            (stretch_t){.from = {.chunk = (uint32_t)b->n_chunks - 1, .at = c->used}};
        b->packed_last = warp;
    }
    w->stretch[w->n_stretches - 1].n++;
    memcpy(c->bytes + c->used, piece, bytes);
    c->used += bytes;
    return true;
}

void long_block_put(long_block_t *b, uint32_t warp, const trace_run_t *runs, uint32_t n_runs,
                    const uint64_t *addrs)
{
    packer_t *p = &b->packer->packer;
    pieces_t *w = &b->warp[warp];
    pack_input_t in = {.run = runs, .n_runs = n_runs, .addrs = addrs};
    if (w->n_stretches == 0)
        memset(&w->state, 0, sizeof(w->state));
    while (in.n_runs > 0 || w->state.left > 0) {
        const size_t bytes = pack_piece(p, &w->state, &b->dictionary, &in);
        if (atomic_load(&b->store->failed) || !add_piece(b, warp, p->out, (uint32_t)bytes))
            return;
    }
}

/* Gives back what the last chunk does not use. */
static void trim(long_block_t *b)
{
    if (b->n_chunks == 0)
        return;
    chunk_t *c = &b->chunk[b->n_chunks - 1];
    c->bytes = rb_realloc(c->bytes, c->used + CHUNK_SLACK, 1);
}

rb_code_t long_block_end(long_block_t *b, warp_stream_t *warps, rb_err_t *err)
{
    stream_store_t *s = b->store;
    give_packer(b);
    if (atomic_load(&s->failed))
        return rb_fail(err, s->err.code, "%s", s->err.text);
    trim(b);
    for (uint32_t w = 0; w < b->n_warps; w++) {
        const bool there = b->warp[w].n_stretches > 0;
        warps[w].runs = NULL;
        warps[w].addrs = NULL;
        warps[w].n_runs = there;
        warps[w].n_addr_words = 0;
        warps[w].pieces = there ? &b->warp[w] : NULL;
    }
    return RB_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Words of the ring of a warp. The records of a piece are contiguous, and neither they nor what
 * unpacking writes behind them reach the words to be kept. */
static size_t ring_words(const stream_store_t *s)
{
    return 2 * (PACK_WORDS + PACK_SLACK) + (size_t)s->limits.keep;
}

static void make_windows(long_block_t *b)
{
    const size_t runs = PACK_RUNS * sizeof(trace_run_t);
    const size_t window = runs + ring_words(b->store) * sizeof(uint64_t);
    if (b->windows != NULL)
        return;
    char *at = b->windows = rb_calloc_aligned(b->n_warps, window);
    for (uint32_t w = 0; w < b->n_warps; w++, at += window) {
        b->warp[w].runs = (trace_run_t *)(void *)at;
        b->warp[w].words = (uint64_t *)(void *)(at + runs);
    }
}

/* The packed bytes at a position, from memory or the file; NULL: failed. */
static const uint8_t *find_piece(long_block_t *b, position_t p)
{
    const chunk_t *c = &b->chunk[p.chunk];
    if (c->bytes != NULL)
        return c->bytes + p.at;
    if (b->scratch == NULL)
        b->scratch = rb_realloc(NULL, PACK_BYTES + CHUNK_SLACK, 1);
    const uint64_t from = (uint64_t)c->slot * CHUNK_BYTES + p.at;
    const size_t left = c->used - p.at, first = left < READ_BYTES ? left : READ_BYTES;
    pack_head_t head = {0};
    bool ok = unnamed_file_read(b->store->fd, b->scratch, first, from);
    if (ok)
        memcpy(&head, b->scratch, sizeof(head));
    if (ok && head.bytes > first)
        ok = unnamed_file_read(b->store->fd, b->scratch + first, head.bytes - first, from + first);
    if (!ok)
        fail(b->store);
    return ok ? b->scratch : NULL;
}

/* Unpacks the piece at w->next. */
static bool load(warp_stream_t *warp)
{
    pieces_t *w = warp->pieces;
    long_block_t *b = w->block;
    if (w->next.at == b->chunk[w->next.chunk].used)
        w->next = (position_t){.chunk = w->next.chunk + 1};
    const uint8_t *piece = find_piece(b, w->next);
    warp->n_runs = 0;
    if (piece == NULL)
        return false;
    pack_head_t head;
    memcpy(&head, piece, sizeof(head));
    if (w->next_word + head.n_words + PACK_SLACK > ring_words(b->store))
        w->next_word = 0;
    warp->runs = w->runs;
    warp->addrs = w->words + w->next_word;
    warp->n_addr_words = head.n_words;
    warp->n_runs = unpack_piece(&w->state, &b->dictionary, piece, w->runs, w->words + w->next_word);
    w->next_word += head.n_words;
    w->next.at += head.bytes;
    w->read++;
    return true;
}

bool stream_first_piece(warp_stream_t *warp)
{
    pieces_t *w = warp->pieces;
    make_windows(w->block);
    memset(&w->state, 0, sizeof(w->state));
    w->reading = 0;
    w->read = 0;
    w->next_word = 0;
    w->next = w->stretch[0].from;
    return load(warp);
}

bool stream_next_piece(warp_stream_t *warp)
{
    pieces_t *w = warp->pieces;
    if (w->read == w->stretch[w->reading].n) {
        if (++w->reading == w->n_stretches)
            return false;
        w->read = 0;
        w->next = w->stretch[w->reading].from;
    }
    return load(warp);
}
