#include <errno.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/parts/cache/cache_internal.h"

enum { LINE_WORDS = 5, HEAD_WORDS = 5 };

static int state_save(const cache_t *c, uint32_t set, FILE *out)
{
    const size_t words = cache_state_words(c);
    return words == 0 || fwrite(cache_plane(c, set, 0), sizeof(uint64_t), words, out) == words ? 0
                                                                                               : -1;
}

/* Checkpoint: sets, ways, line_shift, random state, policy; then per set the number of lines, the
 * lines in the order of ways (policies choose by way), the ways in the order of use, and the
 * policy's bits; in the end the policy's words. */
int cache_save(const cache_t *c, FILE *out)
{
    RB_INVARIANT(c->victims == NULL, "a cache with %u victims is saved", c->victims->ways);
    const uint32_t head[HEAD_WORDS] = {c->sets, c->ways, c->line_shift, c->random_state,
                                       (uint32_t)c->policy};
    if (fwrite(head, sizeof(head), 1, out) != 1)
        return -1;
    for (uint32_t s = 0; s < c->sets; s++) {
        const uint32_t count = cache_set_count(c, s);
        if (fwrite(&count, sizeof(count), 1, out) != 1)
            return -1;
        for (uint32_t w = 0; w < count; w++) {
            const cache_line_t l = cache_line_copy(c, cache_tag_at(c, s, w));
            const uint32_t word[LINE_WORDS] = {(uint32_t)l.line, (uint32_t)(l.line >> 32), l.valid,
                                               l.written.dirty, l.written.partial};
            if (fwrite(word, sizeof(word), 1, out) != 1 ||
                fwrite(l.written.bytes, sizeof(l.written.bytes), 1, out) != 1)
                return -1;
        }
        for (uint32_t place = 0, w = 0; place < count; place++) {
            w = cache_way_by_use(c, s, place, w);
            if (fwrite(&w, sizeof(w), 1, out) != 1)
                return -1;
        }
        if (state_save(c, s, out) != 0)
            return -1;
    }
    const size_t words = replacement_words[c->policy];
    return words == 0 || fwrite(c->policy_word, sizeof(*c->policy_word), words, out) == words ? 0
                                                                                              : -1;
}

/* Loads a line into the next way of set s. */
static int line_load(cache_t *c, uint32_t s, FILE *in)
{
    uint32_t word[LINE_WORDS];
    cache_written_t written;
    if (fread(word, sizeof(word), 1, in) != 1 ||
        fread(written.bytes, sizeof(written.bytes), 1, in) != 1)
        return -1;
    uint64_t line = word[0] | (uint64_t)word[1] << 32;
    written.dirty = (uint8_t)word[3];
    written.partial = (uint8_t)word[4];
    if (line % (UINT64_C(1) << c->line_shift) != 0 || word[2] > CACHE_TAG_VALID ||
        word[3] > CACHE_TAG_VALID || word[4] > CACHE_TAG_VALID ||
        (c->written == NULL && (word[3] | word[4]) != 0) || cache_set_of(c, line) != s)
        return -1;
    const cache_key_t k = cache_key_of(c, line);
    if (cache_lookup_key(c, k, false) != NULL)
        return -1;
    cache_tag_t *t = cache_way_add(c, k);
    cache_tag_fill(t, (uint8_t)word[2]);
    if ((word[3] | word[4]) != 0)
        *cache_write(c, t) = written;
    return 0;
}

/* Loads the order of use of a set with count lines. order and seen have room for c->ways. */
static int order_load(cache_t *c, uint32_t s, uint32_t count, uint32_t *order, bool *seen, FILE *in)
{
    if (fread(order, sizeof(*order), count, in) != count)
        return -1;
    for (uint32_t w = 0; w < count; w++)
        seen[w] = false;
    for (uint32_t place = 0; place < count; place++) {
        if (order[place] >= count || seen[order[place]])
            return -1;
        seen[order[place]] = true;
    }
    for (uint32_t place = count; place > 0; place--)
        cache_way_touch(c, s, order[place - 1]);
    return 0;
}

/* Loads the policy's bits of a set; bits that belong to no way must be 0. */
static int state_load(cache_t *c, uint32_t set, FILE *in)
{
    const size_t words = cache_state_words(c);
    if (words == 0)
        return 0;
    uint64_t *state = cache_plane(c, set, 0);
    if (fread(state, sizeof(uint64_t), words, in) != words)
        return -1;
    for (size_t i = 0; i < words; i++) {
        if ((state[i] & ~plane_mask(c, (uint32_t)(i % c->plane_words))) != 0)
            return -1;
    }
    return 0;
}

static int sets_load(cache_t *c, uint32_t *order, bool *seen, FILE *in)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        uint32_t count;
        if (fread(&count, sizeof(count), 1, in) != 1 || count > c->ways)
            return -1;
        for (uint32_t w = 0; w < count; w++) {
            if (line_load(c, s, in) != 0)
                return -1;
        }
        if (order_load(c, s, count, order, seen, in) != 0 || state_load(c, s, in) != 0)
            return -1;
    }
    const size_t words = replacement_words[c->policy];
    return words == 0 || fread(c->policy_word, sizeof(*c->policy_word), words, in) == words ? 0
                                                                                            : -1;
}

int cache_load(cache_t *c, FILE *in)
{
    uint32_t head[HEAD_WORDS];
    cache_clear(c);
    if (fread(head, sizeof(head), 1, in) != 1)
        return checkpoint_read_failed(in);
    if ((uint64_t)head[0] * head[1] > c->capacity || head[1] >= CACHE_MAX_WAYS ||
        head[2] != c->line_shift || head[3] == 0 || head[4] != (uint32_t)c->policy) {
        errno = EINVAL;
        return -1;
    }
    c->random_state = head[3];
    cache_shape(c, head[0], head[1]);
    cache_clear(c);
    uint32_t *order = rb_calloc(c->ways, sizeof(*order));
    bool *seen = rb_calloc(c->ways, sizeof(*seen));
    int failed = sets_load(c, order, seen, in);
    free(order);
    free(seen);
    if (failed == 0)
        return 0;
    cache_clear(c);
    return checkpoint_read_failed(in);
}

int cache_save_chance(const cache_t *c, FILE *out)
{
    return c == NULL || fwrite(&c->random_state, sizeof(c->random_state), 1, out) == 1 ? 0 : -1;
}

int cache_load_chance(cache_t *c, FILE *in)
{
    uint32_t random_state;
    if (c == NULL)
        return 0;
    if (fread(&random_state, sizeof(random_state), 1, in) != 1 || random_state == 0)
        return checkpoint_read_failed(in);
    c->random_state = random_state;
    return 0;
}
