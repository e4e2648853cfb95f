/*
 * cudaGetExportTable(): tables of functions that NVIDIA's libraries ask the runtime for. No manual
 * describes them. This is what cuBLAS, cuBLASLt and cuSOLVER 11.8 were seen to call, with what they
 * do with the results; the first word of a table is its size in bytes. Functions return 0 or the
 * error codes of the driver.
 *
 *   42d85a81-23f6-cb47-8298-f6e78a3aecdc
 *     [2] (context **)                        the current context of the calling thread
 *   21318c60-9714-3248-8ca6-41ff7324c8f2
 *     [3] (context *, int *)                  the device of a context
 *     [4] (context *, uint64_t *)             the number of a context; never used twice
 *     [51] (context *, stream, stream *, int) the stream behind a handle: if the last parameter is
 *                                             not 0, the default stream is that of the thread
 *     [39] (context *, stream, uint64_t *)    the number of such a stream
 *   c693336e-1121-df11-a8c3-68f355d89593, which does not begin with its size
 *     [0] (context *, key, value, drop)       keeps a value with a context
 *     [1] (context *, key)                    removes it
 *     [2] (value *, context *, key)           finds it
 *
 * The libraries keep data for each pair of context and stream, such as workspaces; the functions of
 * cublas.h (before CUDA 4) keep their handle with the context. Other functions of the first two
 * tables were not called; a program that calls one ends with its number.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/cudart_context.h"

CUDART_EXPORT cuda_error_t cudaGetExportTable(const void **table, const void *uuid);

enum { ENTRIES = 64, STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };

/* The first word is a number. */
typedef void (*entry_t)(void);
typedef entry_t export_table_t[ENTRIES];

/* --- entries that nothing was seen to call --------------------------------------------------- */

static _Noreturn void unknown(unsigned table, unsigned entry)
{
    cudart_give_up("a library calls function %u of the undocumented table %s of the CUDA runtime, "
                   "whose meaning is not known; use the library's version of CUDA 11.8",
                   entry, table == 0 ? "42d85a81" : "21318c60");
}

#define UNKNOWN(row, column)                                                                       \
    static void of_thread_##row##column(void)                                                      \
    {                                                                                              \
        unknown(0, 8 * row + column);                                                              \
    }                                                                                              \
    static void of_context_##row##column(void)                                                     \
    {                                                                                              \
        unknown(1, 8 * row + column);                                                              \
    }
#define OF_THREAD(row, column)  [8 * row + column] = of_thread_##row##column,
#define OF_CONTEXT(row, column) [8 * row + column] = of_context_##row##column,
#define EIGHT(x, row)                                                                              \
    x(row, 0) x(row, 1) x(row, 2) x(row, 3) x(row, 4) x(row, 5) x(row, 6) x(row, 7)
#define ALL(x)                                                                                     \
    EIGHT(x, 0) EIGHT(x, 1) EIGHT(x, 2) EIGHT(x, 3) EIGHT(x, 4) EIGHT(x, 5) EIGHT(x, 6) EIGHT(x, 7)

ALL(UNKNOWN)

static export_table_t of_thread = {ALL(OF_THREAD)}, of_context = {ALL(OF_CONTEXT)};

/* --- entries that are known ------------------------------------------------------------------ */

static cuda_error_t current_context(cudart_context_t **context)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = cudart_context();
    return CUDA_SUCCESS;
}

static cuda_error_t context_device(const cudart_context_t *context, int *device)
{
    if (context == NULL || device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

static cuda_error_t context_number(const cudart_context_t *context, uint64_t *number)
{
    if (context == NULL || number == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *number = context->number;
    return CUDA_SUCCESS;
}

static cuda_error_t stream_behind(const cudart_context_t *context, cuda_stream_t stream,
                                  cuda_stream_t *behind, int per_thread)
{
    if (context == NULL || behind == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream == NULL)
        stream = (cuda_stream_t)(uintptr_t)(per_thread ? STREAM_PER_THREAD : STREAM_LEGACY);
    *behind = stream;
    return CUDA_SUCCESS;
}

static cuda_error_t stream_number(const cudart_context_t *context, cuda_stream_t behind,
                                  uint64_t *number)
{
    if (context == NULL || behind == NULL || number == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *number = (uintptr_t)behind;
    return CUDA_SUCCESS;
}

static cuda_error_t keep(cudart_context_t *context, void *key, void *value, cudart_drop_t drop)
{
    if (context == NULL)
        context = cudart_context();
    return cudart_invalid_if(!cudart_storage_put(context, key, value, drop));
}

static cuda_error_t remove_kept(const cudart_context_t *context, const void *key)
{
    if (context == NULL)
        context = cudart_context();
    return cudart_storage_remove(context, key) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static cuda_error_t find_kept(void **value, const cudart_context_t *context, const void *key)
{
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        context = cudart_context();
    return cudart_storage_get(context, key, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static const entry_t of_storage[] = {(entry_t)keep, (entry_t)remove_kept, (entry_t)find_kept};

static const struct {
    uint8_t uuid[16];
    const entry_t *table;
} tables[] = {
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec,
      0xdc},
     of_thread},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8,
      0xf2},
     of_context},
    {{0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95,
      0x93},
     of_storage},
};

__attribute__((constructor)) static void fill_tables(void)
{
    of_thread[0] = of_context[0] = (entry_t)sizeof(export_table_t);
    of_thread[2] = (entry_t)current_context;
    of_context[3] = (entry_t)context_device;
    of_context[4] = (entry_t)context_number;
    of_context[39] = (entry_t)stream_number;
    of_context[51] = (entry_t)stream_behind;
}

/* What a static runtime asks the driver for first. Most are replaced when they are loaded
 * (redirect.c). */
static const uint8_t runtime_uuid[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                         0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

/* NVRTC 13 asks for this and does without it. */
static const uint8_t nvrtc_uuid[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                       0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};

static void refuse(const uint8_t *uuid, const void *caller)
{
    Dl_info file;

    if (memcmp(uuid, nvrtc_uuid, sizeof(nvrtc_uuid)) == 0)
        return;
    if (memcmp(uuid, runtime_uuid, sizeof(runtime_uuid)) == 0)
        cudart_give_up("%s: a CUDA runtime is linked into it statically that cannot be replaced, "
                       "because its symbols are stripped or its version is unknown; link it with "
                       "nvcc -cudart shared (for libraries of NVIDIA: see 'rubato help libs')",
                       dladdr(caller, &file) != 0 ? file.dli_fname : "a library");
    fprintf(stderr, "rubato: the program asks for a table of undocumented functions (");
    for (unsigned i = 0; i < 16; i++)
        fprintf(stderr, "%02x%s", uuid[i], i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
    fprintf(stderr, "), which is not available\n");
}

cuda_error_t cudart_export_table(const void **table, const void *uuid, const void *caller)
{
    if (table == NULL || uuid == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *table = NULL;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && *table == NULL; i++)
        if (memcmp(tables[i].uuid, uuid, sizeof(tables[i].uuid)) == 0)
            *table = tables[i].table;
    if (*table == NULL)
        refuse(uuid, caller);
    return cudart_fail_if(*table == NULL);
}

cuda_error_t cudaGetExportTable(const void **table, const void *uuid)
{
    return cudart_export_table(table, uuid, __builtin_return_address(0));
}
