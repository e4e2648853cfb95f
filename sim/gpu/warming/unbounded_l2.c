#include "sim/gpu/warming/unbounded_l2.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { FIRST_BITS = 10 };

/* A line. */
typedef struct {
    cache_tag_t tag;  /* 0: an empty place; present lines have a sector or CACHE_TAG_WRITTEN */
    uint32_t touched; /* number of its last access */
    uint32_t written; /* with CACHE_TAG_WRITTEN: its place there */
} entry_t;

struct unbounded_l2 {
    uint32_t fill_sectors;
    uint64_t most;
    bool over;
    uint32_t now;   /* accesses so far */
    entry_t *entry; /* owned; hash table of 1 << bits, at most half full */
    unsigned bits;
    uint64_t n;
    cache_written_t *written; /* owned */
    uint32_t *writes;         /* owned; accesses that wrote to each of these lines */
    size_t n_written, cap_written, cap_writes;
};

unbounded_l2_t *unbounded_l2_create(uint32_t fill_sectors, uint64_t most)
{
    unbounded_l2_t *u = rb_calloc(1, sizeof(*u));
    *u = (unbounded_l2_t){.fill_sectors = fill_sectors, .most = most, .bits = FIRST_BITS};
    u->entry = rb_calloc((size_t)1 << u->bits, sizeof(*u->entry));
    return u;
}

void unbounded_l2_destroy(unbounded_l2_t *u)
{
    if (u == NULL)
        return;
    free(u->entry);
    free(u->written);
    free(u->writes);
    free(u);
}

const bool *unbounded_l2_is_over(const unbounded_l2_t *u)
{
    return &u->over;
}

/* The place of a line, or where it belongs. */
static inline entry_t *find(const unbounded_l2_t *u, uint64_t line)
{
    const size_t mask = ((size_t)1 << u->bits) - 1;
    size_t i = (size_t)(line / LINE_BYTES * 0x9E3779B97F4A7C15u >> (64 - u->bits));
    while (u->entry[i].tag != 0 && (u->entry[i].tag & ~(cache_tag_t)CACHE_TAG_BITS) != line)
        i = (i + 1) & mask;
    return &u->entry[i];
}

/* Makes the table twice as large. */
static void grow(unbounded_l2_t *u)
{
    entry_t *before = u->entry;
    const size_t n = (size_t)1 << u->bits++;
    u->entry = rb_calloc((size_t)1 << u->bits, sizeof(*u->entry));
    for (size_t i = 0; i < n; i++)
        if (before[i].tag != 0)
            *find(u, before[i].tag & ~(cache_tag_t)CACHE_TAG_BITS) = before[i];
    free(before);
}

static void read_line(unbounded_l2_t *u, entry_t *e, uint32_t sectors)
{
    const uint32_t missing = sectors & ~(uint32_t)cache_tag_valid(&e->tag);
    if (missing == 0)
        return;
    const uint8_t filled = (uint8_t)l2_tags_groups(u->fill_sectors, missing);
    if (e->tag & CACHE_TAG_WRITTEN)
        u->written[e->written].partial &= (uint8_t) ~(filled & ~(uint32_t)cache_tag_valid(&e->tag));
    cache_tag_fill(&e->tag, filled);
}

static void write_line(unbounded_l2_t *u, entry_t *e, const l2_touch_t *touch, l2_masks_t masks)
{
    if (touch->kind == L2_TOUCH_ATOMIC)
        read_line(u, e, touch->sectors);
    if (!(e->tag & CACHE_TAG_WRITTEN)) {
        rb_grow(&u->written, &u->cap_written, u->n_written + 1, sizeof(*u->written));
        rb_grow(&u->writes, &u->cap_writes, u->n_written + 1, sizeof(*u->writes));
        u->writes[u->n_written] = 0;
        e->written = (uint32_t)u->n_written;
        u->written[u->n_written++] = (cache_written_t){0};
        e->tag |= CACHE_TAG_WRITTEN;
    }
    u->writes[e->written]++;
    (void)cache_write_sectors(&e->tag, &u->written[e->written], touch->sectors, touch->full,
                              masks[touch->bytes]);
}

void unbounded_l2_touch(unbounded_l2_t *u, const l2_touch_t *touch, size_t n, l2_masks_t masks)
{
    for (size_t i = 0; i < n && !u->over; i++) {
        const l2_touch_t *a = &touch[i];
        entry_t *e = find(u, a->line);
        if (e->tag == 0) {
            u->over = ++u->n > u->most;
            e->tag = a->line;
        }
        e->touched = ++u->now;
        if (a->kind == L2_TOUCH_READ || a->kind == L2_TOUCH_CODE)
            read_line(u, e, a->sectors);
        else
            write_line(u, e, a, masks);
        if (u->n * 2 > (uint64_t)1 << u->bits)
            grow(u);
    }
}

/* One pass of a radix sort, by digit number d from the lowest. */
enum { DIGIT = 11, DIGITS = 3, BUCKETS = 1 << DIGIT };
static void sort_by(unsigned d, const entry_t *from, entry_t *to, size_t n)
{
    size_t at[BUCKETS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        at[(from[i].touched >> d * DIGIT) % BUCKETS + 1]++;
    for (size_t b = 0; b < BUCKETS; b++)
        at[b + 1] += at[b];
    for (size_t i = 0; i < n; i++)
        to[at[(from[i].touched >> d * DIGIT) % BUCKETS]++] = from[i];
}

void unbounded_l2_lines(const unbounded_l2_t *u, used_lines_t *out)
{
    const size_t n = (size_t)u->n;
    entry_t *by_use = rb_calloc(n + 1, sizeof(*by_use)), *other = rb_calloc(n + 1, sizeof(*other));
    *out = (used_lines_t){.n = n, .n_written = u->n_written};
    out->tag = rb_calloc(n + 1, sizeof(*out->tag));
    out->written = rb_calloc(u->n_written + 1, sizeof(*out->written));
    out->writes = rb_calloc(u->n_written + 1, sizeof(*out->writes));
    for (size_t i = 0, k = 0; k < n; i++)
        if (u->entry[i].tag != 0)
            by_use[k++] = u->entry[i];
    for (unsigned d = 0; d < DIGITS && u->now >> d * DIGIT != 0; d++) {
        sort_by(d, by_use, other, n);
        entry_t *sorted = other;
        other = by_use;
        by_use = sorted;
    }
    for (size_t i = n, written = 0; i-- > 0;) {
        out->tag[n - 1 - i] = by_use[i].tag;
        if (by_use[i].tag & CACHE_TAG_WRITTEN) {
            out->writes[written] = u->writes[by_use[i].written];
            out->written[written++] = u->written[by_use[i].written];
        }
    }
    free(by_use);
    free(other);
}
