/* Static runtimes are found in programs by their symbols, and nothing else is taken for one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/redirect/jump.h"
#include "frontend/emulator/redirect/static_runtime.h"
#include "tests/support/test.h"

typedef struct {
    uint8_t *data;
    size_t size;
} bytes_t;

static bytes_t read_bytes(const char *path)
{
    enum { MAX = 64 << 20 };
    bytes_t b = {.data = malloc(MAX)};
    FILE *in = fopen(path, "rb");

    assert_non_null(in);
    b.size = fread(b.data, 1, MAX, in);
    fclose(in);
    return b;
}

/* Looks into bytes; -1: not an ELF file. */
static int kind_of(const uint8_t *data, size_t size, unsigned *major)
{
    static_runtime_t r;
    elf_file_t f;
    rb_err_t err = {0};

    if (elf_open(&f, "file", data, size, &err) != RB_OK)
        return -1;
    static_runtime_find(&r, &f);
    int kind = (int)r.kind;
    *major = r.major;
    for (uint32_t i = 0; i < r.n_functions && kind == STATIC_RUNTIME_FOUND; i++)
        assert_ptr_equal(static_runtime_function(&r, r.functions[i].name), &r.functions[i]);
    static_runtime_free(&r);
    elf_close(&f);
    return kind;
}

static int kind_of_file(const char *path)
{
    bytes_t b = read_bytes(path);
    unsigned major;
    int kind = kind_of(b.data, b.size, &major);

    free(b.data);
    return kind;
}

static void it_is_found_in_programs_that_hold_it(void **state)
{
    (void)state;
    assert_int_equal(kind_of_file(RUBATO_STATIC "/static_program"), STATIC_RUNTIME_FOUND);
    assert_int_equal(kind_of_file(RUBATO_STATIC "/static_fixed"), STATIC_RUNTIME_FOUND);
    assert_int_equal(kind_of_file(RUBATO_STATIC "/static_library"), STATIC_RUNTIME_FOUND);
    assert_int_equal(kind_of_file(RUBATO_STATIC "/static_stripped"), STATIC_RUNTIME_STRIPPED);
}

static void it_is_not_found_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(kind_of_file(RUBATO_CUDA_PROGRAM), STATIC_RUNTIME_NONE);
    assert_int_equal(kind_of_file(RUBATO_STATIC "/late_loader"), STATIC_RUNTIME_NONE);
    assert_int_equal(kind_of_file(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin"),
                     STATIC_RUNTIME_NONE);
}

/* Renames every occurrence of a name in the file's strings. */
static void rename_in(bytes_t *b, const char *from, const char *to)
{
    const size_t n = strlen(from) + 1;
    unsigned renamed = 0;

    assert_int_equal(strlen(from), strlen(to));
    for (size_t i = 0; i + n <= b->size; i++)
        if (memcmp(b->data + i, from, n) == 0) {
            memcpy(b->data + i, to, n);
            renamed++;
        }
    assert_true(renamed > 0);
}

static void versions_differ_by_their_functions(void **state)
{
    static const struct {
        const char *from, *to;
        unsigned major;
    } changes[] = {{"cudaMemGetInfo", "cudaMemGetInfo", 11},
                   {"cudaGetFuncBySymbol", "cudaGetFuncBySymbxl", 10},
                   {"cudaBindTexture", "cudaBindTextxre", 13},
                   {"cudaIpcGetMemHandle", "cudaIpcGetMemHandlx", 13}};
    bytes_t b = read_bytes(RUBATO_STATIC "/static_program");
    unsigned major;

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        rename_in(&b, changes[i].from, changes[i].to);
        assert_int_equal(kind_of(b.data, b.size, &major), STATIC_RUNTIME_FOUND);
        assert_int_equal(major, changes[i].major);
    }
    rename_in(&b, "cudaMalloc", "cudaMallxc");
    assert_int_equal(kind_of(b.data, b.size, &major), STATIC_RUNTIME_NONE);
    free(b.data);
}

/* A local function of the program has the name of a function of the runtime. */
static void functions_of_the_program_stay(void **state)
{
    bytes_t b = read_bytes(RUBATO_STATIC "/static_program");
    static_runtime_t r;
    elf_file_t f;
    rb_err_t err = {0};
    uint64_t first = UINT64_MAX, last = 0, at[2];
    unsigned n = 0;

    (void)state;
    assert_int_equal(elf_open(&f, "file", b.data, b.size, &err), RB_OK);
    for (uint32_t i = 0; i < f.n_symbols; i++)
        if (strcmp(f.symbols[i].name, "cudaStreamCreate") == 0) {
            assert_true(n < 2);
            at[n++] = f.symbols[i].value;
        }
    assert_int_equal(n, 2);
    static_runtime_find(&r, &f);
    n = 0;
    for (uint32_t i = 0; i < r.n_functions; i++) {
        const bool twice = strcmp(r.functions[i].name, "cudaStreamCreate") == 0;
        n += twice;
        if (!twice && r.functions[i].address < first)
            first = r.functions[i].address;
        if (!twice && r.functions[i].address > last)
            last = r.functions[i].address;
        assert_true(r.functions[i].room >= 16);
    }
    assert_int_equal(n, 1);
    const uint64_t kept = static_runtime_function(&r, "cudaStreamCreate")->address;
    assert_true(kept == at[0] || kept == at[1]);
    assert_true(kept > first && kept < last);
    static_runtime_free(&r);
    elf_close(&f);
    free(b.data);
}

static void damaged_files_do_no_harm(void **state)
{
    bytes_t b = read_bytes(RUBATO_STATIC "/static_program");
    uint32_t random = 1;
    unsigned major;

    (void)state;
    for (size_t size = 0; size < b.size; size += b.size / 97 + 1) {
        uint8_t *cut = malloc(size + 1); /* exactly its bytes, for the address sanitizer */
        memcpy(cut, b.data, size);
        kind_of(cut, size, &major);
        free(cut);
    }
    for (int i = 0; i < 300; i++) {
        uint8_t *bad = malloc(b.size);
        memcpy(bad, b.data, b.size);
        for (int k = 0; k < 20; k++) {
            random = random * 1664525u + 1013904223u;
            /* mostly in the tables, which are at the end */
            const size_t back = (random >> 8) % (k % 2 == 0 ? 4096 : b.size);
            bad[b.size - 1 - back] = (uint8_t)(random >> 3);
        }
        kind_of(bad, b.size, &major);
        free(bad);
    }
    free(b.data);
}

/* --- jumps ----------------------------------------------------------------------------------- */

enum { X86_64 = 62, AARCH64 = 183, RISCV = 243 };
static const uint64_t target = 0x1122334455667788ull;
#define TARGET 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11

static void jumps_are_those_of_the_manuals(void **state)
{
    /* As an assembler encodes them. */
    static const uint8_t x86[] = {0x49, 0xbb, TARGET, 0x3e, 0x41, 0xff, 0xe3};
    static const uint8_t pad[] = {0xf3,   0x0f, 0x1e, 0xfa, 0x49, 0xbb,
                                  TARGET, 0x3e, 0x41, 0xff, 0xe3};
    static const uint8_t arm[] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6, TARGET};
    const uint8_t plain[20] = {0x53};
    uint8_t jump[JUMP_MAX_BYTES];

    (void)state;
    assert_int_equal(jump_encode(jump, X86_64, plain, 20, target), sizeof(x86));
    assert_memory_equal(jump, x86, sizeof(x86));
    assert_int_equal(jump_encode(jump, X86_64, pad, 18, target), sizeof(pad));
    assert_memory_equal(jump, pad, sizeof(pad));
    assert_int_equal(jump_encode(jump, X86_64, pad, 17, target), sizeof(x86));
    assert_memory_equal(jump, x86, sizeof(x86));
    assert_int_equal(jump_encode(jump, AARCH64, plain, 20, target), sizeof(arm));
    assert_memory_equal(jump, arm, sizeof(arm));
}

static void jumps_fit_or_are_refused(void **state)
{
    const uint8_t plain[20] = {0x53};
    uint8_t jump[JUMP_MAX_BYTES];

    (void)state;
    for (size_t n = 0; n <= 20; n++) {
        assert_int_equal(jump_encode(jump, X86_64, plain, n, target), n < 14 ? 0 : 14);
        assert_int_equal(jump_encode(jump, AARCH64, plain, n, target), n < 16 ? 0 : 16);
        assert_int_equal(jump_encode(jump, RISCV, plain, n, target), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_found_in_programs_that_hold_it),
        cmocka_unit_test(it_is_not_found_elsewhere),
        cmocka_unit_test(versions_differ_by_their_functions),
        cmocka_unit_test(functions_of_the_program_stay),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(jumps_are_those_of_the_manuals),
        cmocka_unit_test(jumps_fit_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
