#include "frontend/input/accelsim/text/accelsim_addr.h"

#include <string.h>

#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"

enum { MODE_LIST, MODE_STRIDE, MODE_DELTA };

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

static size_t pack_affine(uint64_t base, uint64_t stride, unsigned n, uint64_t *rec)
{
    rec[0] = addr_header(ADDR_AFFINE, n, (int32_t)(uint32_t)stride);
    rec[1] = base;
    return 2;
}

static const char *read_list(const char **p, unsigned lanes, uint64_t *rec, size_t *words)
{
    uint64_t addr[32];

    for (unsigned k = 0; k < lanes; k++) {
        *p = text_skip_blanks(*p);
        if (!text_address(p, &addr[k]))
            return "an address is missing or malformed: one for each active lane is needed";
    }
    if (lanes > 0)
        *words = addr_pack(addr, lanes, rec);
    return NULL;
}

static const char missing_delta[] =
    "an address difference is missing or malformed: one for each active lane but the first is "
    "needed";

/* Reads address differences at s. General case: any number of blanks, any distance. */
static const char *read_far_deltas(const char **p, unsigned lanes, uint64_t base, uint64_t *rec,
                                   size_t *words)
{
    uint64_t addr[32] = {base};

    for (unsigned k = 1; k < lanes; k++) {
        int64_t delta;

        *p = text_skip_blanks(*p);
        if (!text_i64(p, &delta))
            return missing_delta;
        addr[k] = addr[k - 1] + (uint64_t)delta;
    }
    *words = addr_pack(addr, lanes, rec);
    return NULL;
}

/* Whether the differences at s are those of the memo. */
static inline bool memo_matches(const addr_memo_t *m, const char *s, const char *limit,
                                unsigned lanes)
{
    return m->lanes == lanes && (size_t)(limit - s) >= m->len && memcmp(s, m->text, m->len) == 0;
}

/* Keeps the differences of the text at s that ends before `end`, and their record. Differences that
 * change all the time are not worth it: mostly the ones kept before stay. */
static void memo_keep(addr_memo_t **memo, const char *s, const char *end, unsigned lanes,
                      const uint64_t *rec, size_t words)
{
    const size_t len = (size_t)(end - s) + 1;

    if (len > ADDR_MEMO_TEXT || *end != ' ')
        return;
    if (*memo == NULL)
        *memo = rb_calloc(1, sizeof(**memo));
    addr_memo_t *m = *memo;

    if (m->lanes != 0 && ++m->missed < ADDR_MEMO_RETRY)
        return;
    m->lanes = (uint8_t)lanes;
    m->missed = 0;
    m->len = (uint16_t)len;
    m->words = (uint32_t)words;
    memcpy(m->text, s, len);
    memcpy(m->rec, rec, words * sizeof(*rec));
}

/* Reads the differences at *p. The usual case: writes to the record while reading. */
static const char *read_near_deltas(const char **p, unsigned lanes, uint64_t base, uint64_t *rec,
                                    size_t *words)
{
    uint64_t irregular = 0, far = 0;
    int64_t delta = 0, first = 0, offset = 0;
    uint32_t offset32 = 0;
    const char *s = *p;
    char *out = (char *)(rec + 2);

    rec[1 + (lanes + 1) / 2] = 0; /* the unused half of an odd count */
    memcpy(out, &offset32, sizeof(offset32));
    for (unsigned k = 1; k < lanes; k++) {
        if (s[0] == ' ' && (unsigned)(s[1] - '0') <= 9 && s[2] == ' ') {
            delta = s[1] - '0'; /* common case: a one-digit difference */
            s += 2;
        } else if (__builtin_expect(*s != ' ' || !(s++, text_short_i64(&s, &delta)), 0)) {
            return read_far_deltas(p, lanes, base, rec, words);
        }
        if (k == 1)
            first = delta;
        irregular |= (uint64_t)(delta ^ first);
        offset += delta;
        far |= (uint64_t)offset + 0x80000000u;
        offset32 = (uint32_t)offset;
        memcpy(out + k * sizeof(offset32), &offset32, sizeof(offset32));
    }
    if (far >> 32 != 0)
        return read_far_deltas(p, lanes, base, rec, words);
    *p = s;
    if (irregular == 0) {
        *words = pack_affine(base, (uint64_t)first, lanes, rec);
        return NULL;
    }
    rec[0] = addr_header(ADDR_DELTA, lanes, 0);
    rec[1] = base;
    *words = addr_find_rows(rec);
    return NULL;
}

static const char *read_delta(const char **p, const char *limit, unsigned lanes, addr_memo_t **memo,
                              uint64_t *rec, size_t *words)
{
    uint64_t base;

    if (!text_address(p, &base))
        return "the base address is missing or malformed";
    if (lanes <= 1) {
        *words = lanes == 1 ? pack_affine(base, 0, 1, rec) : 0;
        return NULL;
    }
    if (*memo != NULL && memo_matches(*memo, *p, limit, lanes)) {
        addr_memo_t *m = *memo;

        m->missed = 0;
        memcpy(rec, m->rec, m->words * sizeof(*rec));
        rec[1] = base;
        *words = m->words;
        *p += m->len - 1;
        return NULL;
    }
    const char *s = *p, *wrong = read_near_deltas(p, lanes, base, rec, words);

    if (wrong == NULL && addr_form(rec) != ADDR_LIST)
        memo_keep(memo, s, *p, lanes, rec, *words);
    return wrong;
}

static const char *read_stride(const char **p, unsigned lanes, uint64_t *rec, size_t *words)
{
    uint64_t base, addr[32];
    int64_t stride;

    if (!text_address(p, &base))
        return "the base address is missing or malformed";
    *p = text_skip_blanks(*p);
    if (!text_i64(p, &stride))
        return "the stride is missing or malformed";
    if (lanes == 0)
        return NULL;
    if (fits_i32((uint64_t)stride)) {
        *words = pack_affine(base, (uint64_t)stride, lanes, rec);
        return NULL;
    }
    for (unsigned k = 0; k < lanes; k++)
        addr[k] = base + k * (uint64_t)stride;
    *words = addr_pack(addr, lanes, rec);
    return NULL;
}

const char *accelsim_addr_read(const char **p, const char *limit, unsigned lanes,
                               addr_memo_t **memo, uint64_t *rec, size_t *words)
{
    const char *wrong;
    char mode = **p;

    *words = 0;
    if (mode < '0' || mode > '2' || !text_is_blank((*p)[1]))
        return "the address mode is not 0, 1 or 2";
    *p = text_skip_blanks(*p + 1);
    if (mode == '0' + MODE_STRIDE)
        wrong = read_stride(p, lanes, rec, words);
    else if (mode == '0' + MODE_DELTA)
        wrong = read_delta(p, limit, lanes, memo, rec, words);
    else
        wrong = read_list(p, lanes, rec, words);
    if (wrong == NULL && !text_is_blank(**p) && **p != '\n')
        wrong = "an address is malformed";
    return wrong;
}

const char *accelsim_addr_tail(const char *p)
{
    for (unsigned i = 0; i < 2; i++) {
        int64_t value;

        p = text_skip_blanks(p);
        if (!text_i64(&p, &value))
            break;
        if (!text_is_blank(*p) && *p != '\n')
            return "an immediate is malformed";
    }
    p = text_skip_blanks(p);
    return *p == '\n' || text_is_values(p) ? NULL : "unexpected text behind the addresses";
}
