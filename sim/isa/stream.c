#include "sim/isa/stream.h"

#include <string.h>

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

bool addr_is_affine(const uint64_t *addr, unsigned n, int32_t *stride)
{
    uint64_t step = n > 1 ? addr[1] - addr[0] : 0, bent = 0;

    for (unsigned k = 1; k < n; k++)
        bent |= (addr[k] - addr[k - 1]) ^ step;
    *stride = (int32_t)(uint32_t)step;
    return bent == 0 && fits_i32(step);
}

size_t addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec)
{
    uint64_t far = 0;
    int32_t stride;

    if (addr_is_affine(addr, n, &stride)) {
        rec[0] = addr_header(ADDR_AFFINE, n, stride);
        rec[1] = addr[0];
        return 2;
    }
    for (unsigned k = 0; k < n; k++)
        far |= !fits_i32(addr[k] - addr[0]);
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

unsigned addr_unpack(const uint64_t *rec, uint64_t *addr)
{
    const unsigned n = addr_lanes(rec);
    const int64_t stride = addr_stride(rec);
    int32_t offsets[32];

    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        for (unsigned k = 0; k < n; k++)
            addr[k] = rec[1] + k * (uint64_t)stride;
        break;
    case ADDR_LIST:
        memcpy(addr, rec + 1, n * sizeof(addr[0]));
        break;
    default:
        memcpy(offsets, rec + 2, n * sizeof(offsets[0]));
        for (unsigned k = 0; k < n; k++)
            addr[k] = rec[1] + (uint64_t)(int64_t)offsets[k];
        break;
    }
    return n;
}
