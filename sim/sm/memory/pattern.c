#include "sim/sm/memory/pattern.h"

#include <string.h>

#include "sim/core/clones.h"

enum { WORD = 4 };

static uint64_t base_line(const pattern_key_t *key)
{
    return key->rec[1] & ~(uint64_t)(LINE_BYTES - 1);
}

static pattern_t *slot_of(pattern_t *slots, const pattern_key_t *key)
{
    return &slots[key->hash % PATTERN_SLOTS];
}

static uint64_t hash_of(const pattern_key_t *key)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = (key->rec[0] ^ key->lanes) * odd;
    if (key->n_words > 0) {
        h = (h ^ key->word[0] ^ key->word[key->n_words / 2]) * odd;
        h = (h ^ key->word[key->n_words - 1]) * odd;
    }
    return h >> 32;
}

/* Packs the offsets of 32 addresses from the first one. false: they are too far apart. */
RB_CLONES_V3 static bool pack_list(const uint64_t *addr, uint64_t packed[PATTERN_WORDS])
{
    int32_t offset[WARP_LANES];
    uint64_t far = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t from = addr[i] - addr[0];
        offset[i] = (int32_t)from;
        far |= from + UINT64_C(0x80000000);
    }
    memcpy(packed, offset, sizeof(offset));
    return far >> 32 == 0;
}

/* Sets the offsets of the key's record. */
static bool find_offsets(pattern_key_t *key, unsigned width)
{
    const uint64_t *rec = key->rec;
    const int32_t stride = addr_stride(rec);
    key->n_words = (addr_lanes(rec) + 1) / 2;
    key->word = rec + 2;
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        key->n_words = 0;
        return stride != (int32_t)width && stride != 0;
    case ADDR_LIST:
        key->word = key->packed;
        return addr_lanes(rec) == WARP_LANES && pack_list(rec + 1, key->packed);
    case ADDR_ROWS:
        key->n_words = 1;
        return true;
    default:
        return true;
    }
}

bool pattern_key(const uint64_t *rec, uint32_t mask, unsigned width, pattern_kind_t kind,
                 pattern_key_t *key)
{
    enum { KIND_SHIFT = 24, WIDTH_SHIFT = 16, MASK_SHIFT = 32 };
    const bool shared = kind == PATTERN_SHARED_LOAD || kind == PATTERN_SHARED_STORE;
    const uint64_t unit = shared ? WORD : LINE_BYTES;
    key->rec = rec;
    key->kind = kind;
    if (!find_offsets(key, width))
        return false;
    key->lanes = (uint64_t)mask << MASK_SHIFT | (uint64_t)kind << KIND_SHIFT |
                 (uint64_t)width << WIDTH_SHIFT | rec[1] % unit;
    key->hash = hash_of(key);
    return true;
}

const pattern_t *pattern_find(const pattern_t *slots, const pattern_key_t *key)
{
    const pattern_t *p = &slots[key->hash % PATTERN_SLOTS];
    return p->lanes == key->lanes && p->header == key->rec[0] &&
                   memcmp(p->word, key->word, key->n_words * sizeof(*p->word)) == 0
               ? p
               : NULL;
}

void pattern_lines(const pattern_t *p, const pattern_key_t *key, coalesced_t *out)
{
    const uint64_t base = base_line(key);
    out->n = p->n_lines;
    for (unsigned i = 0; i < p->n_lines; i++) {
        line_access_t *a = &out->line[i];
        *a =
            (line_access_t){.line = base + (uint64_t)(int64_t)p->line[i], .sectors = p->sectors[i]};
        if (key->kind != PATTERN_STORE)
            continue;
        a->full = a->sectors;
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
            a->bytes[s] = a->sectors >> s & 1 ? ~UINT32_C(0) : 0;
    }
}

/* Whether the lines fit an entry: few, near the base, and of stores only complete sectors. */
static bool fits(const pattern_key_t *key, const coalesced_t *lines)
{
    if (lines->n > PATTERN_LINES)
        return false;
    for (unsigned i = 0; i < lines->n; i++) {
        const line_access_t *a = &lines->line[i];
        int64_t offset = (int64_t)(a->line - base_line(key));
        if (offset != (int32_t)offset || (key->kind == PATTERN_STORE && a->full != a->sectors))
            return false;
    }
    return true;
}

void pattern_note(pattern_t *slots, const pattern_key_t *key, unsigned passes, unsigned ideal,
                  const coalesced_t *lines)
{
    pattern_t *p = slot_of(slots, key);
    const bool again = p->last == key->hash;
    p->last = key->hash;
    if (!again || (lines != NULL && !fits(key, lines)))
        return;
    p->lanes = key->lanes;
    p->header = key->rec[0];
    memcpy(p->word, key->word, key->n_words * sizeof(p->word[0]));
    p->passes = (uint16_t)passes;
    p->ideal = (uint16_t)ideal;
    p->n_lines = 0;
    for (unsigned i = 0; lines != NULL && i < lines->n; i++) {
        p->sectors[i] = lines->line[i].sectors;
        p->line[i] = (int32_t)(lines->line[i].line - base_line(key));
        p->n_lines++;
    }
}
