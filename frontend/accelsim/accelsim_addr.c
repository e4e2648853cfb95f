#include "frontend/accelsim/accelsim_addr.h"

#include "frontend/accelsim/accelsim_text.h"
#include "sim/isa/stream.h"

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

size_t accelsim_addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec)
{
    uint64_t stride = n > 1 ? addr[1] - addr[0] : 0, irregular = 0, far = 0;

    for (unsigned k = 0; k < n; k++) {
        irregular |= addr[k] - addr[0] - k * stride;
        far |= !fits_i32(addr[k] - addr[0]);
    }
    if (irregular == 0 && fits_i32(stride))
        return pack_affine(addr[0], stride, n, rec);
    if (far) {
        rec[0] = addr_header(ADDR_LIST, n, 0);
        memcpy(rec + 1, addr, n * sizeof(addr[0]));
        return 1 + n;
    }
    uint32_t offsets[32];

    for (unsigned k = 0; k < n; k++)
        offsets[k] = (uint32_t)(addr[k] - addr[0]);
    rec[0] = addr_header(ADDR_DELTA, n, 0);
    rec[1] = addr[0];
    rec[1 + (n + 1) / 2] = 0; /* the unused half of an odd count */
    memcpy(rec + 2, offsets, n * sizeof(offsets[0]));
    return 2 + (n + 1) / 2;
}

static const char *read_list(const char **p, unsigned lanes, uint64_t *addr)
{
    for (unsigned k = 0; k < lanes; k++) {
        *p = text_skip_blanks(*p);
        if (!text_address(p, &addr[k]))
            return "an address is missing or malformed: one for each active lane is needed";
    }
    return NULL;
}

static const char *read_delta(const char **p, unsigned lanes, uint64_t *addr)
{
    const char *s;

    if (!text_address(p, &addr[0]))
        return "the base address is missing or malformed";
    s = *p;
    for (unsigned k = 1; k < lanes; k++) {
        int64_t delta;

        s += *s == ' ';
        if (!text_i64(&s, &delta)) {
            s = text_skip_blanks(s);
            if (!text_i64(&s, &delta))
                return "an address difference is missing or malformed: one for each active lane "
                       "but the first is needed";
        }
        addr[k] = addr[k - 1] + (uint64_t)delta;
    }
    *p = s;
    return NULL;
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
    *words = accelsim_addr_pack(addr, lanes, rec);
    return NULL;
}

const char *accelsim_addr_read(const char **p, unsigned lanes, uint64_t *rec, size_t *words)
{
    uint64_t addr[32];
    const char *wrong;
    char mode = **p;

    *words = 0;
    if (mode < '0' || mode > '2' || !text_is_blank((*p)[1]))
        return "the address mode is not 0, 1 or 2";
    *p = text_skip_blanks(*p + 1);
    if (mode == '0' + MODE_STRIDE)
        wrong = read_stride(p, lanes, rec, words);
    else {
        wrong = mode == '0' + MODE_LIST ? read_list(p, lanes, addr) : read_delta(p, lanes, addr);
        if (wrong == NULL && lanes > 0)
            *words = accelsim_addr_pack(addr, lanes, rec);
    }
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
