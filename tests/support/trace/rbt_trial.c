#include "tests/support/trace/rbt_trial.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/rbt/read/rbt_block.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/read/rbt_verify.h"
#include "tests/support/source_check.h"
#include "tests/support/temp_folder.h"

enum { CLASSES = 255 };

static uint8_t classes[CLASSES]; /* all the same, because numbers are what is tested */

static rb_code_t read_launches(trace_source_t *s, rb_err_t *err)
{
    uint64_t n = s->ops->n_launches(s);

    for (uint64_t id = 1; id <= n; id++)
        RB_TRY(source_check_launch(s, id, err));
    return RB_OK;
}

static rb_code_t try_file(const uint8_t *data, size_t n)
{
    rb_err_t err = {0};
    rbt_verified_t v;

    temp_write_bytes("x.rbt", data, n);
    trace_source_t *s = rbt_open(temp_path("x.rbt"), &err);

    if (s == NULL)
        return err.code;
    (void)read_launches(s, &err);
    s->ops->destroy(s);
    err = (rb_err_t){0};
    return rbt_verify(temp_path("x.rbt"), &v, &err);
}

/* The page is read as part of a file of the largest possible size. */
static rbt_file_t some_file(void)
{
    enum { BYTES = 1 << 20, KERNELS = 4 };
    rbt_file_t f = {.fd = -1, .bytes = BYTES, .n_spaces = RBT_SPACE_COUNT};

    f.n_classes = OP_CLASS_COUNT;
    f.n_kernels = KERNELS;
    return f;
}

static rb_code_t try_root(const rbt_buf_t *bytes)
{
    rbt_file_t f = {.fd = -1, .bytes = 1 << 20};
    const char *wrong = rbt_root_get(&f, bytes);

    pthread_mutex_init(&f.lock, NULL);
    rbt_file_close(&f);
    return wrong == NULL ? RB_OK : RB_TRACE;
}

static rb_code_t try_page(const rbt_buf_t *bytes)
{
    rbt_file_t f = some_file();
    rbt_in_t in = {.at = bytes->p, .end = bytes->p + bytes->n};
    rbt_block_page_ref_t ref = {0};
    rbt_page_t p = {0};
    const char *wrong = "empty";

    ref.n_frames = rbt_get_varint(&in);
    ref.n_blocks = rbt_get_varint(&in);
    if (ref.n_frames > 0 && ref.n_blocks > 0)
        wrong = rbt_page_get(&p, &f, &ref, bytes);
    rbt_page_free(&p);
    return wrong == NULL ? RB_OK : RB_TRACE;
}

static rb_code_t try_launches(const rbt_buf_t *bytes)
{
    rbt_file_t f = some_file();
    rbt_in_t in = {.at = bytes->p, .end = bytes->p + bytes->n};
    rbt_launch_page_ref_t ref = {.n_launches = rbt_get_count(&in, bytes->n)};
    rbt_launch_t *l = rb_calloc(ref.n_launches + 1, sizeof(*l));
    const char *wrong = rbt_launches_get(&f, &ref, l, bytes);

    /* The number of blocks is checked last, since it is in the root. */
    if (wrong != NULL && strcmp(wrong, "its number of blocks is not the root's") == 0)
        wrong = NULL;
    free(l);
    return wrong == NULL ? RB_OK : RB_TRACE;
}

static const char *get_code(rbt_code_t *code, const uint8_t *data, size_t n)
{
    return rbt_code_read(code, data, n, classes, CLASSES);
}

static rb_code_t try_code(const rbt_buf_t *bytes)
{
    rbt_code_t code;
    const char *wrong = get_code(&code, bytes->p, bytes->n);

    for (size_t i = 0; i < code.n_insts && wrong == NULL; i++) {
        uint32_t len = 0;
        const char *text = rbt_code_text(&code, &code.insts[i], &len);

        RB_INVARIANT(text == NULL || memchr(text, 1, len) != text + len, "a text ends nowhere");
        source_line_t line;
        RB_INVARIANT(!rbt_code_line(&code, &code.insts[i], &line) ||
                         (line.line > 0 && strlen(line.file) <= RBT_NAME_BYTES),
                     "a line is nowhere");
    }
    rbt_code_free(&code);
    return wrong == NULL ? RB_OK : RB_TRACE;
}

/* Reads a block's streams, in pieces if it is long. */
static void read_streams(const trace_block_t *b)
{
    for (uint32_t w = 0; w < b->n_warps; w++) {
        warp_stream_t *s = &b->warps[w];
        uint64_t insts = 0;

        for (bool some = stream_first(s); some; some = stream_next(s))
            for (uint32_t i = 0; i < s->n_runs; i++)
                insts += s->runs[i].count;
        RB_INVARIANT(insts == s->n_insts, "a warp has other instructions than it says");
    }
}

static const char *read_blocks(rbt_frame_get_t *f, const rbt_code_t *code)
{
    static const stream_limits_t limits = {.whole_bytes = 4 << 10, .memory_bytes = SIZE_MAX};
    stream_store_t store;
    static const uint32_t id[3];
    const char *wrong = rbt_frame_get_begin(f, code);
    const rbt_shape_get_t *shape;
    rbt_pool_t pool;

    rbt_pool_init(&pool);
    stream_store_init(&store, &limits);
    rbt_block_t *b = rbt_pool_take(&pool);

    while (wrong == NULL && f->blocks_begun < f->n_blocks) {
        wrong = rbt_frame_get_block(f);
        rbt_block_begin(b, 0, id, RBT_WARPS_MAX, &store);
        while (wrong == NULL && (wrong = rbt_frame_get_piece(f, &shape)) == NULL && shape != NULL)
            wrong = rbt_block_piece(b, f, shape);
        if (rbt_block_end(b, NULL) == RB_OK && wrong == NULL)
            read_streams(&b->pub);
        rbt_block_release(b);
    }
    rbt_pool_give_back(&pool, b);
    rbt_pool_free(&pool);
    stream_store_free(&store);
    return wrong == NULL ? rbt_frame_get_end(f) : wrong;
}

static rb_code_t try_frame(const rbt_buf_t *bytes)
{
    rbt_code_t code = {0};
    rbt_frame_get_t f = {0};
    uint32_t n = 0;

    if (bytes->n < sizeof(n))
        return RB_TRACE;
    memcpy(&n, bytes->p, sizeof(n));
    if (n > bytes->n - sizeof(n))
        return RB_TRACE;
    const char *wrong = get_code(&code, bytes->p + sizeof(n), n);

    if (wrong == NULL) {
        rbt_put_bytes(&f.bytes, bytes->p + sizeof(n) + n, bytes->n - sizeof(n) - n);
        wrong = read_blocks(&f, &code);
    }
    rbt_frame_get_free(&f);
    rbt_code_free(&code);
    return wrong == NULL ? RB_OK : RB_TRACE;
}

rb_code_t rbt_trial(const void *data, size_t n)
{
    const uint8_t *p = data;
    rbt_buf_t rest = {0};
    rb_code_t code = RB_TRACE;

    if (n == 0)
        return code;
    if (p[0] == 'F')
        return try_file(p + 1, n - 1);
    rbt_put_bytes(&rest, p + 1, n - 1);
    if (rest.n == 0)
        return code;
    if (p[0] == 'R')
        code = try_root(&rest);
    else if (p[0] == 'P')
        code = try_page(&rest);
    else if (p[0] == 'L')
        code = try_launches(&rest);
    else if (p[0] == 'C')
        code = try_code(&rest);
    else if (p[0] == 'B')
        code = try_frame(&rest);
    free(rest.p);
    return code;
}
