/*
 * Emulated launches against the bundled traces, instruction by instruction: pc, active mask,
 * opcode, addresses. Inputs do not matter if neither control flow nor addresses depend on them;
 * those of the histogram are rebuilt from the addresses of the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"
#include "tests/support/trace/stream_whole.h"

/* A bundled trace under comparison. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
    launch_info_t info;
    uint64_t n_insts;
    bool in_pieces; /* blocks have come in pieces */
} reference_t;

static void reference_open(reference_t *r, const char *name, unsigned arch)
{
    char path[512];
    rb_err_t err = {0};

    *r = (reference_t){0};
    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s-sm%u", name, arch);
    r->source = accelsim_open(path, NULL, &err);
    assert_non_null(r->source);
    assert_int_equal(r->source->ops->launch_info(r->source, 1, &r->info, &err), RB_OK);
    assert_int_equal(r->source->ops->open(r->source, 1, &r->launch, &err), RB_OK);
}

static void reference_close(reference_t *r)
{
    r->source->ops->close(r->launch);
    r->source->ops->destroy(r->source);
}

/* The instructions of a warp, one by one. */
typedef struct {
    const warp_stream_t *stream;
    uint32_t run, at; /* instruction at of run */
    const uint64_t *addr;
} cursor_t;

static const inst_t *next_inst(cursor_t *c, uint32_t *mask)
{
    const trace_run_t *run = &c->stream->runs[c->run];
    const inst_t *in = run->first + c->at;

    *mask = run->mask;
    if (++c->at == run->count) {
        c->run++;
        c->at = 0;
    }
    return in;
}

/* Gets the lane addresses of the instruction; returns their number. */
static unsigned next_addresses(cursor_t *c, const inst_t *in, uint32_t mask, uint64_t a[32])
{
    if (in->space == MEM_NONE || in->width == 0 || mask == 0)
        return 0;
    const uint64_t *rec = c->addr;
    unsigned n = addr_lanes(rec);
    for (unsigned i = 0; i < n; i++)
        switch (addr_form(rec)) {
        case ADDR_AFFINE:
            a[i] = rec[1] + (uint64_t)((int64_t)addr_stride(rec) * (int64_t)i);
            break;
        case ADDR_LIST:
            a[i] = rec[1 + i];
            break;
        case ADDR_ROWS:
            a[i] = rec[1] + (uint64_t)(addr_row_distance(rec) * (int64_t)(i / addr_row(rec)) +
                                       addr_stride(rec) * (int64_t)(i % addr_row(rec)));
            break;
        default:
            a[i] = rec[1] + (uint64_t)(int64_t)(int32_t)(rec[2 + i / 2] >> (32 * (i & 1)));
        }
    c->addr += addr_words(rec);
    return n;
}

static void compare_warps(const trace_block_t *b, uint32_t warp, const warp_stream_t *got,
                          const warp_stream_t *expected)
{
    cursor_t x = {.stream = got, .addr = got->addrs},
             y = {.stream = expected, .addr = expected->addrs};

    assert_int_equal(got->n_insts, expected->n_insts);
    for (uint64_t i = 0; i < got->n_insts; i++) {
        uint32_t mask, mask_expected;
        uint64_t a[32], e[32];
        const inst_t *in = next_inst(&x, &mask), *in_expected = next_inst(&y, &mask_expected);
        unsigned n = next_addresses(&x, in, mask, a);
        if (in->pc != in_expected->pc || mask != mask_expected ||
            in->opcode != in_expected->opcode || in->space != in_expected->space ||
            in->width != in_expected->width)
            fail_msg("block %llu, warp %u, instruction %llu: pc 0x%x mask %08x, expected 0x%x %08x",
                     (unsigned long long)b->index, warp, (unsigned long long)i, in->pc, mask,
                     in_expected->pc, mask_expected);
        assert_int_equal(n, next_addresses(&y, in_expected, mask_expected, e));
        if (memcmp(a, e, n * sizeof(a[0])) != 0)
            fail_msg("block %llu, warp %u, pc 0x%x: address 0x%llx, expected 0x%llx",
                     (unsigned long long)b->index, warp, in->pc, (unsigned long long)a[0],
                     (unsigned long long)e[0]);
    }
}

static rb_code_t compare_block(void *ctx, const trace_block_t *got, rb_err_t *err)
{
    reference_t *r = ctx;
    trace_block_t *expected, *whole = stream_whole(got);

    r->in_pieces |= got->warps[0].pieces != NULL;
    if (r->source->ops->get_block(r->launch, got->index, &expected, err) != RB_OK)
        fail_msg("%s", err->text);
    assert_non_null(expected);
    assert_memory_equal(got->id, expected->id, sizeof(got->id));
    assert_int_equal(got->n_warps, expected->n_warps);
    assert_int_equal(got->n_insts, expected->n_insts);
    for (uint32_t w = 0; w < got->n_warps; w++)
        compare_warps(got, w, &whole->warps[w], &expected->warps[w]);
    r->n_insts += got->n_insts;
    r->source->ops->free_block(r->launch, expected);
    stream_whole_free(whole);
    return RB_OK;
}

static void compare_with(sass_lab_t *lab, const char *name, unsigned arch, uint64_t n_insts)
{
    reference_t r;

    reference_open(&r, name, arch);
    assert_string_equal(r.info.name, lab->kernel->name);
    assert_int_equal(r.info.regs, lab->kernel->regs);
    assert_int_equal(r.info.shared_bytes, lab->kernel->shared_bytes);
    assert_int_equal(r.info.arch, lab->module.cubin.arch);
    if (sass_lab_run(lab, r.info.grid, r.info.block, 0, compare_block, &r) != RB_OK)
        fail_msg("%s", lab->err.text);
    assert_int_equal(r.n_insts, n_insts);
    assert_int_equal(r.in_pieces, lab->record_bytes > 0);
    reference_close(&r);
}

/* Runs the launch of the lab with the shape in the header of the trace; again, so that what its warps
 * record is packed. */
static void compare_launch(sass_lab_t *lab, const char *name, unsigned arch, uint64_t n_insts)
{
    compare_with(lab, name, arch, n_insts);
    lab->record_bytes = 1;
    compare_with(lab, name, arch, n_insts);
}

static void vector_add_is_traced_as_recorded(void **state)
{
    enum { N = 262144 };
    static const uint64_t n_insts[] = {131072, 122880};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        sass_lab_open(&lab, "vecadd", 70 + 5 * i);
        sass_lab_kernel(&lab, "vecadd");
        for (unsigned k = 0; k < 3; k++)
            sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * N));
        sass_lab_int(&lab, N);
        compare_launch(&lab, "vecadd", 70 + 5 * i, n_insts[i]);
        sass_lab_close(&lab);
    }
}

static void matrix_product_is_traced_as_recorded(void **state)
{
    enum { N = 160 };
    static const uint64_t n_insts[] = {532000, 514400};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        sass_lab_open(&lab, "matmul", 70 + 5 * i);
        sass_lab_kernel(&lab, "matmul");
        for (unsigned k = 0; k < 3; k++)
            sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * N * N));
        sass_lab_int(&lab, N);
        compare_launch(&lab, "matmul", 70 + 5 * i, n_insts[i]);
        sass_lab_close(&lab);
    }
}

static void transpose_is_traced_as_recorded(void **state)
{
    enum { N = 512 };
    static const uint64_t n_insts[] = {151552, 143360};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        sass_lab_open(&lab, "transpose", 70 + 5 * i);
        sass_lab_kernel(&lab, "transpose_tiled");
        for (unsigned k = 0; k < 2; k++)
            sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * N * N));
        sass_lab_int(&lab, N);
        sass_lab_int(&lab, N);
        compare_launch(&lab, "transpose_tiled", 70 + 5 * i, n_insts[i]);
        sass_lab_close(&lab);
    }
}

static void softmax_is_traced_as_recorded(void **state)
{
    enum { R = 256, C = 1024 };
    static const uint64_t n_insts[] = {621568, 600064};
    uint64_t seed = 1;
    float *x = malloc(4 * R * C);
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < R * C; i++)
        x[i] = sass_lab_float(&seed) * 8 - 4;
    for (unsigned i = 0; i < 2; i++) {
        sass_lab_open(&lab, "softmax", 70 + 5 * i);
        sass_lab_kernel(&lab, "softmax");
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, 4 * R * C));
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4 * R * C));
        sass_lab_int(&lab, C);
        compare_launch(&lab, "softmax", 70 + 5 * i, n_insts[i]);
        sass_lab_close(&lab);
    }
    free(x);
}

/* --- the histogram's input ------------------------------------------------------------------- */

enum { HISTO_WORDS = 65536, HISTO_INPUT = 0x200 };

/*
 * Each load of a word is followed by four atomics on the counters of its bytes, lowest first. The
 * words of a warp are rebuilt from them: the load gives the position, the atomics the bytes.
 */
static void rebuild_words(const warp_stream_t *stream, uint32_t *words)
{
    cursor_t c = {.stream = stream, .addr = stream->addrs};
    uint64_t place[32] = {0};
    unsigned byte = 4, n_words = 0;

    for (uint64_t i = 0; i < stream->n_insts; i++) {
        uint32_t mask;
        uint64_t a[32];
        const inst_t *in = next_inst(&c, &mask);
        unsigned n = next_addresses(&c, in, mask, a);
        if (in->space == MEM_GLOBAL && in->access == ACC_LOAD && n > 0) {
            memcpy(place, a, sizeof(place));
            n_words = n;
            byte = 0;
        } else if (in->space == MEM_SHARED && in->access == ACC_ATOMIC && byte < 4) {
            assert_int_equal(n, n_words);
            for (unsigned k = 0; k < n; k++)
                words[(place[k] - 0x7f0000000000ull - HISTO_INPUT) / 4] |=
                    (uint32_t)(a[k] / 4 & 255) << (8 * byte);
            byte++;
        }
    }
}

static void rebuild_input(unsigned arch, uint32_t *words)
{
    reference_t r;
    trace_block_t *b;
    rb_err_t err = {0};

    reference_open(&r, "histo", arch);
    for (uint64_t i = 0; i < r.info.n_blocks; i++) {
        assert_int_equal(r.source->ops->get_block(r.launch, i, &b, &err), RB_OK);
        for (uint32_t w = 0; w < b->n_warps; w++)
            rebuild_words(&b->warps[w], words);
        r.source->ops->free_block(r.launch, b);
    }
    reference_close(&r);
}

static void histogram_is_traced_as_recorded(void **state)
{
    static const uint64_t n_insts[] = {52992, 51456};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *words = calloc(HISTO_WORDS, 4), expected[256] = {0};
        rebuild_input(70 + 5 * i, words);
        for (unsigned k = 0; k < HISTO_WORDS; k++)
            for (unsigned b = 0; b < 32; b += 8)
                expected[words[k] >> b & 255]++;
        sass_lab_open(&lab, "histo", 70 + 5 * i);
        sass_lab_kernel(&lab, "histo");
        sass_lab_pointer(&lab, sass_lab_put(&lab, words, 4 * HISTO_WORDS));
        uint64_t counters = sass_lab_put(&lab, NULL, 1024);
        sass_lab_pointer(&lab, counters);
        sass_lab_int(&lab, HISTO_WORDS);
        compare_with(&lab, "histo", 70 + 5 * i, n_insts[i]);
        assert_memory_equal(sass_lab_at(&lab, counters), expected, sizeof(expected));
        sass_lab_close(&lab);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_add_is_traced_as_recorded),
        cmocka_unit_test(matrix_product_is_traced_as_recorded),
        cmocka_unit_test(transpose_is_traced_as_recorded),
        cmocka_unit_test(softmax_is_traced_as_recorded),
        cmocka_unit_test(histogram_is_traced_as_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
