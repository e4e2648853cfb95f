#include "frontend/emulator/cuda/cuda_jit.h"

#include <string.h>

/* cuda.h: CUjit_option */
enum {
    MAX_REGISTERS,
    THREADS_PER_BLOCK,
    WALL_TIME,
    INFO_BUFFER,
    INFO_BYTES,
    ERROR_BUFFER,
    ERROR_BYTES,
    LEVEL,
    DEBUG_INFO = 11,
    LINE_INFO = 13,
};

bool cuda_jit_read(cuda_jit_t *j, unsigned n, const int *options, void **values)
{
    *j = (cuda_jit_t){0};
    if (n > 0 && (options == NULL || values == NULL))
        return false;
    for (unsigned i = 0; i < n; i++) {
        const unsigned number = (unsigned)(uintptr_t)values[i];
        switch (options[i]) {
        case MAX_REGISTERS:
            j->ptx.max_regs = number;
            break;
        case LEVEL:
            j->ptx.level = number <= 4 ? number + 1 : 0;
            break;
        case DEBUG_INFO:
            j->ptx.debug = number != 0;
            break;
        case LINE_INFO:
            j->ptx.line_info = number != 0;
            break;
        case INFO_BUFFER:
        case ERROR_BUFFER:
            j->log[options[i] == ERROR_BUFFER] = values[i];
            break;
        case INFO_BYTES:
        case ERROR_BYTES:
            j->log_bytes[options[i] == ERROR_BYTES] = number;
            j->filled[options[i] == ERROR_BYTES] = &values[i];
            break;
        default: /* the others do not change results */
            break;
        }
    }
    return true;
}

void cuda_jit_log(const cuda_jit_t *j, const char *text)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *shown = i == 1 ? text : "";
        if (j->log[i] == NULL || j->log_bytes[i] == 0)
            continue;
        const size_t length = strlen(shown), room = j->log_bytes[i] - 1;
        const size_t kept = length < room ? length : room;
        memcpy(j->log[i], shown, kept);
        j->log[i][kept] = '\0';
        if (j->filled[i] != NULL)
            *j->filled[i] = (void *)(uintptr_t)kept;
    }
}

cuda_error_t cuda_jit_error(rb_code_t rc, const rb_err_t *err)
{
    if (rc == RB_OK)
        return CUDA_SUCCESS;
    if (rc != RB_TRACE)
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    return strstr(err->text, "nsupported .version") != NULL ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                                                            : CUDA_ERROR_INVALID_PTX;
}
