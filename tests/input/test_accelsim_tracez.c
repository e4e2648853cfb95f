/* Files of Accel-Sim 2.0 (.tracez), made here from the description in accelsim_tracez.h: read as the
 * text is that they hold; refused where they differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

enum { ROOM = 1 << 16, WARPS = 3, BLOCKS = 2 };

typedef struct {
    uint8_t data[ROOM];
    size_t n, index; /* index: where it begins */
} file_t;

static const char header[] = "-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n"
                             "-block dim = (96,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 90\n"
                             "-cuda stream id = 0\n-accelsim tracer version = 5\n"
                             "-enable lineinfo = 0\n\n#traces format = PC mask ...\n";

static void put(file_t *f, const void *p, size_t n)
{
    assert_true(f->n + n <= ROOM);
    memcpy(f->data + f->n, p, n);
    f->n += n;
}

static void put_u32(file_t *f, uint32_t v)
{
    const uint8_t b[] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};

    put(f, b, sizeof(b));
}

/* Line i of a warp: additions, then a load, and EXIT at the end. */
static size_t line_of(char text[128], uint32_t block, uint32_t warp, uint32_t i, uint32_t n)
{
    if (i + 1 == n)
        return (size_t)snprintf(text, 128, "%04x ffffffff 0 EXIT 0 0 \n", 16 * i);
    if (i % 4 == 3)
        return (size_t)snprintf(text, 128, "%04x ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4 0\n", 16 * i,
                                0x70000000 + block * 4096 + warp * 128);
    return (size_t)snprintf(text, 128, "%04x ffffffff 1 R5 IADD3 2 R4 R5 0 \n", 16 * i);
}

static uint32_t insts_of(uint32_t block, uint32_t warp)
{
    return 5 + 7 * warp + block;
}

/* The text of the same trace. */
static size_t make_text(char *text)
{
    size_t n = (size_t)sprintf(text, "%s", header);

    for (uint32_t b = 0; b < BLOCKS; b++) {
        n += (size_t)sprintf(text + n, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", b);
        for (uint32_t w = 0; w < WARPS; w++) {
            n += (size_t)sprintf(text + n, "warp = %u\ninsts = %u\n", w, insts_of(b, w));
            for (uint32_t i = 0; i < insts_of(b, w); i++)
                n += line_of(text + n, b, w, i, insts_of(b, w));
            text[n++] = '\n';
        }
        n += (size_t)sprintf(text + n, "#END_TB\n\n");
    }
    return n;
}

/* Warps are stored last to first, in pieces of `each` lines. */
static void make_file(file_t *f, uint32_t each, const char *dictionary)
{
    uint64_t offset[BLOCKS][WARPS];
    uint32_t bytes[BLOCKS][WARPS][64], pieces[BLOCKS][WARPS];
    ZSTD_CCtx *z = ZSTD_createCCtx();

    f->n = 0;
    put(f, header, sizeof(header)); /* with its NUL */
    put_u32(f, (uint32_t)strlen(dictionary));
    put_u32(f, each);
    put(f, dictionary, strlen(dictionary));
    for (uint32_t b = BLOCKS; b-- > 0;) {
        for (uint32_t w = WARPS; w-- > 0;) {
            const uint32_t n = insts_of(b, w);
            uint32_t *k = &pieces[b][w];

            offset[b][w] = f->n;
            *k = 0;
            put_u32(f, n);
            put_u32(f, (n + each - 1) / each);
            for (uint32_t i = 0; i < n; ++*k) {
                char text[8192];
                uint8_t packed[8192];
                size_t len = 0;

                for (uint32_t stop = i + each; i < n && i < stop; i++)
                    len += line_of(text + len, b, w, i, n);
                const size_t size = ZSTD_compress_usingDict(z, packed, sizeof(packed), text, len,
                                                            dictionary, strlen(dictionary), 3);
                assert_false(ZSTD_isError(size));
                bytes[b][w][*k] = (uint32_t)size;
                put_u32(f, (uint32_t)size);
                put(f, packed, size);
            }
        }
    }
    f->index = f->n;
    put_u32(f, BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        const uint32_t block[11] = {b, 0, 0, 0, 0, 0, 0, 0, 0, 0, WARPS};

        for (size_t i = 0; i < 11; i++)
            put_u32(f, block[i]);
        for (uint32_t w = 0; w < WARPS; w++) {
            put_u32(f, insts_of(b, w));
            put_u32(f, pieces[b][w]);
            put_u32(f, (uint32_t)offset[b][w]);
            put_u32(f, 0);
            for (uint32_t k = 0; k < pieces[b][w]; k++)
                put_u32(f, bytes[b][w][k]);
        }
    }
    put_u32(f, (uint32_t)f->index);
    put_u32(f, 0);
    ZSTD_freeCCtx(z);
}

/* Reads a file to its end in portions of cap bytes. */
static rb_code_t read_all(const char *path, size_t cap, char *text, size_t *n, rb_err_t *err)
{
    accelsim_stream_t *s = accelsim_stream_open(path, err);
    rb_code_t rc = s != NULL ? RB_OK : err->code;
    size_t got = 1;

    *n = 0;
    while (rc == RB_OK && got > 0) {
        assert_true(*n + cap <= 4 * ROOM);
        rc = accelsim_stream_read(s, text + *n, cap, &got, err);
        *n += got;
    }
    accelsim_stream_close(s);
    return rc;
}

static void the_text_is_that_of_the_warps(void **state)
{
    static char expected[4 * ROOM], text[8 * ROOM];
    static const char *const dictionaries[] = {"", "ffffffff 1 R5 IADD3 2 R4 R5 0 \n0010 0020"};
    static file_t f;
    const size_t n_expected = make_text(expected);

    (void)state;
    for (size_t d = 0; d < 2; d++) {
        for (uint32_t each = 1; each < 40; each += 6) {
            rb_err_t err = {0};
            size_t n;

            make_file(&f, each, dictionaries[d]);
            trace_write_bytes("kernel-1.tracez", f.data, f.n);
            assert_int_equal(read_all(trace_path("kernel-1.tracez"), 1 + 97 * each, text, &n, &err),
                             RB_OK);
            assert_int_equal(n, n_expected);
            assert_memory_equal(text, expected, n);
        }
    }
}

/* By a list, or by its own name: launches, instructions and addresses as from the text. */
static void it_is_a_trace(void **state)
{
    static file_t f;
    static char text[4 * ROOM];

    (void)state;
    text[make_text(text)] = '\0';
    trace_write("plain.traceg", text);
    make_file(&f, 8, "");
    trace_write_bytes("kernel-1.tracez", f.data, f.n);
    trace_write("kernelslist.g", "kernel-1.tracez\n");
    char *expected = trace_text(trace_path("plain.traceg"), 0);
    char *alone = trace_text(trace_path("kernel-1.tracez"), 0);
    char *listed = trace_text(trace_folder(), 0);

    assert_non_null(strstr(expected, "70000000"));
    assert_string_equal(alone, expected);
    assert_string_equal(listed, expected);
    free(expected);
    free(alone);
    free(listed);
}

static void expect_refused(const file_t *f, const char *part)
{
    static char text[8 * ROOM];
    rb_err_t err = {0};
    size_t n;

    trace_write_bytes("bad.tracez", f->data, f->n);
    const rb_code_t rc = read_all(trace_path("bad.tracez"), 4096, text, &n, &err);

    assert_int_equal(rc, RB_TRACE);
    assert_non_null(strstr(err.text, "bad.tracez: near byte "));
    assert_non_null(strstr(err.text, part));
    assert_non_null(strstr(err.text, "another form of .tracez"));
}

static void other_forms_are_refused(void **state)
{
    static file_t good, f;
    const size_t sizes = sizeof(header);

    (void)state;
    make_file(&good, 8, "");
    f = good;
    f.data[sizes + 3] = 0x7f;
    expect_refused(&f, "dictionary");
    f = good;
    f.data[f.n - 8] ^= 0x40;
    expect_refused(&f, "");
    f = good;
    f.data[f.n - 1] = 1;
    expect_refused(&f, "offset of an index");
    f = good;
    f.data[f.index]++;
    expect_refused(&f, "the index ends early");
    f = good;
    f.data[f.index]--;
    expect_refused(&f, "longer than it says");
    f = good;
    f.data[f.index + 4 + 40 + 4]++; /* instructions of the first warp */
    expect_refused(&f, "a warp is not as the index says");
    f = good;
    f.data[sizes + 8 + 8]++; /* bytes of the first piece in the file, of the last warp */
    expect_refused(&f, "not as long as the index says");
}

/* Cut anywhere, or with any byte changed: refused, or read as some text; never more than that. */
static void damage_is_noticed_or_read(void **state)
{
    static file_t good, f;
    static char text[8 * ROOM];
    size_t n, cut_read = 0;

    (void)state;
    make_file(&good, 8, "");
    for (size_t i = 0; i < good.n; i += 1 + i / 200) {
        rb_err_t err = {0};

        trace_write_bytes("cut.tracez", good.data, i);
        cut_read +=
            i > sizeof(header) && read_all(trace_path("cut.tracez"), 4096, text, &n, &err) == RB_OK;
        f = good;
        f.data[i] ^= (uint8_t)(1 + i % 255);
        trace_write_bytes("changed.tracez", f.data, f.n);
        err = (rb_err_t){0};
        const rb_code_t rc = read_all(trace_path("changed.tracez"), 4096, text, &n, &err);
        assert_true(rc == RB_OK || (rc == RB_TRACE && strstr(err.text, "changed.tracez") != NULL));
    }
    assert_int_equal(cut_read, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_that_of_the_warps),
        cmocka_unit_test(it_is_a_trace),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(damage_is_noticed_or_read),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
