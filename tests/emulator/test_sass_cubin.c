/* Reading machine code: cubins, fat binaries in all their compressions, damaged files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/lz4_block.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

typedef struct {
    uint8_t *data;
    size_t size;
} bytes_t;

static bytes_t read_cubin(const char *name)
{
    char path[512];
    bytes_t b = {.data = malloc(1 << 20)};

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s.cubin", name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    b.size = fread(b.data, 1, 1 << 20, in);
    fclose(in);
    return b;
}

static void kernels_have_their_resources(void **state)
{
    bytes_t b = read_cubin("matmul.sm70");
    rb_err_t err = {0};
    cubin_t c;

    (void)state;
    assert_int_equal(cubin_open(&c, "matmul", b.data, b.size, &err), RB_OK);
    assert_int_equal(c.arch, 70);
    assert_int_equal(c.n_kernels, 1);
    const cubin_kernel_t *k = cubin_find(&c, "matmul");
    assert_non_null(k);
    assert_null(cubin_find(&c, "matmu"));
    assert_int_equal(k->regs, 32);
    assert_int_equal(k->shared_bytes, 2 * 16 * 16 * 4);
    assert_int_equal(k->param_base, 0x160);
    assert_int_equal(k->param_bytes, 28);
    assert_int_equal(k->n_params, 4);
    assert_int_equal(k->params[3].offset, 24);
    assert_int_equal(k->params[3].bytes, 4);
    assert_int_equal(k->params[1].bytes, 8);
    assert_int_not_equal(k->banks[0], 0);
    assert_int_equal(k->banks[2], 0);
    cubin_close(&c);
    free(b.data);
}

static void relocations_are_found_by_place(void **state)
{
    bytes_t b = read_cubin("misc.sm70");
    rb_err_t err = {0};
    cubin_t c;

    (void)state;
    assert_int_equal(cubin_open(&c, "misc", b.data, b.size, &err), RB_OK);
    const cubin_kernel_t *k = cubin_find(&c, "trig");
    const cubin_reloc_t *low = cubin_reloc_at(&c, k->section, 0x1c0);
    const cubin_reloc_t *high = cubin_reloc_at(&c, k->section, 0x200);
    assert_non_null(low);
    assert_int_equal(low->type, CUBIN_RELOC_LO32);
    assert_int_equal(high->type, CUBIN_RELOC_HI32);
    assert_string_equal(c.elf.symbols[low->symbol].name, "__cudart_i2opi_f");
    assert_null(cubin_reloc_at(&c, k->section, 0x1d0));
    assert_true(cubin_variable(&c, "__cudart_i2opi_f") == low->symbol);
    assert_true(cubin_variable(&c, "trig") == -1);
    cubin_close(&c);
    free(b.data);
}

/* --- fat binaries ---------------------------------------------------------------------------- */

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    memcpy(p, &value, bytes);
}

typedef enum { PLAIN, LZ4, ZSTD } compression_t;

/* An LZ4 block with literals only. */
static size_t lz4_literals(const bytes_t *b, uint8_t *out)
{
    size_t n = 0, left = b->size - 15;

    out[n++] = 0xf0;
    for (; left >= 255; left -= 255)
        out[n++] = 255;
    out[n++] = (uint8_t)left;
    memcpy(out + n, b->data, b->size);
    return n + b->size;
}

/* Appends an entry and returns its bytes. */
static size_t put_entry(uint8_t *p, const bytes_t *image, unsigned kind, uint32_t arch,
                        compression_t how)
{
    uint8_t *payload = p + 64;
    size_t n = image->size;

    memset(p, 0, 64);
    if (how == PLAIN)
        memcpy(payload, image->data, n);
    else if (how == LZ4)
        n = lz4_literals(image, payload);
    else
        n = ZSTD_compress(payload, ZSTD_compressBound(n), image->data, n, 3);
    size_t padded = (n + 7) / 8 * 8;
    memset(payload + n, 0, padded - n);
    put(p, kind, 2);
    put(p + 4, 64, 4);
    put(p + 8, padded, 8);
    put(p + 16, how == PLAIN ? 0 : n, 4);
    put(p + 28, arch, 4);
    put(p + 40, 0x11 | (how == LZ4 ? 0x2000 : how == ZSTD ? 0x8000 : 0), 8);
    put(p + 56, how == PLAIN ? 0 : image->size, 8);
    return 64 + padded;
}

/* A container with one cubin and PTX; returns its bytes. */
static size_t put_container(uint8_t *p, const bytes_t *image, uint32_t arch, compression_t how)
{
    uint8_t text[] = ".version 6.0";
    bytes_t ptx = {text, sizeof(text)};
    size_t n = 16;

    n += put_entry(p + n, image, 2, arch, how);
    n += put_entry(p + n, &ptx, 1, arch, PLAIN);
    put(p, 0xba55ed50u, 4);
    put(p + 4, 1, 2);
    put(p + 6, 16, 2);
    put(p + 8, n - 16, 8);
    return n;
}

/* Three containers, 16 bytes of padding between them. */
static bytes_t make_fatbin(void)
{
    bytes_t b = {.data = calloc(1, 1 << 20)}, volta = read_cubin("vecadd.sm70"),
            turing = read_cubin("vecadd.sm75");

    b.size = put_container(b.data, &volta, 70, PLAIN) + 16;
    b.size += put_container(b.data + b.size, &turing, 75, LZ4) + 16;
    b.size += put_container(b.data + b.size, &volta, 70, ZSTD);
    free(volta.data);
    free(turing.data);
    return b;
}

static void fat_binaries_give_their_cubins(void **state)
{
    bytes_t b = make_fatbin();
    rb_err_t err = {0};
    code_file_t f;

    (void)state;
    trace_write_bytes("x.fatbin", b.data, b.size);
    assert_int_equal(code_file_open(&f, trace_path("x.fatbin"), 0, &err), RB_OK);
    assert_int_equal(f.n_cubins, 3);
    assert_int_equal(f.fatbin.n_ptx, 3);
    assert_int_equal(f.cubins[0].arch, 70);
    assert_int_equal(f.cubins[1].arch, 75);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(cubin_find(&f.cubins[i], "vecadd"));
    assert_memory_equal(f.cubins[0].kernels[0].code, f.cubins[2].kernels[0].code,
                        f.cubins[0].kernels[0].code_bytes);
    code_file_close(&f);

    fatbin_t texts;
    assert_int_equal(fatbin_open_ptx(&texts, "x", b.data, b.size, &err), RB_OK);
    assert_int_equal(texts.n_images, 3);
    assert_int_equal(texts.images[1].arch, 75);
    assert_string_equal((const char *)texts.images[1].data, ".version 6.0");
    fatbin_close(&texts);

    assert_int_equal(code_file_open(&f, trace_path("x.fatbin"), 75, &err), RB_OK);
    assert_int_equal(f.n_cubins, 1);
    code_file_close(&f);

    assert_int_equal(code_file_open(&f, trace_path("x.fatbin"), 72, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "no machine code for sm_72"));
    free(b.data);
}

static void lz4_matches_may_overlap(void **state)
{
    /* "ab", then 9 bytes from 2 back, then 4 literals */
    const uint8_t in[] = {0x25, 'a', 'b', 2, 0, 0x40, '1', '2', '3', '4'};
    uint8_t out[16];

    (void)state;
    assert_true(lz4_block_decompress(in, sizeof(in), out, 15));
    assert_memory_equal(out,
                        "ababababab"
                        "a1234",
                        15);
    assert_false(lz4_block_decompress(in, sizeof(in), out, 16));     /* too little */
    assert_false(lz4_block_decompress(in, sizeof(in) - 1, out, 15)); /* cut off */
    const uint8_t back[] = {0x15, 'a', 9, 0, 0x40, '1', '2', '3', '4'};
    assert_false(lz4_block_decompress(back, sizeof(back), out, 14)); /* before the beginning */
}

/* --- damage ---------------------------------------------------------------------------------- */

static rb_code_t open_bytes(const uint8_t *data, size_t size)
{
    rb_err_t err = {0};
    code_file_t f;

    trace_write_bytes("damaged", data, size);
    rb_code_t rc = code_file_open(&f, trace_path("damaged"), 0, &err);
    if (rc == RB_OK)
        code_file_close(&f);
    else
        assert_int_equal(rc, RB_TRACE);
    return rc;
}

static void files_cut_anywhere_are_refused(void **state)
{
    bytes_t cubin = read_cubin("reduce.sm75"), fat = make_fatbin();

    (void)state;
    for (size_t n = 0; n < cubin.size; n += 97) {
        rb_code_t rc = open_bytes(cubin.data, n);
        if (n < 6400) /* the section table comes after the sections, before the segments */
            assert_int_equal(rc, RB_TRACE);
    }
    for (size_t n = 0; n < fat.size - 400; n += 101)
        open_bytes(fat.data, n);
    free(cubin.data);
    free(fat.data);
}

static void any_byte_may_be_wrong(void **state)
{
    bytes_t images[] = {read_cubin("reduce.sm75"), make_fatbin()};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (size_t at = 0; at < images[i].size; at += 3) {
            uint8_t kept = images[i].data[at];
            images[i].data[at] = (uint8_t)(kept ^ 0xff);
            open_bytes(images[i].data, images[i].size);
            images[i].data[at] = kept;
        }
        free(images[i].data);
    }
}

static void other_files_are_named_for_what_they_are(void **state)
{
    rb_err_t err = {0};
    code_file_t f;

    (void)state;
    trace_write("text", "hello");
    assert_int_equal(code_file_open(&f, trace_path("text"), 0, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "neither a cubin, a fat binary nor a program"));
    err = (rb_err_t){0};
    assert_int_equal(code_file_open(&f, RUBATO_BINARY, 0, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "has no CUDA code"));
    err = (rb_err_t){0};
    assert_int_equal(code_file_open(&f, trace_path("missing"), 0, &err), RB_IO);
    err = (rb_err_t){0};
    assert_int_equal(code_file_open(&f, RUBATO_ROOT, 0, &err), RB_IO);
    assert_non_null(strstr(err.text, "is a directory, not a file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_their_resources),
        cmocka_unit_test(relocations_are_found_by_place),
        cmocka_unit_test(fat_binaries_give_their_cubins),
        cmocka_unit_test(lz4_matches_may_overlap),
        cmocka_unit_test(files_cut_anywhere_are_refused),
        cmocka_unit_test(any_byte_may_be_wrong),
        cmocka_unit_test(other_files_are_named_for_what_they_are),
    };
    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
