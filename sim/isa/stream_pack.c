#include "sim/isa/stream_pack.h"

#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

enum { DICTIONARY_MAX = 1 << 9 };

/* How a record differs from its prediction. */
enum {
    RECORD_BODY = 3,        /* mask of the forms of the distances between lanes: */
    RECORD_BODY_SAME = 0,   /* those of the last record, or none */
    RECORD_BODY_KNOWN = 1,  /* a number in the dictionary follows */
    RECORD_BODY_INLINE = 2, /* they follow, in as many bytes as they need */
    RECORD_BODY_RAW = 3,    /* the words of a list of addresses follow */
    RECORD_HEADER = 4,      /* form, lanes and stride follow */
    RECORD_BASE = 8,        /* the distance from the predicted address follows */
};

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static uint64_t get_varint(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*p)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

static uint64_t zigzag(uint64_t v)
{
    return v << 1 ^ (0 - (v >> 63));
}

static uint64_t unzigzag(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

static bool is_addressed(const inst_t *inst)
{
    return inst->space != MEM_NONE && inst->width != 0;
}

static pack_slot_t *slot_of(pack_state_t *s, const inst_t *inst)
{
    return &s->slot[(uintptr_t)inst / sizeof(inst_t) % PACK_SLOTS];
}

static pack_turn_t *turn_after(pack_state_t *s, const inst_t *first)
{
    return &s->turn[(uintptr_t)first / sizeof(inst_t) % PACK_TURNS];
}

static bool same_run(const trace_run_t *a, const trace_run_t *b)
{
    return a->first == b->first && a->mask == b->mask && a->count == b->count;
}

/* Words of the distances between lanes. */
static unsigned body_words(uint64_t header)
{
    const addr_form_t form = addr_form(&header);
    return form == ADDR_DELTA || form == ADDR_ROWS ? (unsigned)addr_words(&header) - 2 : 0;
}

/* The address that the next record of an instruction is predicted to have. */
static uint64_t predicted_base(const pack_state_t *s, const pack_slot_t *slot, const inst_t *inst)
{
    return slot->inst == inst ? slot->base + slot->step : s->base;
}

static void remember(pack_state_t *s, pack_slot_t *slot, const inst_t *inst, uint64_t header,
                     uint64_t base, uint32_t body)
{
    *slot = (pack_slot_t){.inst = inst,
                          .header = header,
                          .base = base,
                          .step = slot->inst == inst ? base - slot->base : 0,
                          .body = body};
    s->base = base;
}

/* --- packing --------------------------------------------------------------------------------- */

/* A column of a piece: what is not predicted, each after the number of predictions before it. */
typedef struct {
    uint8_t *at;
    uint64_t hits;
} column_t;

static void end_hits(column_t *c)
{
    c->at = put_varint(c->at, c->hits);
    c->hits = 0;
}

void pack_begin(packer_t *p)
{
    memset(p->place, 0, sizeof(p->place));
}

static void put_run(pack_state_t *s, column_t *c, const trace_run_t *run)
{
    pack_turn_t *turn = turn_after(s, s->last.first);
    if (turn->after == s->last.first && same_run(&turn->run, run)) {
        c->hits++;
    } else {
        const uint64_t from = (uint64_t)(uintptr_t)s->last.first;
        const bool masked = run->mask != s->last.mask;
        end_hits(c);
        c->at = put_varint(c->at, (uint64_t)run->count << 1 | masked);
        c->at = put_varint(c->at, zigzag((uint64_t)(uintptr_t)run->first - from));
        if (masked) {
            memcpy(c->at, &run->mask, sizeof(run->mask));
            c->at += sizeof(run->mask);
        }
        *turn = (pack_turn_t){.after = s->last.first, .run = *run};
    }
    s->last = *run;
}

static uint64_t hash_body(const uint64_t *body, unsigned words)
{
    uint64_t h = words;
    for (unsigned i = 0; i < words; i++)
        h = (h ^ body[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
    return h ^ h >> 32;
}

/* The number of a body in the dictionary, 0 if it is not there. A body that occurred before is
 * added. */
static uint32_t find_body(packer_t *p, pack_dictionary_t *d, const uint64_t *body, unsigned words)
{
    enum { PLACES = sizeof(p->place) / sizeof(*p->place), SEEN = sizeof(p->seen) / 4 };
    const uint64_t h = hash_body(body, words);
    uint32_t *place = &p->place[h % PLACES];
    for (; *place != 0; place = place + 1 < p->place + PLACES ? place + 1 : p->place)
        if (memcmp(d->body[*place - 1], body, words * sizeof(*body)) == 0)
            return *place;
    uint32_t *seen = &p->seen[h / PLACES % SEEN];
    if (*seen != (uint32_t)(h >> 32) || d->n == DICTIONARY_MAX) {
        *seen = (uint32_t)(h >> 32);
        return 0;
    }
    rb_grow(&d->body, &d->cap, d->n + 1, sizeof(*d->body));
    memset(d->body[d->n], 0, sizeof(*d->body));
    memcpy(d->body[d->n++], body, words * sizeof(*body));
    return *place = (uint32_t)d->n;
}

/* Distances in as many bytes as the longest one needs: a byte with the number of bytes and how far
 * they are shifted, then the values. */
static uint8_t *put_body(uint8_t *p, const uint64_t *body, unsigned words)
{
    int32_t v[2 * PACK_BODY];
    uint32_t any = 0, most = 0;
    memcpy(v, body, words * sizeof(*body));
    for (unsigned i = 0; i < 2 * words; i++) {
        any |= (uint32_t)v[i];
        most |= (uint32_t)v[i] << 1 ^ (uint32_t)(v[i] >> 31);
    }
    const unsigned shift = any != 0 ? (unsigned)__builtin_ctz(any) : 0;
    const uint32_t value = most >> shift | 1;
    const unsigned bytes = (unsigned)(39 - __builtin_clz(value)) / 8;
    *p++ = (uint8_t)((bytes - 1) << 5 | shift);
    for (unsigned i = 0; i < 2 * words; i++) {
        const int32_t shifted = v[i] >> shift;
        const uint32_t z = (uint32_t)shifted << 1 ^ (uint32_t)(shifted >> 31);
        memcpy(p, &z, sizeof(z));
        p += bytes;
    }
    return p;
}

static void get_body(const uint8_t **p, uint64_t *body, unsigned words)
{
    const unsigned bytes = (**p >> 5) + 1u, shift = **p & 31u;
    const uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);
    uint32_t v[2 * PACK_BODY];
    (*p)++;
    for (unsigned i = 0; i < 2 * words; i++) {
        uint32_t z;
        memcpy(&z, *p, sizeof(z)); /* later bytes of the buffer may be read */
        z &= mask;
        v[i] = (z >> 1 ^ (0 - (z & 1))) << shift;
        *p += bytes;
    }
    memcpy(body, v, words * sizeof(*body));
}

static uint8_t *put_header(uint8_t *p, uint64_t header)
{
    *p++ = (uint8_t)header;
    return put_varint(p, zigzag((uint64_t)(int64_t)addr_stride(&header)));
}

static uint64_t get_header(const uint8_t **p)
{
    const uint8_t low = *(*p)++;
    return low | unzigzag(get_varint(p)) << 32;
}

/* Stores what the body does not share with the instruction's last record. Returns its number in the
 * dictionary. */
static uint32_t put_any_body(packer_t *p, pack_dictionary_t *d, uint8_t **at, const uint64_t *rec,
                             unsigned *mode)
{
    const unsigned words = body_words(rec[0]);
    if (addr_form(rec) == ADDR_LIST) {
        const size_t bytes = (addr_words(rec) - 2) * sizeof(*rec);
        memcpy(*at, rec + 2, bytes);
        *at += bytes;
        *mode |= RECORD_BODY_RAW;
        return 0;
    }
    const uint32_t body = find_body(p, d, rec + 2, words);
    if (body != 0) {
        *at = put_varint(*at, body);
        *mode |= RECORD_BODY_KNOWN;
    } else {
        *at = put_body(*at, rec + 2, words);
        *mode |= RECORD_BODY_INLINE;
    }
    return body;
}

static void put_record(packer_t *p, pack_state_t *s, pack_dictionary_t *d, column_t *c,
                       const inst_t *inst, const uint64_t *rec)
{
    pack_slot_t *slot = slot_of(s, inst);
    const uint64_t base = predicted_base(s, slot, inst);
    const unsigned words = body_words(rec[0]);
    const bool known = slot->inst == inst && slot->header == rec[0];
    const bool same = words == 0
                          ? addr_form(rec) == ADDR_AFFINE
                          : known && slot->body != 0 &&
                                memcmp(d->body[slot->body - 1], rec + 2, words * sizeof(*rec)) == 0;
    if (known && same && rec[1] == base) {
        c->hits++;
        remember(s, slot, inst, rec[0], rec[1], slot->body);
        return;
    }
    unsigned mode = (known ? 0u : RECORD_HEADER) | (rec[1] == base ? 0u : RECORD_BASE);
    end_hits(c);
    uint8_t *const head = c->at++;
    if (!known)
        c->at = put_header(c->at, rec[0]);
    if (rec[1] != base)
        c->at = put_varint(c->at, zigzag(rec[1] - base));
    const uint32_t body = same ? slot->body : put_any_body(p, d, &c->at, rec, &mode);
    *head = (uint8_t)mode;
    remember(s, slot, inst, rec[0], rec[1], words == 0 ? 0 : body);
}

/* Packs the records of count instructions, as many as fit. Returns of how many instructions. */
static uint32_t put_records(packer_t *p, pack_state_t *s, pack_dictionary_t *d, column_t *c,
                            pack_input_t *in, const inst_t *first, uint32_t count, size_t *n_words)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_addressed(first + i))
            continue;
        const size_t words = addr_words(in->addrs);
        if (*n_words + words > PACK_WORDS)
            return i;
        put_record(p, s, d, c, first + i, in->addrs);
        in->addrs += words;
        *n_words += words;
    }
    return count;
}

size_t pack_piece(packer_t *p, pack_state_t *s, pack_dictionary_t *d, pack_input_t *in)
{
    column_t runs = {.at = p->out + sizeof(pack_head_t)}, records = {.at = p->records};
    pack_head_t head = {0};
    size_t n_words = 0;
    uint32_t shown = s->left > 0; /* runs of the piece: one goes on from the last piece */
    do {
        if (s->left == 0) {
            put_run(s, &runs, in->run);
            s->left = in->run->count;
            in->run++;
            in->n_runs--;
            head.n_runs++;
            shown++;
        }
        const inst_t *first = s->last.first + (s->last.count - s->left);
        const uint32_t done = s->last.mask == 0
                                  ? s->left
                                  : put_records(p, s, d, &records, in, first, s->left, &n_words);
        head.tail = (uint16_t)done;
        s->left -= done;
    } while (s->left == 0 && in->n_runs > 0 && shown < PACK_RUNS);
    end_hits(&runs);
    end_hits(&records);
    const size_t n_records = (size_t)(records.at - p->records);
    const size_t bytes = (size_t)(runs.at - p->out) + n_records;
    RB_INVARIANT(bytes <= PACK_BYTES, "a piece of a warp's stream has %zu bytes", bytes);
    head.n_words = (uint16_t)n_words;
    head.bytes = (uint16_t)bytes;
    memcpy(runs.at, p->records, n_records);
    memcpy(p->out, &head, sizeof(head));
    return bytes;
}

/* --- unpacking ------------------------------------------------------------------------------- */

/* A column that is read. */
typedef struct {
    const uint8_t *at;
    uint64_t hits;
} reader_t;

static bool take_hit(reader_t *r)
{
    const bool hit = r->hits > 0;
    r->hits -= hit;
    return hit;
}

static void get_run(pack_state_t *s, reader_t *r)
{
    pack_turn_t *turn = turn_after(s, s->last.first);
    if (take_hit(r)) {
        s->last = turn->run;
        return;
    }
    const uint64_t count = get_varint(&r->at);
    const uint64_t from = (uint64_t)(uintptr_t)s->last.first;
    trace_run_t run = {.count = (uint16_t)(count >> 1), .mask = s->last.mask};
    run.first = (const inst_t *)(uintptr_t)(from + unzigzag(get_varint(&r->at)));
    if (count & 1) {
        memcpy(&run.mask, r->at, sizeof(run.mask));
        r->at += sizeof(run.mask);
    }
    r->hits = get_varint(&r->at);
    *turn = (pack_turn_t){.after = s->last.first, .run = run};
    s->last = run;
}

/* Unpacks the runs of a piece. Returns how many. */
static uint32_t get_runs(pack_state_t *s, reader_t *r, const pack_head_t *head, trace_run_t *runs)
{
    uint32_t n = 0;
    if (s->left > 0) {
        runs[n] = s->last;
        runs[n].first += s->last.count - s->left;
        runs[n++].count = (uint16_t)s->left;
    }
    for (uint32_t i = 0; i < head->n_runs; i++) {
        get_run(s, r);
        runs[n++] = s->last;
    }
    s->left = runs[n - 1].count - (uint32_t)head->tail;
    runs[n - 1].count = head->tail;
    return n - (head->tail == 0);
}

static size_t write_body(const pack_dictionary_t *d, uint32_t body, unsigned words, uint64_t *out)
{
    if (words > 0)
        memcpy(out, d->body[body - 1], sizeof(*d->body)); /* there is room for all of it */
    return 2 + words;
}

static size_t get_unpredicted(pack_state_t *s, const pack_dictionary_t *d, reader_t *r,
                              pack_slot_t *slot, const inst_t *inst, uint64_t *out)
{
    const unsigned mode = *r->at++;
    uint32_t body = slot->body;
    out[0] = mode & RECORD_HEADER ? get_header(&r->at) : slot->header;
    out[1] = predicted_base(s, slot, inst);
    if (mode & RECORD_BASE)
        out[1] += unzigzag(get_varint(&r->at));
    const unsigned words = body_words(out[0]);
    size_t n = 2 + words;
    switch (mode & RECORD_BODY) {
    case RECORD_BODY_RAW:
        n = addr_words(out);
        memcpy(out + 2, r->at, (n - 2) * sizeof(*out));
        r->at += (n - 2) * sizeof(*out);
        body = 0;
        break;
    case RECORD_BODY_INLINE:
        get_body(&r->at, out + 2, words);
        body = 0;
        break;
    case RECORD_BODY_KNOWN:
        body = (uint32_t)get_varint(&r->at);
        /* fall through */
    default:
        write_body(d, body, words, out + 2);
    }
    remember(s, slot, inst, out[0], out[1], words == 0 ? 0 : body);
    r->hits = get_varint(&r->at);
    return n;
}

static size_t get_record(pack_state_t *s, const pack_dictionary_t *d, reader_t *r,
                         const inst_t *inst, uint64_t *out)
{
    pack_slot_t *slot = slot_of(s, inst);
    if (!take_hit(r))
        return get_unpredicted(s, d, r, slot, inst, out);
    out[0] = slot->header;
    out[1] = slot->base + slot->step;
    slot->step = out[1] - slot->base;
    s->base = slot->base = out[1];
    return write_body(d, slot->body, body_words(out[0]), out + 2);
}

uint32_t unpack_piece(pack_state_t *s, const pack_dictionary_t *d, const uint8_t *piece,
                      trace_run_t *runs, uint64_t *words)
{
    pack_head_t head;
    memcpy(&head, piece, sizeof(head));
    reader_t r = {.at = piece + sizeof(head)};
    r.hits = get_varint(&r.at);
    const uint32_t n = get_runs(s, &r, &head, runs);
    r.hits = get_varint(&r.at);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < runs[k].count && runs[k].mask != 0; i++)
            if (is_addressed(runs[k].first + i))
                words += get_record(s, d, &r, runs[k].first + i, words);
    }
    return n;
}
