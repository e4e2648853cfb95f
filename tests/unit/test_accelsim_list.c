/* The files of a trace: lists, packing, raw traces. */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "frontend/accelsim/accelsim.h"
#include "frontend/accelsim/accelsim_stream.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

/* One block of one warp, in a file of its own. */
static void write_kernel(const char *name, const char *kernel)
{
    char more[256], text[4096];

    snprintf(more, sizeof(more), "-kernel name = %s\n-grid dim = (1,1,1)\n", kernel);
    snprintf(text, sizeof(text),
             "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
             "0000 ffffffff 0 EXIT 0 0 0 \n#END_TB\n",
             trace_header(5, more));
    trace_write(name, text);
}

static void name_of_launch(trace_source_t *s, uint64_t id, const char *expected)
{
    launch_info_t info;

    assert_int_equal(s->ops->launch_info(s, id, &info, NULL), RB_OK);
    assert_string_equal(info.name, expected);
    assert_int_equal(info.id, id);
}

static void open_fails(const char *path, rb_code_t code, const char *part)
{
    rb_err_t err = {0};

    assert_null(accelsim_open(path, NULL, &err));
    assert_int_equal(err.code, code);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void remove_files(const char *const *names)
{
    for (; *names != NULL; names++)
        remove(trace_path(*names));
}

/* --- lists ----------------------------------------------------------------------------------- */

static void a_list_names_launches_and_the_copies_between_them(void **state)
{
    static const char *const files[] = {"kernel-1.traceg", "kernel-2-ctx_0x5.traceg",
                                        "kernelslist.g", NULL};
    const memcpy_op_t *ops;

    (void)state;
    write_kernel("kernel-1.traceg", "first");
    write_kernel("kernel-2-ctx_0x5.traceg", "second");
    trace_write("kernelslist.g", "MemcpyHtoD,0x00007f7393700000,32768\n"
                                 "MemcpyDtoH,0x00007f7393700000,1\n"
                                 "MemcpyHtoD,0x10,1\r\n"
                                 "kernel-1.traceg  \n"
                                 "\n"
                                 "MemcpyHtoD,0x20,2\n"
                                 "kernel-2-ctx_0x5.traceg\n"
                                 "kernel-1.traceg\n"
                                 "MemcpyHtoD,0x30,3");
    trace_source_t *s = trace_open(".");

    assert_int_equal(s->ops->n_launches(s), 3);
    name_of_launch(s, 1, "first");
    name_of_launch(s, 2, "second");
    name_of_launch(s, 3, "first");
    assert_int_equal(s->ops->copies(s, 1, &ops), 2);
    assert_int_equal(ops[0].addr, 0x7f7393700000);
    assert_int_equal(ops[0].bytes, 32768);
    assert_int_equal(ops[1].addr, 0x10);
    assert_int_equal(s->ops->copies(s, 2, &ops), 1);
    assert_int_equal(ops[0].bytes, 2);
    assert_int_equal(s->ops->copies(s, 3, &ops), 0);
    assert_int_equal(s->ops->copies(s, 4, &ops), 1);
    assert_int_equal(ops[0].addr, 0x30);
    s->ops->destroy(s);
    remove_files(files);
}

static void a_list_of_grouped_files_is_preferred(void **state)
{
    static const char *const files[] = {"kernel-1.traceg", "kernel-2.trace", "kernelslist",
                                        "kernelslist.g", NULL};

    (void)state;
    write_kernel("kernel-1.traceg", "grouped");
    write_kernel("kernel-2.trace", "raw");
    trace_write("kernelslist", "kernel-2.trace\n");
    trace_source_t *s = trace_open(".");

    name_of_launch(s, 1, "raw");
    s->ops->destroy(s);
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    s = trace_open(".");
    name_of_launch(s, 1, "grouped");
    s->ops->destroy(s);
    s = trace_open("kernelslist");
    name_of_launch(s, 1, "raw");
    s->ops->destroy(s);
    remove_files(files);
}

static void several_lists_of_one_kind_must_be_chosen_from(void **state)
{
    static const char *const files[] = {"kernelslist_ctx_0x1", "kernelslist_ctx_0x2",
                                        "kernelslist_ctx_0x2.g", "kernel-1.traceg", NULL};

    (void)state;
    write_kernel("kernel-1.traceg", "first");
    trace_write("kernelslist_ctx_0x1", "kernel-1.traceg\n");
    trace_write("kernelslist_ctx_0x2", "kernel-1.traceg\n");
    open_fails(trace_folder(), RB_TRACE, "several lists");
    trace_write("kernelslist_ctx_0x2.g", "kernel-1.traceg\n");
    trace_source_t *s = trace_open(".");

    name_of_launch(s, 1, "first");
    s->ops->destroy(s);
    remove_files(files);
}

static void a_file_packed_or_unpacked_since_is_still_found(void **state)
{
    static const struct {
        const char *listed, *there;
    } cases[] = {
        {"kernel-1.traceg", "kernel-1.traceg.xz"}, {"kernel-1.traceg.xz", "kernel-1.traceg"},
        {"kernel-1.trace.xz", "kernel-1.trace"},   {"kernel-1.traceg", "kernel-1.traceg.zst"},
        {"kernel-1.trace", "kernel-1.traceg.gz"},  {"kernel-1.traceg", "kernel-1.trace"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char list[64];

        write_kernel(cases[i].there, "found");
        snprintf(list, sizeof(list), "%s\n", cases[i].listed);
        trace_write("kernelslist.g", list);
        trace_source_t *s = trace_open(".");

        name_of_launch(s, 1, "found");
        s->ops->destroy(s);
        remove(trace_path(cases[i].there));
    }
    remove(trace_path("kernelslist.g"));
}

static void bad_lists_are_refused(void **state)
{
    static const struct {
        const char *list;
        rb_code_t code;
        const char *part;
    } cases[] = {
        {"", RB_TRACE, "names no kernel"},
        {"MemcpyHtoD,0x10,1\n", RB_TRACE, "names no kernel"},
        {"MemcpyHtoD,0x10\n", RB_TRACE, "kernelslist.g:1: 'MemcpyHtoD,0xADDRESS,BYTES'"},
        {"\nMemcpyHtoD,16,1\n", RB_TRACE, "kernelslist.g:2:"},
        {"MemcpyHtoD,0x10,1,1\n", RB_TRACE, "kernelslist.g:1:"},
        {"MemcpyHtoD,0xffffffffffffffff,5\n", RB_TRACE, "end of the address space"},
        {"MemcpyHtoD,0x10,-4\n", RB_TRACE, "kernelslist.g:1:"},
        {"# x\nkernel-77.traceg\n", RB_IO, "kernelslist.g:2: kernel-77.traceg: no such file"},
        {"\nkernel-1.tracez\n", RB_TRACE,
         "kernelslist.g:2: kernel-1.tracez: .tracez files are not supported"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        trace_write("kernelslist.g", cases[i].list);
        open_fails(trace_folder(), cases[i].code, cases[i].part);
    }
    remove(trace_path("kernelslist.g"));
    open_fails(trace_folder(), RB_TRACE, "no kernelslist");
    open_fails(trace_path("nothing.traceg"), RB_IO, "No such file");
    open_fails(trace_path("nothing.tracez"), RB_TRACE, ".tracez");
    open_fails(trace_path("kernelslist"), RB_IO, "No such file");
}

/* What is no kernel file says so, before anything is said about its lines. */
static void other_files_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        rb_code_t code;
        const char *part;
    } cases[] = {
        {"BZh91AY&SY", RB_TRACE, "kernel-1.traceg: is packed with bzip2: unpack it, or pack it"},
        {"PK\3\4....", RB_TRACE, "is packed with zip"},
        {"\4\x22\x4d\x18..", RB_TRACE, "is packed with lz4"},
        {"hello\n", RB_TRACE, "kernel-1.traceg:1: this is no kernel file of an Accel-Sim trace"},
    };
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", NULL};
    rb_err_t err = {0};

    (void)state;
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        launch_info_t info;

        err = (rb_err_t){0};
        trace_write("kernel-1.traceg", cases[i].text);
        trace_source_t *s = trace_open("kernelslist.g");

        assert_int_equal(s->ops->launch_info(s, 1, &info, &err), cases[i].code);
        if (strstr(err.text, cases[i].part) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].part);
        s->ops->destroy(s);
    }
    remove(trace_path("kernelslist.g"));
    assert_int_equal(mkfifo(trace_path("kernelslist.g"), 0600), 0);
    open_fails(trace_folder(), RB_IO, "kernelslist.g: is a pipe or device, not a file");
    remove_files(files);
}

static void traces_are_recognised(void **state)
{
    static const char *const files[] = {"kernelslist.g", "k", "config.cfg", NULL};

    (void)state;
    assert_false(accelsim_detect(trace_folder()));
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    assert_true(accelsim_detect(trace_folder()));
    assert_true(accelsim_detect(trace_path("kernelslist.g")));
    write_kernel("k", "any");
    assert_true(accelsim_detect(trace_path("k")));
    trace_write("config.cfg", "# v100\ngpu = {};\n");
    assert_false(accelsim_detect(trace_path("config.cfg")));
    assert_false(accelsim_detect(trace_path("nothing")));
    remove_files(files);
}

static void visit(void *ctx, const char *path)
{
    strcat(strcat(ctx, strrchr(path, '/') + 1), " ");
}

static void the_files_of_a_trace_are_listed(void **state)
{
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "kernel-2.traceg",
                                        NULL};
    char seen[256] = "";

    (void)state;
    write_kernel("kernel-1.traceg", "a");
    write_kernel("kernel-2.traceg", "b");
    trace_write("kernelslist.g", "kernel-2.traceg\nkernel-1.traceg\n");
    trace_source_t *s = trace_open(".");

    accelsim_files(s, visit, seen);
    assert_string_equal(seen, "kernelslist.g kernel-2.traceg kernel-1.traceg ");
    s->ops->destroy(s);
    remove_files(files);
}

static void progress_goes_from_nothing_to_the_size_of_the_files(void **state)
{
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "kernel-2.traceg",
                                        NULL};
    uint64_t done, total;

    (void)state;
    write_kernel("kernel-1.traceg", "a");
    write_kernel("kernel-2.traceg", "a");
    trace_write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    trace_source_t *s = trace_open(".");

    s->ops->progress(s, &done, &total);
    assert_int_equal(done, 0);
    uint64_t before = done;

    for (uint64_t id = 1; id <= 2; id++) {
        trace_launch_t *l;
        trace_block_t *b;

        assert_int_equal(s->ops->open(s, id, &l, NULL), RB_OK);
        assert_int_equal(s->ops->get_block(l, 1, &b, NULL), RB_OK);
        s->ops->close(l);
        s->ops->progress(s, &done, &total);
        assert_int_equal(done, total / 2 * id);
        assert_true(done > before);
        before = done;
    }
    s->ops->destroy(s);
    remove_files(files);
}

/* --- packing --------------------------------------------------------------------------------- */

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

/* A text of some 600 kB: more than any buffer holds at once. */
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

/* Length of what a stream gives before it ends or fails. */
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
    /* A block header that asks for a dictionary of 1.5 GiB, with nothing behind it. */
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

/* --- raw traces ------------------------------------------------------------------------------ */

enum { RAW_BLOCKS = 12, RAW_WARPS = 4, RAW_INSTS = 40 };

static const char raw_header[] = "-grid dim = (3,2,2)\n-block dim = (128,1,1)\n";

static void print_raw_inst(char *to, unsigned block, unsigned warp, unsigned i, bool line)
{
    if (line)
        to += sprintf(to, "%u ", 100 + i);
    if (i % 5 == 4)
        sprintf(to, "%04x ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x%x 4 0 \n", i * 16,
                block * 4096 + warp * 128);
    else
        sprintf(to, "%04x ffffffff 1 R%u MOV 0 0 %u \n", i * 16, i, i);
}

/* The same launch grouped and raw; the raw lines interleave warps but keep each warp's order. */
static void write_both(const char *more, unsigned ids, bool line)
{
    char header[256], *grouped = malloc(1 << 20), *raw = malloc(1 << 20), *g = grouped, *r = raw;
    unsigned next[RAW_BLOCKS][RAW_WARPS] = {{0}};
    uint32_t random = 12345;

    snprintf(header, sizeof(header), "%s%s", raw_header, more);
    g += sprintf(g, "%s", trace_header(5, header));
    r += sprintf(r, "%s", trace_header(5, header));
    for (unsigned b = 0; b < RAW_BLOCKS; b++) {
        g += sprintf(g, "#BEGIN_TB\nthread block = %u,%u,%u\n", b % 3, b / 3 % 2, b / 6);
        for (unsigned w = 0; w < RAW_WARPS; w++) {
            g += sprintf(g, "warp = %u\ninsts = %d\n", w, RAW_INSTS);
            for (unsigned i = 0; i < RAW_INSTS; i++) {
                print_raw_inst(g, b, w, i, line);
                g += strlen(g);
            }
        }
        g += sprintf(g, "#END_TB\n");
    }
    for (unsigned left = RAW_BLOCKS * RAW_WARPS * RAW_INSTS; left > 0;) {
        random = random * 1664525 + 1013904223;
        unsigned b = (random >> 8) % RAW_BLOCKS, w = (random >> 20) % RAW_WARPS;

        if (next[b][w] == RAW_INSTS)
            continue;
        r += sprintf(r, "%u %u %u %u ", b % 3, b / 3 % 2, b / 6, w);
        if (ids == 6)
            r += sprintf(r, "%u %u ", b, w + 16);
        print_raw_inst(r, b, w, next[b][w]++, line);
        r += strlen(r);
        left--;
    }
    trace_write("grouped.traceg", grouped);
    trace_write("raw.trace", raw);
    free(grouped);
    free(raw);
}

static void a_raw_trace_reads_as_its_grouped_form(void **state)
{
    static const struct {
        const char *more;
        unsigned ids;
        bool line;
        size_t bytes; /* memory for sorting: many runs, merged several times, or none */
    } cases[] = {
        {"", 4, false, 0},     {"-enable lineinfo = 1\n", 4, true, 0},
        {"", 6, false, 0},     {"-enable lineinfo = 1\n", 6, true, 20000},
        {"", 4, false, 64000}, {"", 4, false, 2000},
        {"", 4, false, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_both(cases[i].more, cases[i].ids, cases[i].line);
        char *expected = trace_text(trace_path("grouped.traceg"), 0);
        char *got = trace_text(trace_path("raw.trace"), cases[i].bytes);

        assert_non_null(strstr(expected, "block 11"));
        assert_null(strstr(expected, "error"));
        assert_string_equal(got, expected);
        free(expected);
        free(got);
    }
}

static void nothing_is_left_in_the_temporary_folder(void **state)
{
    char folder[256];

    (void)state;
    snprintf(folder, sizeof(folder), "%s/tmp", trace_folder());
    assert_int_equal(mkdir(folder, 0700), 0);
    write_both("", 4, false);
    rb_err_t err = {0};
    accelsim_options_t opts = {.tmpdir = folder, .sort_bytes = 2000};
    trace_source_t *s = accelsim_open(trace_path("raw.trace"), &opts, &err);
    trace_launch_t *l;

    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_OK);
    assert_int_equal(rmdir(folder), 0); /* empty even while they are used */
    s->ops->close(l);
    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_IO);
    assert_non_null(strstr(err.text, "No such file or directory while grouping"));
    s->ops->destroy(s);
}

static char *raw_text(const char *more, const char *body)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s", trace_header(5, more), body);
    trace_write("raw.trace", text);
    return trace_text(trace_path("raw.trace"), 0);
}

static void of_the_two_lines_of_ldgsts_the_second_counts(void **state)
{
    char *text = raw_text("-binary version = 80\n",
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x40 0 \n"
                          "0 0 0 1 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x44 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x7000 0 \n"
                          "0 0 0 1 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x7044 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x80 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x8000 0 \n");

    (void)state;
    assert_string_equal(text, "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n"
                              "0000 00000001 load_lg w16: 1 2 3 @ 7000\n"
                              "0000 00000001 load_lg w16: 1 2 3 @ 8000\n"
                              "warp 1\n0000 00000001 load_lg w16: 1 2 3 @ 7044\n");
    free(text);
}

static void errors_of_a_raw_trace_name_its_lines(void **state)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 0 0 0010 ffffffff 0 nop 0 0\n",
         "raw.trace:17: 'nop' is not an opcode"},
        {"0 0 0 1 0000 ffffffff 0 NOP 0 x\n0 0 0 0 0000 ffffffff 0 NOP 0 0\n",
         "raw.trace:16: the memory width is missing"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n2 0 0 0 0010 ffffffff 0 NOP 0 0\n",
         "raw.trace:17: a thread block outside the grid of (2,1,1)"},
        {"0 0 0 2 0000 ffffffff 0 NOP 0 0\n", "raw.trace:16: warp 2: a block has 2 warps"},
        {"0 0 0 0000 ffffffff 0 NOP 0 0\n", "raw.trace:16: an instruction of a raw trace"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 x\n", "raw.trace:17: 4 numbers are expected"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 0 0 0010 fffff",
         "raw.trace:17: the file is truncated"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = raw_text("", cases[i].body);

        if (strstr(text, cases[i].part) == NULL)
            fail_msg("'%s' does not say '%s'", text, cases[i].part);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_names_launches_and_the_copies_between_them),
        cmocka_unit_test(a_list_of_grouped_files_is_preferred),
        cmocka_unit_test(several_lists_of_one_kind_must_be_chosen_from),
        cmocka_unit_test(a_file_packed_or_unpacked_since_is_still_found),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(traces_are_recognised),
        cmocka_unit_test(the_files_of_a_trace_are_listed),
        cmocka_unit_test(progress_goes_from_nothing_to_the_size_of_the_files),
        cmocka_unit_test(packed_files_are_recognised_by_content_and_read_alike),
        cmocka_unit_test(members_one_behind_the_other_are_one_text),
        cmocka_unit_test(a_truncated_packed_file_is_an_error_wherever_it_is_cut),
        cmocka_unit_test(damaged_packed_files_are_errors),
        cmocka_unit_test(a_file_that_asks_for_absurd_memory_is_refused),
        cmocka_unit_test(a_raw_trace_reads_as_its_grouped_form),
        cmocka_unit_test(nothing_is_left_in_the_temporary_folder),
        cmocka_unit_test(of_the_two_lines_of_ldgsts_the_second_counts),
        cmocka_unit_test(errors_of_a_raw_trace_name_its_lines),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
