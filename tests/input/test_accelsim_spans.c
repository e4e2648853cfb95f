/*
 * Lines and address differences that come again (accelsim_span.h, accelsim_addr.h) are read as at first
 * sight. The reference is the same program with source lines and with lists of addresses, where
 * nothing is compared as a whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

enum { CODE = 600, BLOCKS = 24, WARPS = 2, LANES = 32, MOST_INSTS = 900, PATTERNS = 3 };

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* Prints the addresses of a load: base and the differences of a pattern, or of random lanes. */
static void print_addresses(FILE *out, uint32_t mask, unsigned pattern, bool reference)
{
    uint64_t base = 0x7f0000000000 + 4u * random_below(1u << 20), addr = base;
    const unsigned lanes = (unsigned)__builtin_popcount(mask);
    fprintf(out, reference ? "0" : "2 0x%" PRIx64, base);
    for (unsigned k = 0; k < lanes; k++) {
        /* Two levels of tiles, a longer second difference, differences that change. */
        const unsigned step = pattern == 0   ? (k % 16 == 0 ? 4000 : 4)
                              : pattern == 1 ? (k == 1 ? 400 : 40)
                                             : random_below(4000);
        addr = k == 0 ? base : addr + step;
        if (reference)
            fprintf(out, " 0x%016" PRIx64, addr);
        else if (k > 0)
            fprintf(out, " %u", step);
    }
    fputs(" \n", out);
}

/* Prints a line; `reference` says how. */
static void print_line(FILE *out, unsigned number, uint32_t mask, bool reference)
{
    if (reference)
        fprintf(out, "%u ", number);
    fprintf(out, "%04x %08x ", number * 16, mask);
    if (number % 11 != 3) {
        fprintf(out, "1 R%u IADD3 1 R%u 0 \n", number % 50, number % 40);
        return;
    }
    fprintf(out, "1 R%u LDG.E.SYS 1 R%u 4 ", number % 50, number % 40);
    print_addresses(out, mask, number % PATTERNS, reference);
}

static void print_warp(FILE *out, unsigned warp, bool wrong, bool reference)
{
    static const uint32_t masks[] = {0xffffffff, 0xffffffff, 0x0000ffff, 0x80000001};
    static char lines[MOST_INSTS * 1024];
    FILE *text = fmemopen(lines, sizeof(lines), "w");
    const unsigned n = 1 + random_below(MOST_INSTS);
    unsigned at = random_below(2) * 250; /* crosses a page of the code, or not */
    uint32_t mask = masks[0];
    for (unsigned i = 0; i < n; i++) {
        print_line(text, at, mask, reference);
        at = (at + 1) % CODE;
        if (random_below(40) == 0)
            at = random_below(4) * 100;
        if (random_below(60) == 0)
            mask = masks[random_below(4)];
    }
    fclose(text);
    /* A count that ends inside a known span must not be missed. */
    fprintf(out, "warp = %u\ninsts = %u\n%s", warp, wrong ? n - n / 3 : n, lines);
}

/* The trace as text. wrong: the block in which too few instructions are declared; BLOCKS: none. */
static char *read_program(uint64_t program, unsigned wrong, bool reference)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    char more[100];
    seed = program;
    snprintf(more, sizeof(more), "-grid dim = (%u,1,1)\n-enable lineinfo = %d", BLOCKS, reference);
    fputs(trace_header(4, more), out);
    for (unsigned b = 0; b < BLOCKS; b++) {
        fprintf(out, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", b);
        for (unsigned w = 0; w < WARPS; w++)
            print_warp(out, w, b == wrong, reference);
        fputs("#END_TB\n\n", out);
    }
    fclose(out);
    trace_write("k.traceg", text);
    free(text);
    return trace_text(trace_path("k.traceg"), 0);
}

static void compare(uint64_t program, unsigned wrong)
{
    char *text = read_program(program, wrong, false);
    char *reference = read_program(program, wrong, true);
    assert_string_equal(text, reference);
    assert_int_equal(strstr(text, "error") != NULL, wrong < BLOCKS);
    free(text);
    free(reference);
}

static void what_comes_again_is_read_alike(void **state)
{
    (void)state;
    for (uint64_t program = 1; program <= 6; program++)
        compare(program, BLOCKS);
}

static void errors_name_the_same_line(void **state)
{
    (void)state;
    for (uint64_t program = 1; program <= 6; program++)
        compare(program, BLOCKS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_again_is_read_alike),
        cmocka_unit_test(errors_name_the_same_line),
    };
    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
