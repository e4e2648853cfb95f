/*
 * What the shim knows of the program: its device memory, modules, kernels, variables, and the
 * error that it has not been told yet. One lock guards all of it; kernels run under it, one after
 * the other.
 */
#ifndef RUBATO_CUDART_STATE_H
#define RUBATO_CUDART_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "frontend/emulator/cudart/cudart_api.h"
#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/record/shown_device.h"
#include "frontend/emulator/sass/fatbin.h"

/* Exit status of the program when the shim itself cannot go on. */
enum { CUDART_EXIT = 125 };

/* A fat binary of the program, loaded when something of it is first used. */
typedef struct {
    const cuda_fatbin_wrapper_t *wrapper;
    fatbin_t listed; /* what there is: no images */
    fatbin_t fatbin; /* the image that is executed */
    emu_module_t module;
    bool opened, loaded;
} cudart_unit_t;

typedef struct {
    const void *host; /* the host stub's address */
    const char *name; /* mangled */
    cudart_unit_t *unit;
} cudart_function_t;

typedef struct {
    const void *host; /* the host shadow's address */
    const char *name;
    cudart_unit_t *unit;
    void **managed; /* where the host keeps the pointer of a __managed__ variable, or NULL */
} cudart_variable_t;

/* A texture or surface reference. */
typedef struct {
    const void *host; /* the host's structure */
    const char *name;
    cudart_unit_t *unit;
    bool as_float; /* texels are read as fractions */
} cudart_reference_t;

typedef struct {
    pthread_mutex_t lock;
    bool started;
    emu_mem_t mem;
    uint32_t arch;            /* whose machine code is executed; 0: not decided */
    shown_device_t shown[2];  /* to programs of Volta code, of Turing code; sms 0: not said */
    const char *no_device[2]; /* why there is none, or NULL */
    uint64_t max_insts;       /* of a launch; 0: no limit */
    double timeout;           /* seconds of the host for a launch; 0: no limit */
    unsigned threads; /* that execute the blocks of launches if nothing is recorded; 0: one */
    cudart_unit_t **units;
    size_t n_units, cap_units;
    cudart_function_t *functions;
    size_t n_functions, cap_functions;
    cudart_variable_t *variables;
    size_t n_variables, cap_variables;
    cudart_reference_t *references;
    size_t n_references, cap_references;
    cuda_error_t last, sticky;
    cuda_error_t failed; /* the last one, also if it was asked for */
    uint64_t n_launches;
} cudart_state_t;

/* Prints a message (NULL: none) and ends the program with CUDART_EXIT. (cudart_errors.c) */
_Noreturn void cudart_give_up(const char *format, ...) RB_PRINTF(1, 2);

/* The state, locked, started at the first call. */
cudart_state_t *cudart_enter(void);

/* Unlocks; notes error as the last one; returns it. */
cuda_error_t cudart_leave(cudart_state_t *s, cuda_error_t error);

/* The error of a call whose parameters are wrong, if they are. */
static inline cuda_error_t cudart_invalid_if(bool wrong)
{
    return wrong ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* The kernel behind a host stub: its module is loaded. NULL: there is none. */
const cubin_kernel_t *cudart_kernel(cudart_state_t *s, const void *host, cudart_unit_t **unit);

/* Where a variable is: device address, or bytes of constant memory. False: unknown. */
bool cudart_symbol(cudart_state_t *s, const void *host, uint64_t *addr, uint8_t **constant,
                   uint64_t *bytes);

/* --- which machine code, on which GPU (cudart_code.c) ---------------------------------------- */

/* What rubato says of both in the environment; called once. */
void cudart_code_start(cudart_state_t *s);

/* The architecture whose machine code is executed, decided now if it was not: 70, 75. */
uint32_t cudart_arch(cudart_state_t *s);

/* The GPU that the program is shown. */
const shown_device_t *cudart_device(cudart_state_t *s);

/* The module of a unit, loaded. */
const emu_module_t *cudart_unit_module(cudart_state_t *s, cudart_unit_t *unit);

/* Whether an address is in simulated device memory. */
bool cudart_is_device(const cudart_state_t *s, const void *p);

/* Whether n bytes at p can be touched: anything of the host, legal pages of the device. */
bool cudart_legal(const cudart_state_t *s, const void *p, size_t n, bool must_be_device);

/* Copies n bytes, and notes it for the trace; kind as cudaMemcpy() has it. */
cuda_error_t cudart_copy(cudart_state_t *s, void *to, const void *from, size_t n, int kind);

/* emu_mem_alloc() of as much memory as the GPU has. */
uint64_t cudart_alloc(cudart_state_t *s, uint64_t n);

/* --- what is recorded (cudart_record.c) ------------------------------------------------------ */

/* Opens what the environment asks for; called once. */
void cudart_record_start(cudart_state_t *s);

/* A copy to the device. */
void cudart_record_copy(uint64_t addr, uint64_t bytes);

/* Executes launch number s->n_launches, recorded or not. */
rb_code_t cudart_record_run(cudart_state_t *s, emu_launch_t *l, uint64_t stream,
                            emu_totals_t *totals, rb_err_t *err);

#endif
