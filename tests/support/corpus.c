#include "tests/support/corpus.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

enum { TEXT_MAX = 16384, INPUTS_MAX = 64, STRETCH_MAX = 64 };

typedef struct {
    char name[64];
    char text[TEXT_MAX];
    size_t n;
} input_t;

typedef struct {
    input_t *inputs; /* owned; sorted by name, so that a seed gives the same changes everywhere */
    size_t n;
} corpus_t;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const input_t *)a)->name, ((const input_t *)b)->name);
}

static corpus_t load(const char *name)
{
    corpus_t c = {.inputs = calloc(INPUTS_MAX, sizeof(*c.inputs))};
    char folder[512], path[1024];

    snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", RUBATO_ROOT, name);
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    for (struct dirent *d; c.n < INPUTS_MAX && (d = readdir(dir)) != NULL;) {
        input_t *in = &c.inputs[c.n];

        if (d->d_name[0] == '.')
            continue;
        snprintf(in->name, sizeof(in->name), "%.63s", d->d_name);
        snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
        FILE *f = fopen(path, "rb");

        assert_non_null(f);
        in->n = fread(in->text, 1, TEXT_MAX, f);
        fclose(f);
        c.n++;
    }
    closedir(dir);
    qsort(c.inputs, c.n, sizeof(*c.inputs), by_name);
    return c;
}

void corpus_holds(const char *name, rb_code_t (*trial)(const void *data, size_t n))
{
    corpus_t c = load(name);
    unsigned refused = 0;

    for (size_t i = 0; i < c.n; i++) {
        rb_code_t code = trial(c.inputs[i].text, c.inputs[i].n);
        bool bad = strncmp(c.inputs[i].name, "bad_", 4) == 0;

        refused += bad;
        if (bad ? code != RB_TRACE && code != RB_IO : code != RB_OK)
            fail_msg("%s: code %d", c.inputs[i].name, (int)code);
    }
    assert_true(refused >= 3 && c.n - refused >= 3);
    free(c.inputs);
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* A few random edits: characters, bits, pieces of other inputs, duplicated and dropped ranges. */
static size_t mutate(const corpus_t *c, uint64_t *seed, char text[TEXT_MAX], size_t n)
{
    static const char marks[] = "0123456789abcdefx-=,().# \n\nRUPT";

    for (uint64_t edits = 1 + next_random(seed) % 4; edits > 0 && n > 0; edits--) {
        size_t at = next_random(seed) % n, length = next_random(seed) % (n - at) % STRETCH_MAX;
        const input_t *other = &c->inputs[next_random(seed) % c->n];

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
            if (n + length <= TEXT_MAX) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
            break;
        default:
            if (length <= other->n)
                memcpy(text + at, other->text + next_random(seed) % (other->n - length + 1),
                       length);
        }
    }
    return n;
}

void corpus_survives_changes(const char *name, rb_code_t (*trial)(const void *data, size_t n),
                             unsigned n)
{
    static char text[TEXT_MAX];
    corpus_t c = load(name);
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned accepted = 0;

    for (unsigned i = 0; i < n; i++) {
        const input_t *in = &c.inputs[next_random(&seed) % c.n];

        memcpy(text, in->text, in->n);
        accepted += trial(text, mutate(&c, &seed, text, in->n)) == RB_OK;
    }
    assert_in_range(accepted, n / 100, n - n / 100);
    free(c.inputs);
}
