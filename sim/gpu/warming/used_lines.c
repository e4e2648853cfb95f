#include "sim/gpu/warming/used_lines.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void used_lines_free(used_lines_t *u)
{
    free(u->tag);
    free(u->written);
    free(u->writes);
    *u = (used_lines_t){0};
}

/* --- in the L2 of a chip ---------------------------------------------------------------------- */

/* The slice and set of each line, as a number of a set of the chip, and its address in the slice. */
static void find_sets(const used_lines_t *u, const l2_chip_tags_t *chip, uint32_t *set,
                      uint64_t *local)
{
    const cache_t *shape = chip->slice[0].cache; /* all slices have the same shape */
    uint32_t *slice = rb_calloc(u->n + 1, sizeof(*slice));
    uint64_t *line = rb_calloc(u->n + 1, sizeof(*line));
    for (size_t i = 0; i < u->n; i++)
        line[i] = cache_tag_line(u->tag[i]);
    addr_map_slices(chip->map, line, slice, local, u->n);
    for (size_t i = 0; i < u->n; i++)
        set[i] = slice[i] * cache_sets(shape) + cache_key_of(shape, local[i]).set;
    free(line);
    free(slice);
}

/* Counts the lines of each set. False: a set has too many, or too many that are modified. */
static bool count_sets(const used_lines_t *u, const l2_tags_t *shape, const uint32_t *set,
                       size_t n_sets, uint16_t *count)
{
    const uint32_t ways = cache_capacity(shape->cache) / cache_sets(shape->cache);
    uint16_t *modified = rb_calloc(n_sets + 1, sizeof(*modified));
    bool fits = true;
    for (size_t i = 0; i < u->n && fits; i++) {
        fits = ++count[set[i]] <= ways;
        if (u->tag[i] & CACHE_TAG_WRITTEN)
            fits = fits && ++modified[set[i]] <= shape->modified_ways;
    }
    free(modified);
    return fits;
}

/* Puts the lines, which keep their order, set by set. entry: number of each set in the list. */
static void sort_lines(const used_lines_t *u, const uint32_t *set, const uint32_t *entry,
                       const uint64_t *local, cache_lines_t *out)
{
    size_t *at = rb_calloc(out->n_sets + 1, sizeof(*at));
    size_t *from = rb_calloc(u->n + 1, sizeof(*from)), written = 0;
    for (size_t s = 0; s < out->n_sets; s++)
        at[s + 1] = at[s] + out->set[s].n;
    for (size_t i = 0; i < u->n; i++) {
        const size_t place = at[entry[set[i]]]++;
        out->tag[place] = local[i] | (u->tag[i] & (cache_tag_t)CACHE_TAG_BITS);
        if (u->tag[i] & CACHE_TAG_WRITTEN) {
            out->set[entry[set[i]]].writes += u->writes[written];
            from[place] = written++;
        }
    }
    for (size_t i = 0; i < u->n; i++)
        if (out->tag[i] & CACHE_TAG_WRITTEN)
            out->written[out->n_written++] = u->written[from[i]];
    free(from);
    free(at);
}

/* Lists the sets that have lines. */
static void list_sets(cache_lines_t *out, const uint16_t *count, uint32_t *entry)
{
    for (uint32_t s = 0; s < out->all_sets; s++) {
        if (count[s] == 0)
            continue;
        rb_grow(&out->set, &out->cap_sets, out->n_sets + 1, sizeof(*out->set));
        entry[s] = (uint32_t)out->n_sets;
        out->set[out->n_sets++] = (cache_lines_set_t){.set = s, .n = count[s]};
    }
}

bool used_lines_place(const used_lines_t *u, const l2_chip_tags_t *chip, cache_lines_t *out)
{
    const size_t n_sets = (size_t)chip->map->slices * cache_sets(chip->slice[0].cache);
    uint16_t *count = rb_calloc(n_sets + 1, sizeof(*count));
    uint32_t *set = rb_calloc(u->n + 1, sizeof(*set));
    uint64_t *local = rb_calloc(u->n + 1, sizeof(*local));
    *out = (cache_lines_t){0};
    find_sets(u, chip, set, local);
    const bool fits = count_sets(u, &chip->slice[0], set, n_sets, count);
    if (fits) {
        uint32_t *entry = rb_calloc(n_sets + 1, sizeof(*entry));
        *out = (cache_lines_t){.all_sets = n_sets, .n = u->n};
        rb_grow(&out->tag, &out->cap, u->n + 1, sizeof(*out->tag));
        rb_grow(&out->written, &out->cap_written, u->n_written + 1, sizeof(*out->written));
        list_sets(out, count, entry);
        sort_lines(u, set, entry, local, out);
        free(entry);
    }
    free(count);
    free(set);
    free(local);
    return fits;
}

/* --- as bytes --------------------------------------------------------------------------------- */

enum { MORE = 0x80, SEVEN = 7 };

void number_put(uint64_t v, FILE *out)
{
    for (; v >= MORE; v >>= SEVEN)
        putc_unlocked((int)(v % MORE | MORE), out);
    putc_unlocked((int)v, out);
}

bool number_get(uint64_t *v, FILE *in)
{
    int c = MORE;
    *v = 0;
    for (unsigned shift = 0; shift < 64 && c >= MORE; shift += SEVEN) {
        c = getc_unlocked(in);
        if (c == EOF)
            return false;
        *v |= (uint64_t)(c % MORE) << shift;
    }
    return c < MORE;
}

/* The sign goes to the lowest bit, so that small differences take few bytes. */
void difference_put(uint64_t v, FILE *out)
{
    number_put(v << 1 ^ (v >> 63 != 0 ? UINT64_MAX : 0), out);
}

bool difference_get(uint64_t *v, FILE *in)
{
    const bool ok = number_get(v, in);
    *v = *v >> 1 ^ ((*v & 1) != 0 ? UINT64_MAX : 0);
    return ok;
}

/* The low bits of a tag, and whether bytes of its sectors were written one by one. */
enum { PARTLY = CACHE_TAG_MARK };

static bool is_partly(const cache_written_t *w)
{
    uint32_t any = w->partial;
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
        any |= w->bytes[s];
    return any != 0;
}

static void put_written(const cache_written_t *w, FILE *out)
{
    number_put(w->dirty, out);
    if (!is_partly(w))
        return;
    number_put(w->partial, out);
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
        number_put(w->bytes[s], out);
}

void used_lines_put(const used_lines_t *u, FILE *out)
{
    uint64_t before = 0;
    size_t written = 0;
    number_put(u->n, out);
    number_put(u->n_written, out);
    for (size_t i = 0; i < u->n; i++) {
        const uint64_t number = cache_tag_line(u->tag[i]) / LINE_BYTES;
        uint64_t bits = u->tag[i] & (CACHE_TAG_VALID | CACHE_TAG_WRITTEN);
        const cache_written_t *w = bits & CACHE_TAG_WRITTEN ? &u->written[written] : NULL;
        difference_put(number - before, out);
        number_put(bits | (w != NULL && is_partly(w) ? PARTLY : 0), out);
        if (w != NULL) {
            put_written(w, out);
            number_put(u->writes[written++], out);
        }
        before = number;
    }
}

static bool get_written(cache_written_t *w, bool partly, FILE *in)
{
    uint64_t v;
    bool ok = number_get(&v, in);
    *w = (cache_written_t){.dirty = (uint8_t)v};
    if (!partly || !ok)
        return ok;
    ok = number_get(&v, in);
    w->partial = (uint8_t)v;
    for (unsigned s = 0; s < SECTORS_PER_LINE && ok; s++) {
        ok = number_get(&v, in);
        w->bytes[s] = (uint32_t)v;
    }
    return ok;
}

bool used_lines_get(used_lines_t *out, size_t most, FILE *in)
{
    uint64_t n, n_written, number = 0;
    *out = (used_lines_t){0};
    if (!number_get(&n, in) || !number_get(&n_written, in) || n > most || n_written > n)
        return false;
    out->tag = rb_calloc(n + 1, sizeof(*out->tag));
    out->written = rb_calloc(n_written + 1, sizeof(*out->written));
    out->writes = rb_calloc(n_written + 1, sizeof(*out->writes));
    for (; out->n < n; out->n++) {
        uint64_t difference, bits, writes;
        if (!difference_get(&difference, in) || !number_get(&bits, in) || bits > CACHE_TAG_BITS)
            return false;
        number += difference;
        out->tag[out->n] = number * LINE_BYTES | (bits & ~(uint64_t)PARTLY);
        if ((bits & CACHE_TAG_WRITTEN) == 0)
            continue;
        if (out->n_written == n_written ||
            !get_written(&out->written[out->n_written], (bits & PARTLY) != 0, in) ||
            !number_get(&writes, in))
            return false;
        out->writes[out->n_written++] = (uint32_t)writes;
    }
    return out->n_written == n_written;
}
