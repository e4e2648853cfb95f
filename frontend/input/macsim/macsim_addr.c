#include "frontend/input/macsim/macsim_addr.h"

enum { LANES = 32, WIDTH_DEFAULT = 4 };

bool macsim_access_continues(const macsim_access_t *a, const macsim_record_t *record)
{
    return a->n > 0 && record->opcode == a->first.opcode &&
           record->inst_addr == a->first.inst_addr && record->active_mask == a->first.active_mask;
}

static bool is_width(unsigned n)
{
    return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* The tracer multiplied the size by the number of lines; some versions capped the product, others
 * let it wrap. */
static bool was_multiplied(unsigned width, size_t lines, unsigned size)
{
    size_t product = width * lines;

    return size == (product < UINT8_MAX ? product : UINT8_MAX) || size == (product & UINT8_MAX);
}

unsigned macsim_access_width(const macsim_access_t *a)
{
    unsigned size = a->first.mem_access_size;

    if (a->n > 1 && a->further_size != size && is_width(a->further_size))
        return a->further_size;
    if (a->n > 1 && a->flagged) {
        for (unsigned width = 1; width <= 16; width *= 2)
            if (was_multiplied(width, a->n, size))
                return width;
        return WIDTH_DEFAULT;
    }
    return is_width(size) ? size : WIDTH_DEFAULT;
}

static bool is_dense(const macsim_access_t *a)
{
    for (size_t i = 1; i < a->n; i++)
        if (a->addrs[i] - a->addrs[0] != i * MACSIM_LINE)
            return false;
    return true;
}

/* The k-th of n lanes is in line k * lines / n, k * width bytes (mod 128) after the line's
 * begin. */
static void share_lines(const macsim_access_t *a, unsigned n, unsigned width, uint64_t addr[LANES])
{
    const uint64_t in_line = MACSIM_LINE - 1;

    for (unsigned k = 0; k < n; k++)
        addr[k] = (a->addrs[k * a->n / n] & ~in_line) + (k * width & in_line);
}

static void space_evenly(const macsim_access_t *a, unsigned n, unsigned width, uint64_t stride,
                         uint64_t addr[LANES])
{
    stride = (stride + width - 1) / width * width;
    for (unsigned k = 0; k < n; k++)
        addr[k] = a->addrs[0] + k * stride;
}

static void take_lanes(const macsim_access_t *a, uint64_t addr[LANES])
{
    unsigned k = 0;

    for (unsigned lane = 0; lane < LANES; lane++)
        if (a->first.active_mask >> lane & 1)
            addr[k++] = a->addrs[lane];
}

void macsim_access_lanes(const macsim_access_t *a, unsigned width, bool first_lane,
                         uint64_t addr[32])
{
    unsigned n = (unsigned)__builtin_popcount(a->first.active_mask);

    if (a->n == 1 && (first_lane || macsim_access_is_first_lane(a)))
        space_evenly(a, n, width, width, addr);
    else if (a->n == 1 || a->flagged)
        share_lines(a, n, width, addr);
    else if (a->n == LANES)
        take_lanes(a, addr);
    else if (is_dense(a) && n > 1)
        space_evenly(a, n, width, (a->n * MACSIM_LINE + n - 2) / (n - 1), addr);
    else
        share_lines(a, n, width, addr);
}

bool macsim_access_is_first_lane(const macsim_access_t *a)
{
    unsigned lanes = (unsigned)__builtin_popcount(a->first.active_mask);

    return a->n == 1 &&
           (a->addrs[0] % MACSIM_LINE != 0 || lanes * macsim_access_width(a) > MACSIM_LINE);
}
