/*
 * The library's state for the program: its device memory, modules, kernels, variables, and the
 * pending error. One lock guards all of it; kernels run with the lock held, one after another.
 */
#ifndef RUBATO_CUDART_STATE_H
#define RUBATO_CUDART_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "frontend/emulator/cudart/cudart_api.h"
#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/ptx/ptx_compile.h"
#include "frontend/emulator/record/shown_device.h"
#include "frontend/emulator/sass/fatbin.h"

/* Exit status of the program when this library cannot continue. */
enum { CUDART_EXIT = 125 };

/* A fat binary of the program, loaded when something in it is first used. */
typedef struct {
    const cuda_fatbin_wrapper_t *wrapper;
    fatbin_t listed;   /* all architectures; images are not loaded */
    fatbin_t fatbin;   /* the image to execute */
    ptx_options_t jit; /* how PTX is compiled, if there is no machine code */
    uint8_t *compiled; /* owned; the result, or NULL */
    emu_module_t module;
    bool opened, loaded;
} cudart_unit_t;

/* A kernel; its address is the program's handle (cudaFunction_t). */
typedef struct {
    const char *name; /* mangled */
    cudart_unit_t *unit;
    const cubin_kernel_t *kernel; /* NULL: not looked up, or not in the unit */
} cudart_function_t;

typedef struct {
    const void *host; /* address of the host shadow variable */
    const char *name;
    cudart_unit_t *unit;
    void **managed; /* the host's pointer to a __managed__ variable, or NULL */
} cudart_variable_t;

/* A texture or surface reference. */
typedef struct {
    const void *host; /* the host's structure */
    const char *name;
    cudart_unit_t *unit;
    bool as_float; /* integers are read as fractions */
} cudart_reference_t;

/* Limits that a program sets (cudart_limit.c), by enum cudaLimit. */
enum {
    CUDART_LIMIT_STACK,
    CUDART_LIMIT_PRINTF,
    CUDART_LIMIT_HEAP,
    CUDART_LIMIT_SYNC_DEPTH,
    CUDART_LIMIT_PENDING,
    CUDART_LIMIT_FETCH,
    CUDART_LIMIT_PERSISTING,
    CUDART_LIMITS
};

typedef struct {
    pthread_mutex_t lock;
    bool started;
    emu_mem_t mem;
    uint32_t arch; /* architecture of the executed machine code; 0: not decided */
    /* For code of each architecture of shown_device_archs; sms is 0 if not set. */
    shown_device_t shown[SHOWN_DEVICE_ARCHS];
    const char *no_device[SHOWN_DEVICE_ARCHS]; /* why there is none, or NULL */
    uint64_t max_insts;                        /* limit per launch; 0: none */
    const char *tmpdir;                        /* NULL: $TMPDIR or /tmp; of the environment */
    double timeout;                            /* limit per launch in host seconds; 0: none */
    bool skip_unsupported;                     /* launches that cannot be emulated are left out */
    unsigned threads; /* threads that execute blocks of launches if nothing is recorded; 0: one */
    cudart_unit_t **units;
    size_t n_units, cap_units;
    cudart_variable_t *variables;
    size_t n_variables, cap_variables;
    cudart_reference_t *references;
    size_t n_references, cap_references;
    cuda_error_t last, sticky;
    cuda_error_t failed; /* the last error, kept even after the program asked for it */
    size_t limits[CUDART_LIMITS];
    bool printed, allocated; /* a kernel has called printf(); malloc() or free() */
    uint64_t n_launches;
    uint64_t n_calls; /* of the program */
} cudart_state_t;

/* Prints a message (NULL: none) and ends the program with CUDART_EXIT. (cudart_errors.c) */
_Noreturn void cudart_give_up(const char *format, ...) RB_PRINTF(1, 2);

/*
 * libcuda.so.1 holds the state and nearly all functions; the libcudart.so.* hold what depends on
 * the version of the runtime. What those use is exported, too.
 */

/* Locks and returns the state; the first call initialises it. */
CUDART_EXPORT cudart_state_t *cudart_enter(void);

/* The same for calls of the runtime that need a context: makes the primary context current if the
 * calling thread has none. (cudart_context.c) */
CUDART_EXPORT cudart_state_t *cudart_enter_context(void);

/* Unlocks, stores error as the last one, and returns it. */
CUDART_EXPORT cuda_error_t cudart_leave(cudart_state_t *s, cuda_error_t error);

/* Stores the error of a call that has not entered, and returns it. */
static inline cuda_error_t cudart_fail(cuda_error_t error)
{
    return cudart_leave(cudart_enter(), error);
}

/* The error code for invalid parameters, if wrong. */
static inline cuda_error_t cudart_invalid_if(bool wrong)
{
    return wrong ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* The same for the result of a call that has not entered. */
static inline cuda_error_t cudart_fail_if(bool wrong)
{
    return wrong ? cudart_fail(CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

/* Sets the limits to CUDA's defaults. */
void cudart_limits_reset(cudart_state_t *s);

/* --- kernels (cudart_functions.c); the state is locked --------------------------------------- */

/* Registers a kernel of a unit by the address of its host stub (NULL: it has none). The name must
 * stay. */
cudart_function_t *cudart_function_add(const void *host, const char *name, cudart_unit_t *unit);

/* The kernel of a host stub or handle. NULL: unknown. */
cudart_function_t *cudart_function(const void *host);

/* The same, with its unit and its code; loads its module. NULL: unknown. */
const cubin_kernel_t *cudart_kernel(cudart_state_t *s, const void *host, cudart_unit_t **unit);

/* --------------------------------------------------------------------------------------------- */

/* The variable of a host symbol. False: unknown. */
bool cudart_symbol(cudart_state_t *s, const void *host, emu_variable_t *v);

/* --- which machine code, on which GPU (cudart_code.c) ---------------------------------------- */

/* Reads the environment's settings of both; called once. */
void cudart_code_start(cudart_state_t *s);

/* The architecture of the executed machine code, 70, 75, 80 to 89; the first call decides. */
uint32_t cudart_arch(cudart_state_t *s);

/* The emulated GPU. */
CUDART_EXPORT const shown_device_t *cudart_device(cudart_state_t *s);

/* Adds a unit, which stays unless it is removed; wrapper and its fat binary must stay. */
cudart_unit_t *cudart_unit_add(cudart_state_t *s, const cuda_fatbin_wrapper_t *wrapper);

/* Removes the unit that was added last and is not loaded, and frees it. */
void cudart_unit_remove(cudart_state_t *s);

/* Whether a unit has machine code that the GPU executes, or PTX. */
bool cudart_unit_fits(cudart_state_t *s, cudart_unit_t *unit);

/* Whether a unit that fits has only PTX for the GPU, which is compiled when it is loaded. */
bool cudart_unit_compiles(cudart_state_t *s, cudart_unit_t *unit);

/* Loads a unit that fits. Errors: RB_TRACE if its code or PTX is damaged, RB_IO if PTX cannot be
 * compiled here. */
RB_CHECKED rb_code_t cudart_unit_load(cudart_state_t *s, cudart_unit_t *unit, rb_err_t *err);

/* The module of a unit; loads it. */
const emu_module_t *cudart_unit_module(cudart_state_t *s, cudart_unit_t *unit);

/* Whether an address is in simulated device memory. */
bool cudart_is_device(const cudart_state_t *s, const void *p);

/* Whether n bytes at p are accessible: any host memory, or legal pages of the device. */
bool cudart_legal(const cudart_state_t *s, const void *p, size_t n, bool must_be_device);

/* Copies n bytes and records the copy in the trace; kind as in cudaMemcpy(). */
cuda_error_t cudart_copy(cudart_state_t *s, void *to, const void *from, size_t n, int kind);

/* Like emu_mem_alloc(), limited to the memory of the GPU. */
uint64_t cudart_alloc(cudart_state_t *s, uint64_t n);

/* --- what is not supported (cudart_left_out.c) ------------------------------------------------ */

/*
 * Whether a launch is left out because the user goes on without launches that cannot be emulated;
 * names the first one of each kernel on standard error.
 */
bool cudart_left_out(const cudart_state_t *s, const emu_launch_t *l);

/* Says how many launches were left out. */
void cudart_left_out_end(void);

/* --- what is recorded (cudart_record.c) ------------------------------------------------------ */

/* Opens the outputs that the environment requests; called once. */
void cudart_record_start(cudart_state_t *s);

/* Records a copy to the device. */
void cudart_record_copy(uint64_t addr, uint64_t bytes);

/* Executes launch number s->n_launches, and records it if selected; or leaves it out. */
rb_code_t cudart_record_run(cudart_state_t *s, emu_launch_t *l, uint64_t stream,
                            emu_totals_t *totals, rb_err_t *err);

#endif
