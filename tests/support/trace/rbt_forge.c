#include "tests/support/trace/rbt_forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/read/rbt_index_get.h"
#include "frontend/input/rbt/write/rbt_root_put.h"
#include "tests/support/test.h"

enum { FRAMES_MAX = 64 };

/* The file that is copied, and the copy so far. */
typedef struct {
    rbt_file_t file;
    rbt_unpacker_t *unpacker;
    rbt_page_t page; /* of blocks */
    forge_part_t part;
    const rbt_buf_t *bytes; /* of the part; borrowed */
    uint64_t hole;
    rbt_buf_t out; /* what follows it */
} forge_t;

static void begin(forge_t *g, const char *path)
{
    rb_err_t err = {0};

    *g = (forge_t){.unpacker = ZSTD_createDCtx()};
    assert_int_equal(rbt_file_open(&g->file, path, &err), RB_OK);
    assert_int_equal(g->file.n_block_pages, 1);
    assert_int_equal(g->file.n_launch_pages, 1);
    assert_int_equal(rbt_page_read(&g->page, &g->file, 0, g->unpacker, &err), RB_OK);
    assert_in_range(g->page.n_frames, 1, FRAMES_MAX);
}

static void end(forge_t *g)
{
    rbt_page_free(&g->page);
    rbt_file_close(&g->file);
    ZSTD_freeDCtx(g->unpacker);
    free(g->out.p);
}

static rbt_buf_t read_place(forge_t *g, const rbt_place_t *place)
{
    rbt_buf_t b = {0};
    rb_err_t err = {0};

    assert_int_equal(rbt_file_read(&g->file, place, RBT_CODE_BYTES, "part", g->unpacker, &b, &err),
                     RB_OK);
    return b;
}

static rbt_place_t place_of(const forge_t *g, forge_part_t part)
{
    switch (part) {
    case FORGE_FRAME:
        return g->page.frames[0].place;
    case FORGE_PAGE:
        return g->file.block_pages[0].place;
    case FORGE_LAUNCHES:
        return g->file.launch_pages[0].place;
    case FORGE_CODE:
        return g->file.kernels[0].place;
    default:
        return g->file.root;
    }
}

rbt_buf_t rbt_forge_part(const char *path, forge_part_t part)
{
    forge_t g;

    begin(&g, path);
    rbt_place_t place = place_of(&g, part);
    rbt_buf_t b = read_place(&g, &place);

    end(&g);
    return b;
}

/* Appends a frame of these bytes. */
static rbt_place_t put(forge_t *g, const rbt_buf_t *b)
{
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(b->n);
    rbt_place_t place = {.offset = RBT_HEADER_BYTES + g->hole + g->out.n, .unpacked = b->n};

    ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 1);
    place.packed = ZSTD_compress2(packer, rbt_buf_room(&g->out, bound), bound, b->p, b->n);
    assert_false(ZSTD_isError(place.packed));
    place.checksum = rbt_checksum(g->out.p + g->out.n, place.packed);
    g->out.n += place.packed;
    ZSTD_freeCCtx(packer);
    return place;
}

/* Appends the frame at a place of the file, with the bytes of the part if it is that. */
static rbt_place_t copy(forge_t *g, forge_part_t part, bool first, const rbt_place_t *place)
{
    if (first && part == g->part)
        return put(g, g->bytes);
    rbt_buf_t b = read_place(g, place);
    rbt_place_t at = put(g, &b);

    free(b.p);
    return at;
}

/* The page of blocks begins with the positions of its frames, which were copied elsewhere. */
static rbt_place_t copy_page(forge_t *g, const rbt_place_t *frames)
{
    size_t n = g->page.n_frames;
    rbt_buf_t b = read_place(g, &g->file.block_pages[0].place), to = {0};
    rbt_in_t in = {.at = b.p, .end = b.p + b.n};

    for (unsigned i = 0; i < 4; i++)
        rbt_put_varint(&to, rbt_get_varint(&in));
    for (size_t i = 0; i < 2 * n; i++)
        (void)rbt_get_varint(&in);
    for (size_t i = 0; i < n; i++)
        rbt_put_varint(&to, frames[i].packed);
    for (size_t i = 0; i < n; i++)
        rbt_put_varint(&to, frames[i].unpacked);
    for (size_t i = 0; i < n; i++)
        rbt_put_varint(&to, rbt_get_varint(&in));
    (void)rbt_get_bytes(&in, n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        rbt_put_u32(&to, (uint32_t)frames[i].checksum);
    rbt_put_bytes(&to, in.at, rbt_in_left(&in));
    rbt_place_t at = put(g, g->part == FORGE_PAGE ? g->bytes : &to);

    free(b.p);
    free(to.p);
    return at;
}

static rbt_place_t copy_root(forge_t *g, const rbt_place_t *blocks, const rbt_place_t *launches,
                             uint64_t first_frame)
{
    const rbt_file_t *f = &g->file;
    rbt_root_put_t root;
    rbt_buf_t b = {0};

    rbt_root_put_init(&root, f->producer);
    for (size_t k = 0; k < f->n_kernels; k++) {
        const rbt_kernel_t *from = &f->kernels[k];
        const launch_info_t info = {
            .name = from->name, .arch = from->arch, .code_id = from->code_id};
        uint32_t number = rbt_root_put_kernel(&root, &info);

        root.kernels[number].place = copy(g, FORGE_CODE, k == 0, &from->place);
    }
    for (size_t i = 0; i < f->n_copies; i++)
        rbt_root_put_copy(&root, f->copy_launch[i], &f->copies[i]);
    rbt_root_put_block_page(&root, blocks, first_frame, f->n_blocks, f->block_pages[0].n_frames);
    rbt_root_put_launch_page(&root, launches, f->n_launches, f->n_blocks);
    rbt_root_put_encode(&root, &b);
    rbt_root_put_free(&root);
    rbt_place_t at = put(g, g->part == FORGE_ROOT ? g->bytes : &b);

    free(b.p);
    return at;
}

static void put_footer(forge_t *g, const rbt_place_t *root)
{
    rbt_buf_t *b = &g->out;
    size_t at = b->n;

    rbt_put_u32(b, RBT_SKIP_FOOTER);
    rbt_put_u32(b, RBT_FOOTER_BYTES - 8);
    rbt_put_bytes(b, rbt_footer_magic, RBT_MAGIC_BYTES);
    rbt_put_u32(b, RBT_VERSION);
    rbt_put_u32(b, 0);
    rbt_put_u64(b, root->offset);
    rbt_put_u64(b, root->packed);
    rbt_put_u64(b, root->unpacked);
    rbt_put_u64(b, root->checksum);
    rbt_put_u64(b, g->file.n_launches);
    rbt_put_u64(b, rbt_checksum(b->p + at + 8, b->n - at - 8));
}

static void write_copy(forge_t *g, const char *to)
{
    uint8_t header[RBT_HEADER_BYTES];

    (void)remove(to); /* some file systems sync a file that is truncated and written again */
    FILE *out = fopen(to, "wb");

    assert_non_null(out);
    assert_int_equal(pread(g->file.fd, header, sizeof(header), 0), sizeof(header));
    assert_int_equal(fwrite(header, 1, sizeof(header), out), sizeof(header));
    assert_int_equal(fseeko(out, (off_t)g->hole, SEEK_CUR), 0);
    assert_int_equal(fwrite(g->out.p, 1, g->out.n, out), g->out.n);
    assert_int_equal(fclose(out), 0);
}

static void forge(const char *path, const char *to, forge_part_t part, const rbt_buf_t *bytes,
                  uint64_t hole)
{
    rbt_place_t frames[FRAMES_MAX];
    forge_t g;

    begin(&g, path);
    g.part = part;
    g.bytes = bytes;
    g.hole = hole;
    for (size_t i = 0; i < g.page.n_frames; i++)
        frames[i] = copy(&g, FORGE_FRAME, i == 0, &g.page.frames[i].place);
    rbt_place_t blocks = copy_page(&g, frames);
    rbt_place_t launches = copy(&g, FORGE_LAUNCHES, true, &g.file.launch_pages[0].place);
    rbt_place_t root = copy_root(&g, &blocks, &launches, frames[0].offset);

    put_footer(&g, &root);
    write_copy(&g, to);
    end(&g);
}

void rbt_forge(const char *path, const char *to, forge_part_t part, const rbt_buf_t *bytes)
{
    forge(path, to, part, bytes, 0);
}

void rbt_forge_hole(const char *path, const char *to, uint64_t hole)
{
    forge(path, to, FORGE_NOTHING, NULL, hole);
}
