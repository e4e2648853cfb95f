/*
 * rubato_decoder: the decoder of machine code against nvdisasm of the CUDA toolkit, which must be
 * found by PATH. Takes every shape of instruction that the files hold (cubins, fat binaries,
 * programs, libraries), prints those that read differently, by opcode, and how many there are.
 *
 *   rubato_decoder [--arch 70|75|80|86] [--flips] [--all] FILE...
 *
 * --flips: also what those instructions become when one bit of them is turned, which shows
 * modifiers that no program of the sample has. --all: every difference, not the first ones of an
 * opcode.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/decoder/decoder_listing.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/core/alloc.h"

enum { CHUNK = 16384, OPCODES = 4096, SHOWN = 4, FLIPPED_BITS = 105, FLIPPED_SHAPES = 12 };

typedef struct {
    uint32_t arch;
    bool flips, all;
    char scratch[32];
    word_t *insts; /* to be compared; owned */
    uint64_t *counts;
    size_t n, cap, counts_cap;
    char (*expected)[LISTING_TEXT];
    uint64_t shapes_wrong, insts_wrong, not_insts;
    unsigned shown[OPCODES];
} compare_t;

static void add(compare_t *c, word_t inst, uint64_t count)
{
    rb_grow(&c->insts, &c->cap, c->n + 1, sizeof(*c->insts));
    rb_grow(&c->counts, &c->counts_cap, c->n + 1, sizeof(*c->counts));
    c->insts[c->n] = inst;
    c->counts[c->n++] = count;
}

static void add_flips(compare_t *c, word_t inst, shapes_t *seen)
{
    for (unsigned bit = 0; bit < FLIPPED_BITS; bit++) {
        word_t w = inst;
        if (bit < 64)
            w.lo ^= 1ull << bit;
        else
            w.hi ^= 1ull << (bit - 64);
        const size_t before = seen->n;
        shapes_add(seen, w);
        if (seen->n > before)
            add(c, w, 0);
    }
}

static void add_shapes(compare_t *c, const shapes_t *s)
{
    unsigned n_of[OPCODES] = {0};
    shapes_t seen = {0};

    for (size_t i = 0; i < s->size; i++)
        for (unsigned k = 0; k < s->table[i].n_samples; k++)
            add(c, s->table[i].samples[k], k == 0 ? s->table[i].count : 0);
    for (size_t i = 0; c->flips && i < s->size; i++)
        if (s->table[i].count != 0 && n_of[s->table[i].key.lo % OPCODES]++ < FLIPPED_SHAPES)
            add_flips(c, s->table[i].samples[0], &seen);
    shapes_free(&seen);
}

static void show(compare_t *c, word_t w, const char *expected, const char *got)
{
    if (!c->all && c->shown[w.lo % OPCODES]++ >= SHOWN)
        return;
    printf("0x%03x  0x%016" PRIx64 " 0x%016" PRIx64 "\n", (unsigned)(w.lo % OPCODES), w.lo, w.hi);
    printf("    nvdisasm  %s\n    rubato    %s\n", expected, got);
}

static void compare(compare_t *c, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const word_t w = c->insts[at + i];
        char got[SASS_TEXT_MAX];
        sass_inst_t in;
        uint8_t code[SASS_INST_BYTES];
        memcpy(code, &w, sizeof(code));
        sass_decode(&in, code, (uint32_t)(i * SASS_INST_BYTES), c->arch);
        sass_text(&in, got);
        const bool none = c->expected[i][0] == '\0';
        c->not_insts += none;
        if (none && c->counts[at + i] > 0)
            show(c, w, "(none)", got);
        if (none || strcmp(c->expected[i], got) == 0)
            continue;
        c->shapes_wrong++;
        c->insts_wrong += c->counts[at + i];
        show(c, w, c->expected[i], got);
    }
}

static rb_code_t compare_all(compare_t *c, rb_err_t *err)
{
    c->expected = rb_calloc(CHUNK, sizeof(*c->expected));
    for (size_t at = 0; at < c->n; at += CHUNK) {
        const size_t n = c->n - at < CHUNK ? c->n - at : CHUNK;
        RB_TRY(listing_read(c->scratch, c->arch, c->insts + at, n, c->expected, err));
        compare(c, at, n);
    }
    return RB_OK;
}

static rb_code_t add_files(shapes_t *s, uint32_t arch, char **paths, rb_err_t *err)
{
    for (; *paths != NULL; paths++)
        RB_TRY(shapes_add_file(s, *paths, arch, err));
    return RB_OK;
}

/* Index of the first argument that is not an option; 0 if an option is unknown. */
static int read_options(compare_t *c, int argc, char **argv)
{
    int at = 1;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--flips") == 0)
            c->flips = true;
        else if (strcmp(argv[at], "--all") == 0)
            c->all = true;
        else if (strcmp(argv[at], "--arch") == 0 && at + 1 < argc)
            c->arch = (uint32_t)strtoul(argv[++at], NULL, 10);
        else
            return 0;
    }
    return at < argc ? at : 0;
}

static rb_code_t run(compare_t *c, shapes_t *s, char **paths, rb_err_t *err)
{
    const int file = mkstemp(c->scratch);

    if (file < 0)
        return rb_fail(err, RB_IO, "%s: %s", c->scratch, strerror(errno));
    close(file);
    rb_code_t code = add_files(s, c->arch, paths, err);
    if (code == RB_OK) {
        add_shapes(c, s);
        code = compare_all(c, err);
    }
    unlink(c->scratch);
    return code;
}

int main(int argc, char **argv)
{
    compare_t c = {.arch = 75, .scratch = "/tmp/rubato-decoder-XXXXXX"};
    shapes_t s = {0};
    rb_err_t err = {0};
    const int first = read_options(&c, argc, argv);

    if (first == 0) {
        fprintf(stderr, "usage: rubato_decoder [--arch 70|75|80|86] [--flips] [--all] FILE...\n");
        return 2;
    }
    const rb_code_t code = run(&c, &s, argv + first, &err);
    if (code != RB_OK)
        fprintf(stderr, "rubato_decoder: %s\n", err.text);
    else
        printf("sm_%u: %" PRIu64 " instructions of %zu shapes, %zu compared: %" PRIu64
               " differ (%" PRIu64 " instructions), %" PRIu64 " are none for nvdisasm\n",
               c.arch, s.n_insts, s.n, c.n, c.shapes_wrong, c.insts_wrong, c.not_insts);
    shapes_free(&s);
    free(c.insts);
    free(c.counts);
    free(c.expected);
    return code != RB_OK ? rb_exit_code(code) : c.shapes_wrong > 0;
}
