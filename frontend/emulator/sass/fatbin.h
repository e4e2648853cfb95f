/*
 * Fat binaries: nvcc stores them in the section .nv_fatbin of a host program, one container per
 * translation unit, each with images for several architectures (cubin or PTX), plain or compressed
 * (LZ4 blocks up to CUDA 12, zstd frames from 12.8 on).
 *
 * Container, little endian: u32 magic 0xba55ed50, u16 version 1, u16 header bytes, u64 payload
 * bytes; then entries: u16 kind (1 PTX, 2 ELF), u16 version, u32 header bytes, u64 payload bytes
 * (padded), at 16 u32 compressed bytes, at 28 u32 architecture, at 40 u64 flags (0x2000 LZ4, 0x8000
 * zstd), at 56 u64 bytes when decompressed.
 */
#ifndef RUBATO_SASS_FATBIN_H
#define RUBATO_SASS_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint32_t arch;       /* 70, 75, ... */
    const uint8_t *data; /* the cubin or PTX; valid until fatbin_close() */
    size_t size;
    uint8_t *owned;  /* decompressed copy; NULL: data is in the input */
    uint64_t offset; /* offset of the entry in the input, for messages */
} fatbin_image_t;

typedef struct {
    fatbin_image_t *images; /* in file order */
    uint32_t n_images;
    uint32_t *archs; /* owned; architectures of all cubins, including those not kept */
    uint32_t n_archs;
    uint32_t n_ptx; /* number of PTX entries */
} fatbin_t;

/* For fatbin_open(): keeps no image. */
#define FATBIN_NONE UINT32_MAX

/* Whether the bytes begin with a container. */
bool fatbin_is(const uint8_t *data, size_t size);

/*
 * Reads the containers in data[0 .. size), which follow each other with any padding between them.
 * Only images for arch are decompressed and kept (0: all, FATBIN_NONE: none). Errors: RB_TRACE with
 * the offset.
 */
RB_CHECKED rb_code_t fatbin_open(fatbin_t *f, const char *origin, const uint8_t *data, size_t size,
                                 uint32_t arch, rb_err_t *err);
/* The same, but the images are all texts of PTX; they need not end with a zero byte. */
RB_CHECKED rb_code_t fatbin_open_ptx(fatbin_t *f, const char *origin, const uint8_t *data,
                                     size_t size, rb_err_t *err);
void fatbin_close(fatbin_t *f);

/* Bytes of the container at data, including its header, which is trusted (loaded programs). */
size_t fatbin_container_bytes(const uint8_t *data);

#endif
