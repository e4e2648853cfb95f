/* Options of the translation of PTX (CUjit_option), which loading and linking have in common. */
#ifndef RUBATO_CUDA_JIT_H
#define RUBATO_CUDA_JIT_H

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/ptx/ptx_compile.h"

typedef struct {
    ptx_options_t ptx;
    char *log[2];        /* the program's buffers for information and for errors; NULL: none */
    size_t log_bytes[2]; /* their sizes */
    void **filled[2];    /* where the program wants to know how much of them is filled, or NULL */
} cuda_jit_t;

/* Reads n options. False: a list is missing. The lists must stay until cuda_jit_log() if it shall
 * say how much is filled. */
bool cuda_jit_read(cuda_jit_t *j, unsigned n, const int *options, void **values);

/* Puts a text into the buffer for errors, and nothing into the other one. */
void cuda_jit_log(const cuda_jit_t *j, const char *text);

/* The driver's code for a failed translation. */
cuda_error_t cuda_jit_error(rb_code_t rc, const rb_err_t *err);

#endif
