/* The corpus of the fuzz target and random changes of it, in every build. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/log.h"
#include "tests/support/conf_trial.h"
#include "tests/support/test.h"

enum { TEXT_MAX = 32768, INPUTS_MAX = 64, MUTATIONS = 10000 };

const char *__lsan_default_suppressions(void);

/* libconfig 1.5 leaks the current string at a syntax error. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig";
}

typedef struct {
    char name[64];
    char text[TEXT_MAX];
    size_t n;
} input_t;

static input_t *inputs; /* sorted by name, so that a seed gives the same changes everywhere */
static size_t n_inputs;

static void add_input(const char *folder, const char *name)
{
    char path[600];
    input_t *in = &inputs[n_inputs++];
    assert_true(n_inputs <= INPUTS_MAX && strlen(name) < sizeof(in->name));
    strcpy(in->name, name);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    in->n = fread(in->text, 1, TEXT_MAX, f);
    fclose(f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const input_t *)a)->name, ((const input_t *)b)->name);
}

static void add_folder(const char *folder)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".cfg"))
            add_input(folder, e->d_name);
    closedir(d);
}

static int load_inputs(void **state)
{
    (void)state;
    rb_log_quiet(true);
    inputs = calloc(INPUTS_MAX, sizeof(*inputs));
    if (!inputs)
        return -1;
    add_folder(RUBATO_ROOT "/tests/fuzz/corpus/conf");
    add_folder(RUBATO_ROOT "/configs");
    qsort(inputs, n_inputs, sizeof(*inputs), by_name);
    return 0;
}

static int free_inputs(void **state)
{
    (void)state;
    free(inputs);
    return 0;
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void the_corpus_is_refused_or_read_as_its_files_say(void **state)
{
    (void)state;
    static const char *const good[] = {"empty.cfg", "groups.cfg", "inherit.cfg", "no_newline.cfg",
                                       "v100.cfg",  "turing.cfg", "t4.cfg",      "volta.cfg"};
    static const char *const bad[] = {"bom.cfg",         "deep.cfg",    "dotted.cfg",
                                      "duplicate.cfg",   "include.cfg", "inherit_list.cfg",
                                      "integers.cfg",    "list.cfg",    "open_comment.cfg",
                                      "open_string.cfg", "strings.cfg", "zero_byte.cfg"};
    size_t seen = 0;
    for (size_t i = 0; i < n_inputs; i++) {
        rb_code_t code = conf_trial(inputs[i].text, inputs[i].n);
        for (size_t j = 0; j < sizeof(good) / sizeof(good[0]); j++)
            if (!strcmp(inputs[i].name, good[j])) {
                if (code != RB_OK)
                    fail_msg("%s is refused", good[j]);
                seen++;
            }
        for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++)
            if (!strcmp(inputs[i].name, bad[j])) {
                if (code != RB_CONFIG)
                    fail_msg("%s is accepted", bad[j]);
                seen++;
            }
    }
    assert_int_equal(seen, sizeof(good) / sizeof(good[0]) + sizeof(bad) / sizeof(bad[0]));
}

/* A few random edits: bytes, bits, pieces of other inputs, duplicated and dropped ranges. */
static size_t mutate(uint64_t *seed, char text[TEXT_MAX], size_t n)
{
    static const char marks[] = "{}[]();:=,\"\\/*#@.-+0LxeE \n";
    for (uint64_t edits = 1 + next_random(seed) % 4; edits; edits--) {
        size_t at = n ? next_random(seed) % n : 0;
        size_t length = n ? next_random(seed) % (n - at) % 64 : 0;
        const input_t *other = &inputs[next_random(seed) % n_inputs];
        switch (next_random(seed) % 5) {
        case 0:
            text[at] = marks[next_random(seed) % (sizeof(marks) - 1)];
            n += n == 0;
            break;
        case 1:
            text[at] = (char)(text[at] ^ (1 << next_random(seed) % 8));
            n += n == 0;
            break;
        case 2: // drop a stretch
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        case 3: // double a stretch
            if (n + length <= TEXT_MAX) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
            break;
        default: // a piece of another input
            if (other->n && length <= other->n)
                memcpy(text + at, other->text + next_random(seed) % (other->n - length + 1),
                       length);
        }
    }
    return n;
}

static void random_changes_of_the_corpus_never_break_the_reader(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    uint64_t seed = 0x9e3779b97f4a7c15;
    size_t accepted = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        const input_t *in = &inputs[next_random(&seed) % n_inputs];
        memcpy(text, in->text, in->n);
        accepted += conf_trial(text, mutate(&seed, text, in->n)) == RB_OK;
    }
    // Both outcomes must occur, or the changes test nothing.
    assert_in_range(accepted, MUTATIONS / 100, MUTATIONS - MUTATIONS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corpus_is_refused_or_read_as_its_files_say),
        cmocka_unit_test(random_changes_of_the_corpus_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, load_inputs, free_inputs);
}
