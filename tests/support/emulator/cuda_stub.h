/* The registration of a kernel, which nvcc writes into a CUDA program, for programs that are
 * built without nvcc. */
#ifndef RUBATO_TESTS_CUDA_STUB_H
#define RUBATO_TESTS_CUDA_STUB_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} dim3_t;

typedef struct {
    int magic, version;
    const void *data;
    void *filename;
} wrapper_t;

void **__cudaRegisterFatBinary(const wrapper_t *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
void __cudaUnregisterFatBinary(void **handle);

enum { CUDA_STUB_FILE_BYTES = 1 << 20, CUDA_STUB_HEADER = 80 };

static inline void cuda_stub_put(uint8_t *p, uint64_t value, unsigned bytes)
{
    memcpy(p, &value, bytes);
}

/* A fat binary without images. */
static inline uint8_t *cuda_stub_container(void)
{
    uint8_t *p = calloc(1, CUDA_STUB_HEADER);

    cuda_stub_put(p, 0xba55ed50u, 4);
    cuda_stub_put(p + 4, 1, 2);
    cuda_stub_put(p + 6, 16, 2);
    return p;
}

/* Adds a file to it, as a cubin (kind 2) or as PTX (kind 1). Ends the program if there is no such
 * file. */
static inline uint8_t *cuda_stub_add(uint8_t *p, const char *path, unsigned kind, unsigned arch)
{
    uint64_t before;

    memcpy(&before, p + 8, sizeof(before));
    p = realloc(p, 16 + before + 64 + CUDA_STUB_FILE_BYTES);
    FILE *in = fopen(path, "rb");
    if (in == NULL || p == NULL) {
        perror(path);
        exit(3);
    }
    uint8_t *entry = p + 16 + before;
    size_t n = fread(entry + 64, 1, CUDA_STUB_FILE_BYTES, in);
    fclose(in);
    memset(entry, 0, 64);
    cuda_stub_put(entry, kind, 2);
    cuda_stub_put(entry + 4, 64, 4);
    cuda_stub_put(entry + 8, n, 8);
    cuda_stub_put(entry + 28, arch, 4);
    cuda_stub_put(p + 8, before + 64 + n, 8);
    return p;
}

/* A fat binary with the file as its only image. */
static inline uint8_t *cuda_stub_fatbin(const char *path, unsigned arch)
{
    return cuda_stub_add(cuda_stub_container(), path, 2, arch);
}

/* Registers a fat binary. Register its kernels next, then call __cudaRegisterFatBinaryEnd(). */
static inline void **cuda_stub_open_fatbin(const uint8_t *fatbin)
{
    wrapper_t *wrapper = malloc(sizeof(*wrapper)); /* never freed, like nvcc's own */

    *wrapper = (wrapper_t){0x466243b1, 1, fatbin, NULL};
    return __cudaRegisterFatBinary(wrapper);
}

/* The same for a cubin. */
static inline void **cuda_stub_open(const char *path, unsigned arch)
{
    return cuda_stub_open_fatbin(cuda_stub_fatbin(path, arch));
}

/* Registers a kernel; the program knows it by the address stub. */
static inline void cuda_stub_kernel(void **handle, const char *stub, const char *kernel)
{
    __cudaRegisterFunction(handle, stub, NULL, kernel, -1, NULL, NULL, NULL, NULL, NULL);
}

/* Registers a cubin of which one kernel is used. */
static inline void **cuda_stub_register(const char *path, unsigned arch, const char *stub,
                                        const char *kernel)
{
    void **handle = cuda_stub_open(path, arch);

    cuda_stub_kernel(handle, stub, kernel);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

#endif
