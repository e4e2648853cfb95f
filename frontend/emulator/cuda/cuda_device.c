/* The driver's calls about itself and the device. */
#include <stdio.h>
#include <string.h>

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_calls.h"

/* Hidden in this library: those of CUDA 12. */
CUDART_EXPORT cuda_error_t cudaDeviceGetAttribute(int *value, int attribute, int device);

CUDART_EXPORT cuda_error_t cuInit(unsigned flags);
CUDART_EXPORT cuda_error_t cuDriverGetVersion(int *version);
CUDART_EXPORT cuda_error_t cuDeviceGet(int *device, int ordinal);
CUDART_EXPORT cuda_error_t cuDeviceGetCount(int *n);
CUDART_EXPORT cuda_error_t cuDeviceGetName(char *name, int size, int device);
CUDART_EXPORT cuda_error_t cuDeviceGetUuid(void *uuid, int device);
CUDART_EXPORT cuda_error_t cuDeviceGetUuid_v2(void *uuid, int device);
CUDART_EXPORT cuda_error_t cuDeviceTotalMem_v2(size_t *bytes, int device);
CUDART_EXPORT cuda_error_t cuDeviceGetAttribute(int *value, int attribute, int device);
CUDART_EXPORT cuda_error_t cuDeviceComputeCapability(int *major, int *minor, int device);
CUDART_EXPORT cuda_error_t cuDeviceCanAccessPeer(int *can, int device, int peer);
CUDART_EXPORT cuda_error_t cuDeviceGetPCIBusId(char *id, int size, int device);
CUDART_EXPORT cuda_error_t cuDeviceGetByPCIBusId(int *device, const char *id);
CUDART_EXPORT cuda_error_t cuGetErrorName(cuda_error_t error, const char **name);
CUDART_EXPORT cuda_error_t cuGetErrorString(cuda_error_t error, const char **text);
CUDART_EXPORT cuda_error_t cuGetExportTable(const void **table, const void *uuid);
CUDART_EXPORT const char *cudaGetErrorString(cuda_error_t error);

cuda_error_t cuInit(unsigned flags)
{
    return cudart_leave(cudart_enter(), cudart_invalid_if(flags != 0));
}

cuda_error_t cuDriverGetVersion(int *version)
{
    enum { NEWEST = 13000 };

    if (version != NULL)
        *version = NEWEST;
    return cudart_invalid_if(version == NULL);
}

/* The error of a call about a device with a result. */
static cuda_error_t about_device(int device, const void *result)
{
    if (result == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

cuda_error_t cuDeviceGet(int *device, int ordinal)
{
    cuda_error_t e = about_device(ordinal, device);

    if (e == CUDA_SUCCESS)
        *device = 0;
    return e;
}

cuda_error_t cuDeviceGetCount(int *n)
{
    if (n != NULL)
        *n = 1;
    return cudart_invalid_if(n == NULL);
}

cuda_error_t cuDeviceGetName(char *name, int size, int device)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t e = about_device(device, name);

    if (e == CUDA_SUCCESS && size > 0)
        snprintf(name, (size_t)size, "%s", cudart_device(s)->name);
    return cudart_leave(s, e);
}

cuda_error_t cuDeviceGetUuid(void *uuid, int device)
{
    cuda_error_t e = about_device(device, uuid);

    if (e == CUDA_SUCCESS)
        memcpy(uuid, "rubato's only GPU", 16);
    return e;
}

cuda_error_t cuDeviceGetUuid_v2(void *uuid, int device)
{
    return cuDeviceGetUuid(uuid, device);
}

cuda_error_t cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t e = about_device(device, bytes);

    if (e == CUDA_SUCCESS)
        *bytes = cudart_device(s)->memory;
    return cudart_leave(s, e);
}

/* The numbers of attributes are those of the runtime. */
cuda_error_t cuDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { VIRTUAL_MEMORY = 102 }; /* unlike others, not an attribute of the runtime */
    cuda_error_t e = cudaDeviceGetAttribute(value, attribute, device);

    if (e == CUDA_SUCCESS && attribute == VIRTUAL_MEMORY)
        *value = 1;
    return e;
}

cuda_error_t cuDeviceComputeCapability(int *major, int *minor, int device)
{
    enum { MAJOR = 75, MINOR };
    cuda_error_t e = cudaDeviceGetAttribute(major, MAJOR, device);

    return e == CUDA_SUCCESS ? cudaDeviceGetAttribute(minor, MINOR, device) : e;
}

cuda_error_t cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    cuda_error_t e = about_device(device, can);

    if (e == CUDA_SUCCESS)
        *can = 0;
    return peer == 0 ? e : CUDA_ERROR_INVALID_DEVICE;
}

static const char bus_id[] = "0000:00:00.0";

cuda_error_t cuDeviceGetPCIBusId(char *id, int size, int device)
{
    cuda_error_t e = about_device(device, id);

    if (e == CUDA_SUCCESS && size > 0)
        snprintf(id, (size_t)size, "%s", bus_id);
    return e;
}

cuda_error_t cuDeviceGetByPCIBusId(int *device, const char *id)
{
    if (device == NULL || id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return strcmp(id, bus_id) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* --- errors ---------------------------------------------------------------------------------- */

static const struct {
    cuda_error_t error;
    const char *name, *text;
} error_texts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", NULL},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", NULL},
    {CUDA_ERROR_MEMORY_ALLOCATION, "CUDA_ERROR_OUT_OF_MEMORY", NULL},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", NULL},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", NULL},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", NULL},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", NULL},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", NULL},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT", NULL},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", NULL},
    {CUDA_ERROR_INVALID_PC, "CUDA_ERROR_INVALID_PC", NULL},
    {CUDA_ERROR_LAUNCH_FAILURE, "CUDA_ERROR_LAUNCH_FAILED", NULL},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", NULL},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", NULL},
    {CUDA_ERROR_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", NULL},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", NULL},
};

/* Index of an error; -1: unknown. */
static int find_error(cuda_error_t error)
{
    for (size_t i = 0; i < sizeof(error_texts) / sizeof(error_texts[0]); i++)
        if (error_texts[i].error == error)
            return (int)i;
    return -1;
}

cuda_error_t cuGetErrorName(cuda_error_t error, const char **name)
{
    int i = find_error(error);

    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *name = i >= 0 ? error_texts[i].name : NULL;
    return cudart_invalid_if(i < 0);
}

cuda_error_t cuGetErrorString(cuda_error_t error, const char **text)
{
    int i = find_error(error);

    if (text == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    if (i >= 0)
        *text = error_texts[i].text != NULL ? error_texts[i].text : cudaGetErrorString(error);
    return cudart_invalid_if(i < 0);
}

/* The tables that the runtime passes on; others are refused with a message. */
cuda_error_t cuGetExportTable(const void **table, const void *uuid)
{
    return cudart_export_table(table, uuid, __builtin_return_address(0));
}
