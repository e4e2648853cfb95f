/* The corpus of the trace reader's fuzz target and random changes of it, under every build. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/accelsim_trial.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

enum { TEXT_MAX = 16384, INPUTS_MAX = 64, MUTATIONS = 8000 };

typedef struct {
    char name[64];
    char text[TEXT_MAX];
    size_t n;
} input_t;

static input_t *inputs; /* sorted by name, so that a seed means the same everywhere */
static size_t n_inputs;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const input_t *)a)->name, ((const input_t *)b)->name);
}

static int load_inputs(void **state)
{
    static const char folder[] = RUBATO_ROOT "/tests/fuzz/corpus/accelsim";
    DIR *dir = opendir(folder);

    (void)state;
    inputs = calloc(INPUTS_MAX, sizeof(*inputs));
    for (struct dirent *d; dir != NULL && n_inputs < INPUTS_MAX && (d = readdir(dir)) != NULL;) {
        input_t *in = &inputs[n_inputs];
        char path[1024];

        if (d->d_name[0] == '.')
            continue;
        snprintf(in->name, sizeof(in->name), "%.63s", d->d_name);
        snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
        FILE *f = fopen(path, "rb");

        if (f == NULL)
            return -1;
        in->n = fread(in->text, 1, TEXT_MAX, f);
        fclose(f);
        n_inputs++;
    }
    if (dir != NULL)
        closedir(dir);
    qsort(inputs, n_inputs, sizeof(*inputs), by_name);
    return n_inputs > 0 ? 0 : -1;
}

static int free_inputs(void **state)
{
    (void)state;
    free(inputs);
    return 0;
}

/* Warnings about missing blocks and unknown opcodes are not of interest here. */
static int silence(void **state)
{
    (void)state;
    trace_capture_stderr();
    return 0;
}

static int unsilence(void **state)
{
    (void)state;
    free(trace_captured());
    return 0;
}

static void the_corpus_is_refused_or_read_as_its_names_say(void **state)
{
    unsigned refused = 0;

    (void)state;
    for (size_t i = 0; i < n_inputs; i++) {
        rb_code_t code = accelsim_trial(inputs[i].text, inputs[i].n);
        bool bad = strncmp(inputs[i].name, "bad_", 4) == 0;

        refused += bad;
        if (code != (bad ? RB_TRACE : RB_OK))
            fail_msg("%s: code %d", inputs[i].name, (int)code);
    }
    assert_true(refused >= 8 && n_inputs - refused >= 8);
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* A few random edits: characters, bits, pieces of other inputs, doubled and dropped stretches. */
static size_t mutate(uint64_t *seed, char text[TEXT_MAX], size_t n)
{
    static const char marks[] = "0123456789abcdefx-=,().# \n\nRUPT";

    for (uint64_t edits = 1 + next_random(seed) % 4; edits > 0 && n > 0; edits--) {
        size_t at = next_random(seed) % n, length = next_random(seed) % (n - at) % 64;
        const input_t *other = &inputs[next_random(seed) % n_inputs];

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

static void random_changes_of_the_corpus_never_break_the_reader(void **state)
{
    static char text[TEXT_MAX];
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned accepted = 0;

    (void)state;
    for (unsigned i = 0; i < MUTATIONS; i++) {
        const input_t *in = &inputs[next_random(&seed) % n_inputs];

        memcpy(text, in->text, in->n);
        accepted += accelsim_trial(text, mutate(&seed, text, in->n)) == RB_OK;
    }
    /* Both outcomes must be met, or the changes test nothing. */
    assert_in_range(accepted, MUTATIONS / 100, MUTATIONS - MUTATIONS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_corpus_is_refused_or_read_as_its_names_say, silence,
                                        unsilence),
        cmocka_unit_test_setup_teardown(random_changes_of_the_corpus_never_break_the_reader,
                                        silence, unsilence),
    };

    return cmocka_run_group_tests(tests, load_inputs, free_inputs);
}
