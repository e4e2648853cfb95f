/*
 * The device and its clock: properties, attributes, errors, streams and events. Work is done when
 * it is asked for, so waiting has nothing to wait for; times of events are those of the host and
 * say nothing about a GPU.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/sass/cudart/cudart_calls.h"
#include "frontend/sass/cudart/cudart_graph.h"

/* Major version of the runtime that this library stands for: the layout of structures. */
#ifndef RUBATO_CUDART_MAJOR
#error "RUBATO_CUDART_MAJOR is set by the build"
#endif

#define NOTHING_TO_DO(name, ...)                                                                   \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        cudart_state_t *s = cudart_enter();                                                        \
        return cudart_leave(s, CUDA_SUCCESS);                                                      \
    }

NOTHING_TO_DO(cudaDeviceSynchronize, void)
NOTHING_TO_DO(cudaThreadSynchronize, void)
NOTHING_TO_DO(cudaThreadExit, void)
NOTHING_TO_DO(cudaDeviceReset, void)
NOTHING_TO_DO(cudaProfilerStart, void)
NOTHING_TO_DO(cudaProfilerStop, void)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING_TO_DO(cudaSetDeviceFlags, unsigned flags)
NOTHING_TO_DO(cudaDeviceSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetSharedMemConfig, int config)
NOTHING_TO_DO(cudaFuncSetSharedMemConfig, const void *host, int config)
NOTHING_TO_DO(cudaThreadSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetLimit, int limit, size_t value)
NOTHING_TO_DO(cudaStreamDestroy, cuda_stream_t stream)
NOTHING_TO_DO(cudaStreamSynchronize, cuda_stream_t stream)
NOTHING_TO_DO(cudaStreamQuery, cuda_stream_t stream)
NOTHING_TO_DO(cudaEventSynchronize, void *event)
NOTHING_TO_DO(cudaEventQuery, void *event)
NOTHING_TO_DO(cudaHostRegister, void *p, size_t n, unsigned flags)
NOTHING_TO_DO(cudaHostUnregister, void *p)
#pragma GCC diagnostic pop

/* --- errors ---------------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGetLastError(void);
CUDART_EXPORT cuda_error_t cudaPeekAtLastError(void);
CUDART_EXPORT const char *cudaGetErrorString(cuda_error_t error);
CUDART_EXPORT const char *cudaGetErrorName(cuda_error_t error);

static const struct {
    cuda_error_t error;
    const char *name, *text;
} error_texts[] = {
    {CUDA_SUCCESS, "cudaSuccess", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CUDA_ERROR_MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory"},
    {CUDA_ERROR_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {CUDA_ERROR_INVALID_SYMBOL, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {CUDA_ERROR_INVALID_DEVICE_POINTER, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {CUDA_ERROR_INVALID_TEXTURE, "cudaErrorInvalidTexture", "invalid texture reference"},
    {CUDA_ERROR_INVALID_SURFACE, "cudaErrorInvalidSurface", "invalid surface reference"},
    {CUDA_ERROR_INVALID_DEVICE_FUNCTION, "cudaErrorInvalidDeviceFunction",
     "invalid device function"},
    {CUDA_ERROR_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {CUDA_ERROR_ASSERT, "cudaErrorAssert", "device-side assert triggered"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "cudaErrorMisalignedAddress", "misaligned address"},
    {CUDA_ERROR_INVALID_PC, "cudaErrorInvalidPc", "invalid program counter"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {CUDA_ERROR_LAUNCH_FAILURE, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
    {CUDA_ERROR_CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_CAPTURE_UNMATCHED, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {CUDA_ERROR_UNKNOWN, "cudaErrorUnknown", "unknown error"},
};

cuda_error_t cudaGetLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    s->last = CUDA_SUCCESS;
    cudart_leave(s, CUDA_SUCCESS);
    return last;
}

cuda_error_t cudaPeekAtLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    cudart_leave(s, CUDA_SUCCESS);
    return last;
}

const char *cudaGetErrorString(cuda_error_t error)
{
    for (size_t i = 0; i < sizeof(error_texts) / sizeof(error_texts[0]); i++)
        if (error_texts[i].error == error)
            return error_texts[i].text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cuda_error_t error)
{
    for (size_t i = 0; i < sizeof(error_texts) / sizeof(error_texts[0]); i++)
        if (error_texts[i].error == error)
            return error_texts[i].name;
    return "cudaErrorUnknown";
}

/* --- devices --------------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGetDeviceCount(int *n);
CUDART_EXPORT cuda_error_t cudaGetDevice(int *device);
CUDART_EXPORT cuda_error_t cudaSetDevice(int device);
CUDART_EXPORT cuda_error_t cudaChooseDevice(int *device, const void *properties);
CUDART_EXPORT cuda_error_t cudaRuntimeGetVersion(int *version);
CUDART_EXPORT cuda_error_t cudaDriverGetVersion(int *version);
CUDART_EXPORT cuda_error_t cudaDeviceGetAttribute(int *value, int attribute, int device);
CUDART_EXPORT cuda_error_t cudaGetDeviceProperties(void *properties, int device);
CUDART_EXPORT cuda_error_t cudaGetDeviceProperties_v2(void *properties, int device);

/* V100 (GV100) and RTX 2060 (TU106): NVIDIA's architecture whitepapers. */
typedef struct {
    const char *name;
    int major, minor, sms, clock_khz, threads_per_sm, shared_per_sm, shared_optin, l2, bus_bits,
        memory_khz;
    size_t memory;
} device_t;

static const device_t volta = {
    "Tesla V100-SXM2-16GB", 7, 0, 80, 1530000, 2048, 98304, 98304, 6291456, 4096, 877000,
    (size_t)16 << 30};
static const device_t turing = {
    "GeForce RTX 2060", 7, 5, 30, 1680000, 1024, 65536, 65536, 3145728, 192, 7001000,
    (size_t)6 << 30};

static const device_t *the_device(cudart_state_t *s)
{
    return cudart_arch(s) >= 75 ? &turing : &volta;
}

cuda_error_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGetDevice(int *device)
{
    *device = 0;
    return CUDA_SUCCESS;
}

cuda_error_t cudaSetDevice(int device)
{
    cudart_state_t *s = cudart_enter();

    return cudart_leave(s, device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

cuda_error_t cudaChooseDevice(int *device, const void *properties)
{
    (void)properties;
    *device = 0;
    return CUDA_SUCCESS;
}

/* The last one of those that have this binary interface: programs ask whether it is new enough. */
cuda_error_t cudaRuntimeGetVersion(int *version)
{
    static const int last_minor[] = {[10] = 2, [11] = 8, [12] = 9, [13] = 0};

    *version = RUBATO_CUDART_MAJOR * 1000 + last_minor[RUBATO_CUDART_MAJOR] * 10;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

static void put_int(uint8_t *p, size_t offset, int value)
{
    memcpy(p + offset, &value, sizeof(value));
}

static void put_size(uint8_t *p, size_t offset, size_t value)
{
    memcpy(p + offset, &value, sizeof(value));
}

/*
 * struct cudaDeviceProp by offset. The beginning is the same in all versions up to maxGridSize;
 * CUDA 13 took out the clock and some flags behind it.
 */
static void fill_properties(const device_t *d, uint8_t *p, size_t bytes)
{
    memset(p, 0, bytes);
    strcpy((char *)p, d->name);
    put_size(p, 288, d->memory);
    put_size(p, 296, 48 << 10);
    put_int(p, 304, 65536);
    put_int(p, 308, 32);
    put_size(p, 312, INT32_MAX);
    put_int(p, 320, 1024);
    put_int(p, 324, 1024);
    put_int(p, 328, 1024);
    put_int(p, 332, 64);
    put_int(p, 336, INT32_MAX);
    put_int(p, 340, 65535);
    put_int(p, 344, 65535);
    put_size(p, 352, 64 << 10);
    put_int(p, 360, d->major);
    put_int(p, 364, d->minor);
    put_size(p, 368, 512);
    put_size(p, 376, 32);
#if RUBATO_CUDART_MAJOR >= 13
    put_int(p, 384, d->sms);
    put_int(p, 392, 1); /* canMapHostMemory */
#else
    put_int(p, 348, d->clock_khz);
    put_int(p, 384, 1); /* deviceOverlap */
    put_int(p, 388, d->sms);
    put_int(p, 400, 1); /* canMapHostMemory */
    put_int(p, 576, 1); /* concurrentKernels */
    put_int(p, 600, 3); /* asyncEngineCount */
    put_int(p, 604, 1); /* unifiedAddressing */
    put_int(p, 608, d->memory_khz);
    put_int(p, 612, d->bus_bits);
    put_int(p, 616, d->l2);
    put_int(p, RUBATO_CUDART_MAJOR >= 11 ? 624 : 620, d->threads_per_sm);
    put_size(p, 640, (size_t)d->shared_per_sm);
    put_int(p, 648, 65536);                                   /* registers of an SM */
    put_int(p, 652, 1);                                       /* managedMemory */
    put_int(p, 668, d->major == 7 && d->minor == 5 ? 32 : 2); /* single to double precision */
    put_int(p, 688, 1);                                       /* cooperativeLaunch */
    put_size(p, 696, (size_t)d->shared_optin);
#if RUBATO_CUDART_MAJOR >= 11
    put_int(p, 712, d->major == 7 && d->minor == 5 ? 16 : 32); /* blocks of an SM */
#endif
#endif
}

/* Bytes that every version's structure has at least. */
enum {
    PROPERTIES_BYTES = RUBATO_CUDART_MAJOR >= 12   ? 1000
                       : RUBATO_CUDART_MAJOR >= 11 ? 728
                                                   : 712
};

cuda_error_t cudaGetDeviceProperties(void *properties, int device)
{
    cudart_state_t *s = cudart_enter();

    if (device != 0)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE);
    fill_properties(the_device(s), properties, PROPERTIES_BYTES);
    return cudart_leave(s, CUDA_SUCCESS);
}

/* The name from CUDA 12 on. */
cuda_error_t cudaGetDeviceProperties_v2(void *properties, int device)
{
    return cudaGetDeviceProperties(properties, device);
}

/* enum cudaDeviceAttr. */
static bool attribute_value(const device_t *d, int attribute, int *value)
{
    const struct {
        int attribute, value;
    } rows[] = {
        {1, 1024},
        {2, 1024},
        {3, 1024},
        {4, 64},
        {5, INT32_MAX},
        {6, 65535},
        {7, 65535},
        {8, 49152},
        {9, 65536},
        {10, 32},
        {11, INT32_MAX},
        {12, 65536},
        {13, d->clock_khz},
        {14, 512},
        {15, 1},
        {16, d->sms},
        {17, 0},
        {18, 0},
        {19, 1},
        {20, 0},
        {31, 1},
        {32, 0},
        {36, d->memory_khz},
        {37, d->bus_bits},
        {38, d->l2},
        {39, d->threads_per_sm},
        {40, 3},
        {41, 1},
        {75, d->major},
        {76, d->minor},
        {81, d->shared_per_sm},
        {82, 65536},
        {83, 1},
        {88, 0},
        {89, 0},
        {95, 1},
        {97, d->shared_optin},
        {106, d->major == 7 && d->minor == 5 ? 16 : 32},
        {115, 1},
    };
    enum { LAST_ATTRIBUTE = 150 }; /* of the newest version, about: what is not there is 0 */

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].attribute == attribute) {
            *value = rows[i].value;
            return true;
        }
    *value = 0;
    return attribute > 0 && attribute <= LAST_ATTRIBUTE;
}

cuda_error_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    cudart_state_t *s = cudart_enter();

    if (device != 0)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE);
    return cudart_leave(s, attribute_value(the_device(s), attribute, value)
                               ? CUDA_SUCCESS
                               : CUDA_ERROR_INVALID_VALUE);
}

/* --- streams and events ---------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaStreamCreate(cuda_stream_t *stream);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags,
                                                        int priority);
CUDART_EXPORT cuda_error_t cudaEventCreate(void **event);
CUDART_EXPORT cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream,
                                                    unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventDestroy(void *event);

/* Streams are numbers: the first one is 1, the default stream 0. */
cuda_error_t cudaStreamCreate(cuda_stream_t *stream)
{
    static uintptr_t n_streams;
    cudart_state_t *s = cudart_enter();

    *stream = (cuda_stream_t)(++n_streams << 4); /* not the special handles 1 and 2 */
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}

cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    return cudaStreamCreate(stream);
}

cuda_error_t cudaEventCreate(void **event)
{
    *event = calloc(1, sizeof(struct timespec));
    return *event != NULL ? CUDA_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

cuda_error_t cudaEventRecord(void *event, cuda_stream_t stream)
{
    if (event == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cudart_capture_record(stream, event))
        clock_gettime(CLOCK_MONOTONIC, event);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end)
{
    const struct timespec *a = begin, *b = end;

    if (a == NULL || b == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

cuda_error_t cudaEventDestroy(void *event)
{
    free(event);
    return CUDA_SUCCESS;
}
