#include "tests/support/corpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "tests/support/test.h"

enum { GROWTH_MAX = 4096, INPUT_MAX = 1 << 20, INPUTS_MAX = 256, STRETCH_MAX = 64 };

typedef struct {
    corpus_input_t inputs[INPUTS_MAX]; /* by name, so that a seed means the same everywhere */
    size_t n;
} corpus_t;

bool corpus_input_read(corpus_input_t *in, const char *path)
{
    const char *slash = strrchr(path, '/');
    FILE *f = fopen(path, "rb");

    if (f == NULL)
        return false;
    snprintf(in->name, sizeof(in->name), "%.63s", slash != NULL ? slash + 1 : path);
    in->data = rb_calloc(INPUT_MAX + 1, 1);
    in->n = fread(in->data, 1, INPUT_MAX, f);
    fclose(f);
    /* Its own size, so that a sanitizer sees what is read behind it. */
    in->data = rb_realloc(in->data, in->n + 1, 1);
    in->data[in->n] = '\0';
    return true;
}

void corpus_input_free(corpus_input_t *in)
{
    free(in->data);
    in->data = NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const corpus_input_t *)a)->name, ((const corpus_input_t *)b)->name);
}

static corpus_t *load(const char *name)
{
    corpus_t *c = rb_calloc(1, sizeof(*c));
    char folder[512], path[1024];

    snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", RUBATO_ROOT, name);
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.')
            continue;
        assert_true(c->n < INPUTS_MAX);
        snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
        assert_true(corpus_input_read(&c->inputs[c->n++], path));
    }
    closedir(dir);
    qsort(c->inputs, c->n, sizeof(*c->inputs), by_name);
    return c;
}

static void unload(corpus_t *c)
{
    for (size_t i = 0; i < c->n; i++)
        corpus_input_free(&c->inputs[i]);
    free(c);
}

void corpus_holds(const char *name, rb_code_t (*trial)(const void *data, size_t n))
{
    corpus_t *c = load(name);
    unsigned refused = 0;

    for (size_t i = 0; i < c->n; i++) {
        const corpus_input_t *in = &c->inputs[i];
        rb_code_t code = trial(in->data, in->n);
        bool bad = strncmp(in->name, "bad_", 4) == 0;

        refused += bad;
        if (bad != (code != RB_OK))
            fail_msg("%s: code %d", in->name, (int)code);
    }
    assert_true(refused >= 3 && c->n - refused >= 3);
    unload(c);
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* A few random edits: characters, bits, pieces of other inputs, doubled and dropped stretches. */
static size_t mutate(const corpus_t *c, uint64_t *seed, char *text, size_t n, size_t cap)
{
    static const char marks[] = "0123456789abcdefx-=,().# \n\nRUPT";

    for (uint64_t edits = 1 + next_random(seed) % 4; edits > 0 && n > 0; edits--) {
        size_t at = next_random(seed) % n, length = next_random(seed) % (n - at) % STRETCH_MAX;
        const corpus_input_t *other = &c->inputs[next_random(seed) % c->n];

        switch (next_random(seed) % 5) {
        case 0:
            text[at] = marks[next_random(seed) % (sizeof(marks) - 1)];
            break;
        case 1:
            text[at] = (char)(text[at] ^ (1 << next_random(seed) % 8));
            break;
        case 2:
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        case 3:
            if (n + length <= cap) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
            break;
        default:
            if (length <= other->n)
                memcpy(text + at, other->data + next_random(seed) % (other->n - length + 1),
                       length);
        }
    }
    return n;
}

void corpus_survives_changes(const char *name, rb_code_t (*trial)(const void *data, size_t n),
                             unsigned n)
{
    corpus_t *c = load(name);
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned accepted = 0;

    for (unsigned i = 0; i < n; i++) {
        const corpus_input_t *in = &c->inputs[next_random(&seed) % c->n];
        size_t cap = in->n + GROWTH_MAX;
        char *text = rb_calloc(cap, 1);

        memcpy(text, in->data, in->n);
        accepted += trial(text, mutate(c, &seed, text, in->n, cap)) == RB_OK;
        free(text);
    }
    assert_in_range(accepted, n / 100, n - n / 100);
    unload(c);
}
