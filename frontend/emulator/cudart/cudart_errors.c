/* Names and texts of CUDA errors, and how the program ends if the runtime cannot continue. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "frontend/emulator/cudart/cudart_calls.h"

CUDART_EXPORT const char *cudaGetErrorString(cuda_error_t error);

static const struct {
    cuda_error_t error;
    const char *name, *text;
} error_texts[] = {
    {CUDA_SUCCESS, "cudaSuccess", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CUDA_ERROR_MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory"},
    {CUDA_ERROR_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {CUDA_ERROR_INVALID_PITCH, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {CUDA_ERROR_INVALID_SYMBOL, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {CUDA_ERROR_INVALID_DEVICE_POINTER, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {CUDA_ERROR_INVALID_TEXTURE, "cudaErrorInvalidTexture", "invalid texture reference"},
    {CUDA_ERROR_INVALID_DIRECTION, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {CUDA_ERROR_INVALID_SURFACE, "cudaErrorInvalidSurface", "invalid surface reference"},
    {CUDA_ERROR_INVALID_DEVICE_FUNCTION, "cudaErrorInvalidDeviceFunction",
     "invalid device function"},
    {CUDA_ERROR_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {CUDA_ERROR_UNSUPPORTED_LIMIT, "cudaErrorUnsupportedLimit",
     "limit is not supported on this architecture"},
    {CUDA_ERROR_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {CUDA_ERROR_ASSERT, "cudaErrorAssert", "device-side assert triggered"},
    {CUDA_ERROR_ALREADY_REGISTERED, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_NOT_REGISTERED, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
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

void cudart_give_up(const char *format, ...)
{
    va_list ap;

    fflush(NULL);
    if (format != NULL) {
        fprintf(stderr, "rubato: ");
        va_start(ap, format);
        vfprintf(stderr, format, ap);
        va_end(ap);
        fprintf(stderr, "\n");
    }
    _exit(CUDART_EXIT);
}
