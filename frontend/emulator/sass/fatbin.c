#include "frontend/emulator/sass/fatbin.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/emulator/sass/elf64.h"
#include "frontend/emulator/sass/lz4_block.h"
#include "sim/core/alloc.h"

enum {
    CONTAINER_BYTES = 16,
    ENTRY_BYTES = 64,
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    LZ4_MAX_RATIO = 256,
};

static const uint32_t container_magic = 0xba55ed50u;

/* Limits the effect of a damaged size field: no real image is larger. */
static const uint64_t max_image_bytes = 1ull << 30;

/* The current position, for messages. */
typedef struct {
    const char *origin;
    const uint8_t *data;
    uint64_t at, end; /* current entry and end of the container */
    uint32_t arch;
    bool ptx; /* keep PTX instead of cubins */
} fatbin_reader_t;

typedef struct {
    uint16_t kind;
    uint32_t header, compressed, arch;
    uint64_t payload, flags, plain;
} fatbin_entry_t;

bool fatbin_is(const uint8_t *data, size_t size)
{
    return size >= CONTAINER_BYTES && elf_u32(data) == container_magic;
}

size_t fatbin_container_bytes(const uint8_t *data)
{
    return elf_u16(data + 6) + elf_u64(data + 8);
}

static rb_code_t damaged(const fatbin_reader_t *r, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: offset %llu of the fat binary: %s", r->origin,
                   (unsigned long long)r->at, what);
}

static bool decompress(const fatbin_entry_t *e, const uint8_t *in, uint8_t *out)
{
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(out, e->plain, in, e->compressed);
        return !ZSTD_isError(n) && n == e->plain;
    }
    return lz4_block_decompress(in, e->compressed, out, e->plain);
}

static rb_code_t add_image(fatbin_t *f, const fatbin_reader_t *r, const fatbin_entry_t *e,
                           rb_err_t *err)
{
    const uint8_t *in = r->data + r->at + e->header;
    fatbin_image_t image = {.arch = e->arch, .data = in, .size = e->payload, .offset = r->at};

    if (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        bool lz4 = !(e->flags & FLAG_ZSTD);
        if (e->compressed > e->payload || e->plain > max_image_bytes || e->plain == 0 ||
            (lz4 && e->plain / LZ4_MAX_RATIO > e->compressed))
            return damaged(r, "an image with impossible sizes", err);
        image.owned = rb_calloc(e->plain, 1);
        if (!decompress(e, in, image.owned)) {
            free(image.owned);
            return damaged(r, "a compressed image is damaged", err);
        }
        image.data = image.owned;
        image.size = e->plain;
    }
    f->images = rb_realloc(f->images, f->n_images + 1u, sizeof(*f->images));
    f->images[f->n_images++] = image;
    return RB_OK;
}

static void add_arch(fatbin_t *f, uint32_t arch)
{
    f->archs = rb_realloc(f->archs, f->n_archs + 1u, sizeof(*f->archs));
    f->archs[f->n_archs++] = arch;
}

static rb_code_t read_entry(fatbin_t *f, fatbin_reader_t *r, rb_err_t *err)
{
    if (r->end - r->at < ENTRY_BYTES)
        return damaged(r, "an entry is truncated", err);
    const uint8_t *p = r->data + r->at;
    fatbin_entry_t e = {.kind = elf_u16(p),
                        .header = elf_u32(p + 4),
                        .payload = elf_u64(p + 8),
                        .compressed = elf_u32(p + 16),
                        .arch = elf_u32(p + 28),
                        .flags = elf_u64(p + 40),
                        .plain = elf_u64(p + 56)};
    uint64_t left = r->end - r->at;

    if (e.header < ENTRY_BYTES || e.header > left || e.payload > left - e.header)
        return damaged(r, "an entry reaches past its container", err);
    if (e.kind == KIND_PTX)
        f->n_ptx++;
    if (e.kind == KIND_ELF)
        add_arch(f, e.arch);
    if (e.kind == (r->ptx ? KIND_PTX : KIND_ELF) && (r->arch == 0 || r->arch == e.arch))
        RB_TRY(add_image(f, r, &e, err));
    r->at += e.header + e.payload;
    return RB_OK;
}

static rb_code_t read_container(fatbin_t *f, fatbin_reader_t *r, uint64_t size, rb_err_t *err)
{
    const uint8_t *p = r->data + r->at;
    uint64_t header = elf_u16(p + 6), payload = elf_u64(p + 8);

    if (header < CONTAINER_BYTES || header > size - r->at || payload > size - r->at - header)
        return damaged(r, "a container reaches past the end", err);
    r->at += header;
    r->end = r->at + payload;
    while (r->at < r->end)
        RB_TRY(read_entry(f, r, err));
    return RB_OK;
}

static rb_code_t read_containers(fatbin_t *f, fatbin_reader_t *r, size_t size, rb_err_t *err)
{
    rb_code_t rc = RB_OK;

    *f = (fatbin_t){0};
    while (rc == RB_OK && r->at < size) {
        if (fatbin_is(r->data + r->at, size - r->at))
            rc = read_container(f, r, size, err);
        else if (r->data[r->at] == 0)
            r->at++; /* the linker pads to the alignment of the next unit */
        else
            rc = damaged(r, "this is not a container", err);
    }
    if (rc != RB_OK)
        fatbin_close(f);
    return rc;
}

rb_code_t fatbin_open(fatbin_t *f, const char *origin, const uint8_t *data, size_t size,
                      uint32_t arch, rb_err_t *err)
{
    fatbin_reader_t r = {.origin = origin, .data = data, .arch = arch};

    return read_containers(f, &r, size, err);
}

rb_code_t fatbin_open_ptx(fatbin_t *f, const char *origin, const uint8_t *data, size_t size,
                          rb_err_t *err)
{
    fatbin_reader_t r = {.origin = origin, .data = data, .ptx = true};

    return read_containers(f, &r, size, err);
}

void fatbin_close(fatbin_t *f)
{
    for (uint32_t i = 0; i < f->n_images; i++)
        free(f->images[i].owned);
    free(f->images);
    free(f->archs);
    *f = (fatbin_t){0};
}
