#include "sim/isa/stream.h"

#include <stdbool.h>
#include <string.h>

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

size_t addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec)
{
    uint64_t stride = n > 1 ? addr[1] - addr[0] : 0, irregular = 0, far = 0;

    for (unsigned k = 0; k < n; k++) {
        irregular |= addr[k] - addr[0] - k * stride;
        far |= !fits_i32(addr[k] - addr[0]);
    }
    if (irregular == 0 && fits_i32(stride)) {
        rec[0] = addr_header(ADDR_AFFINE, n, (int32_t)(uint32_t)stride);
        rec[1] = addr[0];
        return 2;
    }
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
    unsigned n = addr_lanes(rec);

    for (unsigned k = 0; k < n; k++) {
        int32_t offset = addr_stride(rec);

        switch (addr_form(rec)) {
        case ADDR_AFFINE:
            addr[k] = rec[1] + k * (uint64_t)(int64_t)offset;
            break;
        case ADDR_LIST:
            addr[k] = rec[1 + k];
            break;
        default:
            memcpy(&offset, (const char *)(rec + 2) + k * sizeof(offset), sizeof(offset));
            addr[k] = rec[1] + (uint64_t)(int64_t)offset;
            break;
        }
    }
    return n;
}
