/* Packed files of a trace: recognised by content, read like plain ones, refused if damaged. */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

typedef struct {
    uint8_t *data; /* owned */
    size_t n;
} bytes_t;

static bytes_t pack_xz(const void *text, size_t n)
{
    bytes_t out = {malloc(n + 4096), 0};

    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, text, n, out.data, &out.n, n + 4096),
        LZMA_OK);
    return out;
}

static bytes_t pack_zstd(const void *text, size_t n)
{
    bytes_t out = {malloc(ZSTD_compressBound(n)), 0};

    out.n = ZSTD_compress(out.data, ZSTD_compressBound(n), text, n, 1);
    assert_false(ZSTD_isError(out.n));
    return out;
}

static bytes_t pack_gzip(const void *text, size_t n)
{
    bytes_t out = {malloc(n + 4096), 0};
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)text,
                  .avail_in = (unsigned)n,
                  .next_out = out.data,
                  .avail_out = (unsigned)n + 4096};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.n = z.total_out;
    deflateEnd(&z);
    return out;
}

static const struct {
    const char *name;
    bytes_t (*pack)(const void *text, size_t n);
} packings[] = {{"xz", pack_xz}, {"zstd", pack_zstd}, {"gzip", pack_gzip}};

enum { N_PACKINGS = sizeof(packings) / sizeof(packings[0]) };

/* A text of about 600 kB, which is more than any buffer holds. */
static char *long_trace(size_t *n)
{
    enum { BLOCKS = 64, INSTS = 300 };
    char *text = malloc(1 << 21), *to = text;

    to += sprintf(to, "%s", trace_header(5, "-grid dim = (64,1,1)\n-block dim = (32,1,1)\n"));
    for (unsigned b = 0; b < BLOCKS; b++) {
        to += sprintf(to, "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = %d\n", b, INSTS);
        for (unsigned i = 0; i < INSTS; i++)
            to += sprintf(to, "%04x ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4 0 \n", i * 16, b * i);
        to += sprintf(to, "#END_TB\n");
    }
    *n = (size_t)(to - text);
    return text;
}

static void packed_files_are_recognised_by_content_and_read_alike(void **state)
{
    size_t n;
    char *text = long_trace(&n), *expected;

    (void)state;
    trace_write("plain", text);
    expected = trace_text(trace_path("plain"), 0);
    assert_true(strlen(expected) > 600000);
    for (unsigned i = 0; i < N_PACKINGS; i++) {
        bytes_t packed = packings[i].pack(text, n);

        trace_write_bytes("any.name", packed.data, packed.n);
        char *got = trace_text(trace_path("any.name"), 0);

        assert_string_equal(got, expected);
        free(got);
        free(packed.data);
    }
    free(expected);
    free(text);
}

static void members_one_behind_the_other_are_one_text(void **state)
{
    size_t n;
    char *text = long_trace(&n), *expected;

    (void)state;
    trace_write("plain", text);
    expected = trace_text(trace_path("plain"), 0);
    for (unsigned i = 0; i < N_PACKINGS; i++) {
        bytes_t a = packings[i].pack(text, n / 3), b = packings[i].pack(text + n / 3, n - n / 3);

        a.data = realloc(a.data, a.n + b.n);
        memcpy(a.data + a.n, b.data, b.n);
        trace_write_bytes("two", a.data, a.n + b.n);
        char *got = trace_text(trace_path("two"), 0);

        assert_string_equal(got, expected);
        free(got);
        free(a.data);
        free(b.data);
    }
    free(expected);
    free(text);
}

/* Number of bytes that a stream gives before it ends or fails. */
static rb_code_t drain(const char *path, size_t chunk, size_t *n, rb_err_t *err)
{
    accelsim_stream_t *s = accelsim_stream_open(path, err);
    char buf[4096];
    size_t got = 1;
    rb_code_t code = s != NULL ? RB_OK : err->code;

    *n = 0;
    while (code == RB_OK && got > 0) {
        code = accelsim_stream_read(s, buf, chunk, &got, err);
        *n += code == RB_OK ? got : 0;
    }
    accelsim_stream_close(s);
    return code;
}

static void a_truncated_packed_file_is_an_error_wherever_it_is_cut(void **state)
{
    static const char text[] = "-kernel name = a\n-kernel id = 1\n0123456789abcdef\n";

    (void)state;
    for (unsigned i = 0; i < N_PACKINGS; i++) {
        bytes_t packed = packings[i].pack(text, strlen(text));

        for (size_t cut = 6; cut < packed.n; cut++) { /* the magic number must be there */
            rb_err_t err = {0};
            size_t n;

            trace_write_bytes("cut", packed.data, cut);
            if (drain(trace_path("cut"), 7, &n, &err) != RB_TRACE)
                fail_msg("%s cut at %zu of %zu: %s", packings[i].name, cut, packed.n, err.text);
            assert_non_null(strstr(err.text, "truncated"));
            assert_non_null(strstr(err.text, packings[i].name));
        }
        free(packed.data);
    }
}

static void damaged_packed_files_are_errors(void **state)
{
    static const char text[] = "-kernel name = a\n-kernel id = 1\n0123456789abcdef\n";

    (void)state;
    for (unsigned i = 0; i < N_PACKINGS; i++) {
        bytes_t packed = packings[i].pack(text, strlen(text));
        rb_err_t err = {0};
        size_t n;

        packed.data[packed.n / 2] ^= 0x55;
        trace_write_bytes("damaged", packed.data, packed.n);
        rb_code_t code = drain(trace_path("damaged"), 4096, &n, &err);

        /* zstd without a checksum cannot notice every flipped literal. */
        assert_true(code == RB_TRACE || packings[i].pack == pack_zstd);
        if (code != RB_OK)
            assert_non_null(strstr(err.text, "trace-files-"));
        free(packed.data);
    }
}

static void a_file_that_asks_for_absurd_memory_is_refused(void **state)
{
    lzma_options_lzma options;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    uint8_t packed[4096];
    size_t n = 0, got;
    rb_err_t err = {0};
    lzma_stream_flags flags = {.version = 0, .check = LZMA_CHECK_NONE};
    lzma_block block = {.version = 0,
                        .check = LZMA_CHECK_NONE,
                        .compressed_size = LZMA_VLI_UNKNOWN,
                        .uncompressed_size = LZMA_VLI_UNKNOWN,
                        .filters = filters};

    (void)state;
    /* A block header that needs a dictionary of 1.5 GiB, and nothing after it. */
    lzma_lzma_preset(&options, 0);
    options.dict_size = 1536u << 20;
    assert_int_equal(lzma_stream_header_encode(&flags, packed), LZMA_OK);
    n = LZMA_STREAM_HEADER_SIZE;
    assert_int_equal(lzma_block_header_size(&block), LZMA_OK);
    assert_int_equal(lzma_block_header_encode(&block, packed + n), LZMA_OK);
    n += block.header_size;
    trace_write_bytes("greedy.xz", packed, n);
    assert_int_equal(drain(trace_path("greedy.xz"), 4096, &got, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "1 GiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_files_are_recognised_by_content_and_read_alike),
        cmocka_unit_test(members_one_behind_the_other_are_one_text),
        cmocka_unit_test(a_truncated_packed_file_is_an_error_wherever_it_is_cut),
        cmocka_unit_test(damaged_packed_files_are_errors),
        cmocka_unit_test(a_file_that_asks_for_absurd_memory_is_refused),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
