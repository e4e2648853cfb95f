#include "frontend/emulator/exec/memory/emu_mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* Kernels before 4.17 treat MAP_FIXED_NOREPLACE as a hint, so the address is compared. */
static void *reserve(uint64_t base, uint64_t bytes, bool fixed)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (fixed ? MAP_FIXED_NOREPLACE : 0);
    void *p =
        mmap(fixed ? (void *)(uintptr_t)base : NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

    if (fixed && p != MAP_FAILED && p != (void *)(uintptr_t)base) {
        munmap(p, bytes);
        errno = EEXIST;
        return MAP_FAILED;
    }
    return p;
}

rb_code_t emu_mem_init(emu_mem_t *m, uint64_t base, uint64_t bytes, unsigned page_shift, bool fixed,
                       rb_err_t *err)
{
    const uint64_t now = fixed ? 1ull << page_shift : bytes;

    *m = (emu_mem_t){.base = base, .bytes = bytes, .page_shift = page_shift};
    void *p = reserve(base, now, fixed);
    if (p == MAP_FAILED)
        return rb_fail(err, RB_NOMEM, "cannot reserve %llu MiB for device memory: %s",
                       (unsigned long long)(now >> 20), strerror(errno));
    m->host = p;
    if (fixed) {
        m->backed = rb_calloc((bytes >> page_shift) + 1, 1);
        m->backed[0] = 1;
    }
    m->pages = rb_calloc((bytes >> page_shift) + 1, sizeof(*m->pages));
    m->next = EMU_ALLOC_BYTES; /* address 0 of the range must stay invalid */
    return RB_OK;
}

void emu_mem_free(emu_mem_t *m)
{
    if (m->host != NULL)
        munmap(m->host, m->bytes); /* what was never reserved does not matter */
    free(m->pages);
    free(m->backed);
    free(m->foreign);
    free(m->used);
    free(m->textures);
    *m = (emu_mem_t){0};
}

/* Index of the first range that ends after offset. */
static size_t find_range(const emu_mem_t *m, uint64_t offset)
{
    size_t i;

    FIND_FIRST(i, 0, m->n_used, m->used[i].offset + m->used[i].bytes > offset);
    return i;
}

/* Finds a gap of bytes between start and end; false: none. */
static bool find_gap(const emu_mem_t *m, uint64_t start, uint64_t end, uint64_t bytes,
                     uint64_t *offset, size_t *index)
{
    uint64_t at = start;

    for (size_t i = find_range(m, start);; i++) {
        uint64_t limit = i < m->n_used ? m->used[i].offset : end;
        if (limit > at && limit - at >= bytes) {
            *offset = at;
            *index = i;
            return true;
        }
        if (i >= m->n_used || m->used[i].offset >= end)
            return false;
        at = m->used[i].offset + m->used[i].bytes;
    }
}

static void count_pages(emu_mem_t *m, uint64_t offset, uint64_t bytes, int step)
{
    for (uint64_t p = offset >> m->page_shift; p <= (offset + bytes - 1) >> m->page_shift; p++)
        m->pages[p] = (uint16_t)(m->pages[p] + step);
}

static bool exceeds_limit(const emu_mem_t *m, uint64_t n)
{
    return m->limit > 0 && (m->in_use > m->limit || n > m->limit - m->in_use);
}

static void insert(emu_mem_t *m, size_t index, emu_range_t range)
{
    rb_grow(&m->used, &m->cap_used, m->n_used + 1, sizeof(*m->used));
    memmove(&m->used[index + 1], &m->used[index], (m->n_used - index) * sizeof(*m->used));
    m->used[index] = range;
    m->n_used++;
}

static void take_out(emu_mem_t *m, size_t index)
{
    memmove(&m->used[index], &m->used[index + 1], (m->n_used - index - 1) * sizeof(*m->used));
    m->n_used--;
}

/* Reserves host memory behind the pages of a range that have none; false: the host refuses. */
static bool back(emu_mem_t *m, uint64_t offset, uint64_t bytes)
{
    const uint64_t last = (offset + bytes - 1) >> m->page_shift;

    for (uint64_t p = offset >> m->page_shift; m->backed != NULL && p <= last;) {
        uint64_t end = p;
        while (end <= last && !m->backed[end])
            end++;
        if (end > p && reserve(m->base + (p << m->page_shift), (end - p) << m->page_shift, true) ==
                           MAP_FAILED) {
            m->refused = errno;
            return false;
        }
        memset(m->backed + p, 1, end - p);
        p = end + 1;
    }
    return true;
}

/* Searches from an offset on, then everywhere. */
static uint64_t allocate(emu_mem_t *m, uint64_t from, uint64_t n, bool of_host, uint64_t *end)
{
    uint64_t offset;
    size_t index;

    if (n > m->bytes - EMU_ALLOC_BYTES)
        return 0;
    n = n == 0 ? EMU_ALLOC_BYTES : (n + EMU_ALLOC_BYTES - 1) / EMU_ALLOC_BYTES * EMU_ALLOC_BYTES;
    if (!of_host && exceeds_limit(m, n))
        return 0;
    if (!find_gap(m, from, m->bytes, n, &offset, &index) &&
        !find_gap(m, EMU_ALLOC_BYTES, m->bytes, n, &offset, &index))
        return 0;
    if (!back(m, offset, n))
        return 0;
    insert(m, index,
           (emu_range_t){.offset = offset, .bytes = n, .id = ++m->n_allocated, .of_host = of_host});
    *end = offset + n;
    m->in_use += of_host ? 0 : n;
    count_pages(m, offset, n, 1);
    return m->base + offset;
}

uint64_t emu_mem_alloc(emu_mem_t *m, uint64_t n)
{
    return allocate(m, m->next, n, false, &m->next);
}

uint64_t emu_mem_alloc_host(emu_mem_t *m, uint64_t n)
{
    return allocate(m, m->next, n, true, &m->next);
}

uint64_t emu_mem_alloc_managed(emu_mem_t *m, uint64_t n)
{
    const uint64_t addr = emu_mem_alloc_host(m, n);

    if (addr != 0)
        m->used[find_range(m, addr - m->base)].managed = true;
    return addr;
}

uint64_t emu_mem_alloc_apart(emu_mem_t *m, uint64_t n)
{
    uint64_t end;

    return allocate(m, m->bytes / EMU_ALLOC_BYTES / 4 * 3 * EMU_ALLOC_BYTES, n, true, &end);
}

static bool release(emu_mem_t *m, uint64_t addr, bool heap)
{
    uint64_t offset = addr - m->base;
    size_t i = find_range(m, offset);

    if (i == m->n_used || m->used[i].offset != offset || m->used[i].reserved ||
        (m->used[i].heap > 0) != heap)
        return false;
    emu_range_t gone = m->used[i];
    take_out(m, i);
    m->in_use -= gone.of_host ? 0 : gone.bytes;
    m->heap_used -= gone.heap;
    if (gone.offset < m->next)
        m->next = gone.offset;
    count_pages(m, gone.offset, gone.bytes, -1);
    memset(m->host + gone.offset, 0, gone.bytes);
    return true;
}

bool emu_mem_release(emu_mem_t *m, uint64_t addr)
{
    return release(m, addr, false);
}

uint64_t emu_mem_alloc_heap(emu_mem_t *m, uint64_t n, uint64_t limit)
{
    enum { UNIT = 16 }; /* alignment of malloc() in kernels */
    const uint64_t bytes = n / UNIT * UNIT + UNIT;

    if (n > m->bytes || (limit > 0 && (m->heap_used > limit || bytes > limit - m->heap_used)))
        return 0;
    const uint64_t addr = emu_mem_alloc(m, n);
    if (addr != 0) {
        m->used[find_range(m, addr - m->base)].heap = bytes;
        m->heap_used += bytes;
    }
    return addr;
}

bool emu_mem_release_heap(emu_mem_t *m, uint64_t addr)
{
    return release(m, addr, true);
}

const emu_range_t *emu_mem_range(const emu_mem_t *m, uint64_t addr)
{
    const uint64_t offset = addr - m->base;
    const size_t i = find_range(m, offset);

    return offset < m->bytes && i < m->n_used && m->used[i].offset <= offset ? &m->used[i] : NULL;
}

bool emu_mem_find(const emu_mem_t *m, uint64_t addr, uint64_t *begin, uint64_t *bytes)
{
    const emu_range_t *r = emu_mem_range(m, addr);

    if (r == NULL)
        return false;
    *begin = m->base + r->offset;
    *bytes = r->bytes;
    return true;
}

uint64_t emu_mem_id(const emu_mem_t *m, uint64_t addr)
{
    const emu_range_t *r = emu_mem_range(m, addr);

    return r != NULL ? r->id : 0;
}

/* --- registered memory of the host ------------------------------------------------------------ */

/* Index of the first one that ends after addr. */
static size_t find_foreign(const emu_mem_t *m, uint64_t addr)
{
    size_t i = 0;

    while (i < m->n_foreign && m->foreign[i].addr + m->foreign[i].bytes <= addr)
        i++;
    return i;
}

const emu_foreign_t *emu_mem_foreign(const emu_mem_t *m, uint64_t addr, uint64_t n)
{
    const size_t i = find_foreign(m, addr);

    return i < m->n_foreign && m->foreign[i].addr <= addr &&
                   n <= m->foreign[i].bytes - (addr - m->foreign[i].addr)
               ? &m->foreign[i]
               : NULL;
}

bool emu_mem_register(emu_mem_t *m, uint64_t addr, uint64_t n, unsigned flags)
{
    const size_t i = find_foreign(m, addr);

    if (i < m->n_foreign && m->foreign[i].addr < addr + n)
        return false;
    rb_grow(&m->foreign, &m->cap_foreign, m->n_foreign + 1, sizeof(*m->foreign));
    memmove(&m->foreign[i + 1], &m->foreign[i], (m->n_foreign - i) * sizeof(*m->foreign));
    m->foreign[i] = (emu_foreign_t){addr, n, flags};
    m->n_foreign++;
    return true;
}

bool emu_mem_unregister(emu_mem_t *m, uint64_t addr)
{
    const size_t i = find_foreign(m, addr);

    if (i == m->n_foreign || m->foreign[i].addr != addr)
        return false;
    m->n_foreign--;
    memmove(&m->foreign[i], &m->foreign[i + 1], (m->n_foreign - i) * sizeof(*m->foreign));
    return true;
}

/* --- reserved addresses ---------------------------------------------------------------------- */

uint64_t emu_mem_reserve(emu_mem_t *m, uint64_t n, uint64_t alignment, uint64_t wanted)
{
    const uint64_t page = 1ull << m->page_shift, slack = alignment > page ? alignment : page;
    uint64_t offset = wanted - m->base;
    size_t index;

    if (n == 0 || n > m->bytes - page || slack > m->bytes - n)
        return 0;
    const bool there = wanted > m->base && offset % slack == 0 && offset <= m->bytes - n &&
                       find_gap(m, offset, m->bytes, n, &offset, &index) &&
                       m->base + offset == wanted;
    if (!there) {
        if (!find_gap(m, page, m->bytes, n + slack, &offset, &index))
            return 0;
        offset = (offset + slack - 1) / slack * slack;
    }
    insert(m, index,
           (emu_range_t){.offset = offset,
                         .bytes = n,
                         .id = ++m->n_allocated,
                         .of_host = true,
                         .reserved = true});
    return m->base + offset;
}

bool emu_mem_reserved(const emu_mem_t *m, uint64_t addr, uint64_t n)
{
    const uint64_t offset = addr - m->base;
    const size_t i = find_range(m, offset);

    return offset < m->bytes && i < m->n_used && m->used[i].reserved &&
           m->used[i].offset <= offset && n <= m->used[i].bytes - (offset - m->used[i].offset);
}

bool emu_mem_unreserve(emu_mem_t *m, uint64_t addr, uint64_t n)
{
    const uint64_t offset = addr - m->base;
    const size_t i = find_range(m, offset);

    if (!emu_mem_reserved(m, addr, n) || m->used[i].offset != offset || m->used[i].bytes != n)
        return false;
    take_out(m, i);
    if (offset < m->next)
        m->next = offset;
    return true;
}

bool emu_mem_map(emu_mem_t *m, uint64_t addr, uint64_t n, int fd, uint64_t offset)
{
    const int flags =
        fd >= 0 ? MAP_SHARED | MAP_FIXED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;

    if (mmap(m->host + (addr - m->base), n, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset) ==
        MAP_FAILED)
        return false;
    if (m->backed != NULL)
        memset(m->backed + ((addr - m->base) >> m->page_shift), 1, n >> m->page_shift);
    return true;
}

void emu_mem_access(emu_mem_t *m, uint64_t addr, uint64_t n, bool accessible)
{
    count_pages(m, addr - m->base, n, accessible ? 1 : -1);
}
