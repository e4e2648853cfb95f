/* What other files use of launches. */
#ifndef RUBATO_CUDA_LAUNCH_H
#define RUBATO_CUDA_LAUNCH_H

#include "frontend/emulator/cuda/cuda_api.h"

/* Keys in the list extra: the buffer of all parameters, and a pointer to its size (size_t). */
enum { CUDA_LAUNCH_BUFFER = 1, CUDA_LAUNCH_BYTES = 2 };

CUDART_EXPORT cuda_error_t cuLaunchKernel(const cudart_function_t *f, unsigned gx, unsigned gy,
                                          unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                          unsigned shared, cuda_stream_t stream, void **args,
                                          void **extra);

#endif
