/* Runtime calls that other runtime calls use. */
#ifndef RUBATO_CUDART_CALLS_H
#define RUBATO_CUDART_CALLS_H

#include "frontend/emulator/cudart/cudart_state.h"

CUDART_EXPORT cuda_error_t cudaMalloc(void **p, size_t n);
CUDART_EXPORT cuda_error_t cudaFree(void *p);
CUDART_EXPORT cuda_error_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n,
                                              size_t offset, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n,
                                                size_t offset, int kind);
CUDART_EXPORT cuda_error_t cudaEventRecord(void *event, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaStreamWaitEvent(cuda_stream_t stream, void *event, unsigned flags);
CUDART_EXPORT cuda_error_t cudaDeviceSetLimit(int limit, size_t value);
CUDART_EXPORT const char *cudaGetErrorName(cuda_error_t error);

/* Executes a launch, even if its stream is being captured. */
cuda_error_t cudart_launch(const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args,
                           size_t shared, cuda_stream_t stream, bool cooperative);

/* cudaGetExportTable() for a caller (an address in its code), which the message names.
 * (cudart_export.c) */
cuda_error_t cudart_export_table(const void **table, const void *uuid, const void *caller);

/* Allocates memory for a graph. It keeps its address until the program ends, even when freed. */
cuda_error_t cudart_keep_memory(void **p, size_t n);

#endif
