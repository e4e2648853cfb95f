/*
 * A generated program, written as Accel-Sim text and read back, is the same program.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/accelsim/accelsim.h"
#include "tests/support/mix.h"
#include "tests/support/test.h"
#include "tests/support/text_writer.h"

enum { PATH_BYTES = 512 };

static const char *name_of(const void *ctx, uint64_t launch, const inst_t *in)
{
    return synth_mnemonic(ctx, launch, in);
}

static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);

    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char file[2 * PATH_BYTES];

        snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            unlink(file);
    }
    closedir(dir);
    rmdir(path);
}

/* A warp's stream, one instruction after another. */
typedef struct {
    const warp_stream_t *s;
    uint32_t run, in_run;
    const uint64_t *addrs;
} cursor_t;

static const inst_t *cursor_inst(const cursor_t *c)
{
    return c->s->runs[c->run].first + c->in_run;
}

static uint32_t cursor_mask(const cursor_t *c)
{
    return c->s->runs[c->run].mask;
}

static bool cursor_has_addresses(const cursor_t *c)
{
    const inst_t *in = cursor_inst(c);

    return in->space != MEM_NONE && in->width != 0 && cursor_mask(c) != 0;
}

static void cursor_next(cursor_t *c)
{
    if (cursor_has_addresses(c))
        c->addrs += addr_words(c->addrs);
    if (++c->in_run == c->s->runs[c->run].count) {
        c->in_run = 0;
        c->run++;
    }
}

static uint64_t address_of(const uint64_t *rec, unsigned k)
{
    int32_t delta;

    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return rec[1] + (uint64_t)((int64_t)addr_stride(rec) * (int64_t)k);
    case ADDR_LIST:
        return rec[1 + k];
    default:
        memcpy(&delta, (const char *)(rec + 2) + k * sizeof(delta), sizeof(delta));
        return rec[1] + (uint64_t)(int64_t)delta;
    }
}

static void compare_insts(const inst_t *a, const inst_t *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->cls, b->cls);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->access, b->access);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->n_wait, b->n_wait);
    assert_int_equal(a->n_set, b->n_set);
    assert_memory_equal(a->dep, b->dep, a->n_wait * sizeof(a->dep[0]));
    assert_int_equal(a->flags & (INST_BRANCH | INST_EXIT | INST_BARRIER | INST_BYPASS_L1),
                     b->flags & (INST_BRANCH | INST_EXIT | INST_BARRIER | INST_BYPASS_L1));
}

static void compare_warps(const warp_stream_t *a, const warp_stream_t *b)
{
    cursor_t x = {.s = a, .addrs = a->addrs}, y = {.s = b, .addrs = b->addrs};

    assert_int_equal(a->n_insts, b->n_insts);
    for (uint64_t i = 0; i < a->n_insts; i++) {
        compare_insts(cursor_inst(&x), cursor_inst(&y));
        assert_int_equal(cursor_mask(&x), cursor_mask(&y));
        if (cursor_has_addresses(&x)) {
            assert_int_equal(addr_lanes(x.addrs), addr_lanes(y.addrs));
            for (unsigned k = 0; k < addr_lanes(x.addrs); k++)
                assert_int_equal(address_of(x.addrs, k), address_of(y.addrs, k));
        }
        cursor_next(&x);
        cursor_next(&y);
    }
}

static void compare_launch(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    launch_info_t x, y;
    trace_launch_t *p = NULL, *q = NULL;

    assert_int_equal(a->ops->launch_info(a, id, &x, NULL), RB_OK);
    assert_int_equal(b->ops->launch_info(b, id, &y, NULL), RB_OK);
    assert_string_equal(x.name, y.name);
    assert_memory_equal(x.grid, y.grid, sizeof(x.grid));
    assert_memory_equal(x.block, y.block, sizeof(x.block));
    assert_int_equal(x.regs, y.regs);
    assert_int_equal(x.shared_bytes, y.shared_bytes);
    assert_int_equal(x.arch, y.arch);
    assert_int_equal(a->ops->open(a, id, &p, NULL), RB_OK);
    assert_int_equal(b->ops->open(b, id, &q, NULL), RB_OK);
    for (uint64_t i = 0;; i++) {
        trace_block_t *u = NULL, *v = NULL;

        assert_int_equal(a->ops->get_block(p, i, &u, NULL), RB_OK);
        assert_int_equal(b->ops->get_block(q, i, &v, NULL), RB_OK);
        assert_int_equal(u == NULL, v == NULL);
        if (!u || !v)
            break;
        assert_memory_equal(u->id, v->id, sizeof(u->id));
        assert_int_equal(u->n_warps, v->n_warps);
        for (uint32_t w = 0; w < u->n_warps; w++)
            compare_warps(&u->warps[w], &v->warps[w]);
        a->ops->free_block(p, u);
        b->ops->free_block(q, v);
    }
    a->ops->close(p);
    b->ops->close(q);
}

static void what_is_written_is_read_back(void **state)
{
    char path[PATH_BYTES];
    const char *tmp = getenv("TMPDIR");
    synth_t *s = mix_create(1);
    text_names_t names = {.mnemonic = name_of, .ctx = s};
    uint64_t bytes = 0;
    rb_err_t err = {0};

    (void)state;
    snprintf(path, sizeof(path), "%s/rubato-text-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
    assert_int_equal(text_writer_store(synth_source(s), &names, path, &bytes, &err), RB_OK);
    assert_true(bytes > 0);
    trace_source_t *text = accelsim_open(path, NULL, &err);
    assert_non_null(text);
    assert_int_equal(text->ops->n_launches(text), 5);
    for (uint64_t id = 1; id <= 5; id++) {
        const memcpy_op_t *x = NULL, *y = NULL;
        size_t n = synth_source(s)->ops->copies(synth_source(s), id, &x);

        assert_int_equal(text->ops->copies(text, id, &y), n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(x[i].addr, y[i].addr);
            assert_int_equal(x[i].bytes, y[i].bytes);
        }
        compare_launch(synth_source(s), text, id);
    }
    text->ops->destroy(text);
    remove_folder(path);
    synth_destroy(s);
}

static void a_folder_that_is_not_there_is_an_error_of_the_environment(void **state)
{
    synth_t *s = mix_create(1);
    text_names_t names = {.mnemonic = name_of, .ctx = s};
    rb_err_t err = {0};

    (void)state;
    assert_int_equal(text_writer_store(synth_source(s), &names, "/nonexistent/folder", NULL, &err),
                     RB_IO);
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
    synth_destroy(s);
}

/* Blocks are generated on demand: each time the same, whatever was asked for in between. */
static void a_generated_block_is_the_same_every_time(void **state)
{
    synth_t *s = mix_create(1);
    trace_source_t *source = synth_source(s);
    trace_launch_t *l = NULL;
    trace_block_t *first = NULL, *other = NULL, *again = NULL;

    (void)state;
    assert_int_equal(source->ops->open(source, 3, &l, NULL), RB_OK);
    assert_int_equal(source->ops->get_block(l, 5, &first, NULL), RB_OK);
    assert_int_equal(source->ops->get_block(l, 6, &other, NULL), RB_OK);
    source->ops->free_block(l, other);
    assert_int_equal(source->ops->get_block(l, 5, &again, NULL), RB_OK);
    for (uint32_t w = 0; w < first->n_warps; w++)
        compare_warps(&first->warps[w], &again->warps[w]);
    assert_int_equal(source->ops->get_block(l, UINT64_C(1) << 40, &other, NULL), RB_OK);
    assert_null(other);
    source->ops->close(l); /* frees what is still out */
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error_of_the_environment),
        cmocka_unit_test(a_generated_block_is_the_same_every_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
