#include "frontend/sass/cudart/cudart_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"

/* Device pointers are host pointers: the range is reserved at a place that programs do not use. */
static const uint64_t device_base = 0x200000000000ull;
static const uint64_t device_bytes = 32ull << 30;
enum { PAGE_SHIFT = 21 }; /* a wild access faults where the hardware's would */

static cudart_state_t state = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static uint64_t number_from(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

static void start(cudart_state_t *s)
{
    rb_err_t err = {0};
    const char *timeout = getenv("RUBATO_TIMEOUT");

    s->started = true;
    s->arch = (uint32_t)number_from("RUBATO_ARCH");
    s->max_insts = number_from("RUBATO_MAX_INSTS");
    s->threads = (unsigned)number_from("RUBATO_THREADS");
    s->timeout = timeout != NULL ? strtod(timeout, NULL) : 0;
    if (emu_mem_init(&s->mem, device_base, device_bytes, PAGE_SHIFT, true, &err) != RB_OK)
        cudart_give_up("%s", err.text);
    /*
     * As on a GPU, something of the driver's stands before the first allocation: programs that read
     * a little before their arrays work there.
     */
    if (emu_mem_alloc(&s->mem, (1u << PAGE_SHIFT) - EMU_ALLOC_BYTES) == 0)
        cudart_give_up("no device memory");
    cudart_record_start(s);
}

cudart_state_t *cudart_enter(void)
{
    pthread_mutex_lock(&state.lock);
    if (!state.started)
        start(&state);
    return &state;
}

cuda_error_t cudart_leave(cudart_state_t *s, cuda_error_t error)
{
    if (s->sticky != CUDA_SUCCESS)
        error = s->sticky;
    if (error != CUDA_SUCCESS)
        s->last = error;
    pthread_mutex_unlock(&s->lock);
    return error;
}

bool cudart_is_device(const cudart_state_t *s, const void *p)
{
    return (uint64_t)(uintptr_t)p - s->mem.base < s->mem.bytes;
}

/* --- modules --------------------------------------------------------------------------------- */

/* The image for an architecture: the same, or the newest before it of the same generation. */
static const fatbin_image_t *image_for(const fatbin_t *f, uint32_t arch)
{
    const fatbin_image_t *best = NULL;

    for (uint32_t i = 0; i < f->n_images; i++) {
        const fatbin_image_t *image = &f->images[i];
        if (image->arch <= arch && image->arch / 10 == arch / 10 &&
            (best == NULL || image->arch > best->arch))
            best = image;
    }
    return best;
}

/*
 * What was asked for; or Turing if the program has code for it, or Volta: its code runs on Turing
 * too, but was made for the other.
 */
static void decide_arch(cudart_state_t *s, const fatbin_t *f)
{
    const fatbin_image_t *newest = image_for(f, 75);

    if (s->arch == 0)
        s->arch = newest != NULL && newest->arch < 75 ? 70 : 75;
}

static void open_unit(cudart_unit_t *u)
{
    rb_err_t err = {0};
    const uint8_t *data = u->wrapper->data;

    if (u->opened)
        return;
    u->opened = true;
    if (fatbin_open(&u->fatbin, "the program", data, fatbin_container_bytes(data), 0, &err) !=
        RB_OK)
        cudart_give_up("%s", err.text);
}

uint32_t cudart_arch(cudart_state_t *s)
{
    for (size_t i = 0; i < s->n_units && s->arch == 0; i++) {
        open_unit(s->units[i]);
        if (s->units[i]->fatbin.n_images > 0)
            decide_arch(s, &s->units[i]->fatbin);
    }
    return s->arch != 0 ? s->arch : 75;
}

static void load_unit(cudart_state_t *s, cudart_unit_t *u)
{
    rb_err_t err = {0};

    if (u->loaded)
        return;
    open_unit(u);
    decide_arch(s, &u->fatbin);
    const fatbin_image_t *image = image_for(&u->fatbin, s->arch);
    if (image == NULL)
        cudart_give_up("the program has no machine code for sm_%u; compile it with nvcc "
                       "-arch=sm_%u, or choose another architecture with --arch",
                       s->arch, s->arch);
    if (emu_module_open(&u->module, &s->mem, "the program", image->data, image->size, &err) !=
        RB_OK)
        cudart_give_up("%s", err.text);
    u->loaded = true;
}

const emu_module_t *cudart_unit_module(cudart_state_t *s, cudart_unit_t *unit)
{
    load_unit(s, unit);
    return &unit->module;
}

const cubin_kernel_t *cudart_kernel(cudart_state_t *s, const void *host, cudart_unit_t **unit)
{
    for (size_t i = 0; i < s->n_functions; i++)
        if (s->functions[i].host == host) {
            load_unit(s, s->functions[i].unit);
            *unit = s->functions[i].unit;
            return cubin_find(&(*unit)->module.cubin, s->functions[i].name);
        }
    return NULL;
}

bool cudart_symbol(cudart_state_t *s, const void *host, uint64_t *addr, uint8_t **constant,
                   uint64_t *bytes)
{
    for (size_t i = 0; i < s->n_variables; i++)
        if (s->variables[i].host == host) {
            load_unit(s, s->variables[i].unit);
            return emu_module_variable(&s->variables[i].unit->module, s->variables[i].name, addr,
                                       constant, bytes);
        }
    return false;
}

/* --- registration: called by the constructors that nvcc puts into the program ------------------
 */

CUDART_EXPORT void **__cudaRegisterFatBinary(const cuda_fatbin_wrapper_t *wrapper);
CUDART_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
CUDART_EXPORT void __cudaUnregisterFatBinary(void **handle);
CUDART_EXPORT char __cudaInitModule(void **handle);
CUDART_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                          const char *name, int threads, void *tid, void *bid,
                                          void *block, void *grid, int *warp_size);
CUDART_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global);
CUDART_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
CUDART_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                            const char *name, int ext, size_t size, int constant,
                                            int global);

void **__cudaRegisterFatBinary(const cuda_fatbin_wrapper_t *wrapper)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *u = rb_calloc(1, sizeof(*u));

    u->wrapper = wrapper;
    rb_grow(&s->units, &s->cap_units, s->n_units + 1, sizeof(*s->units));
    s->units[s->n_units++] = u;
    cudart_leave(s, CUDA_SUCCESS);
    return (void **)u;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* The program is about to end; what it had is freed with it. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

/* Gives the managed variables of a unit their addresses, before main() uses them. */
char __cudaInitModule(void **handle)
{
    cudart_state_t *s = cudart_enter();

    for (size_t i = 0; i < s->n_variables; i++) {
        cudart_variable_t *v = &s->variables[i];
        uint64_t addr = 0, bytes;
        uint8_t *constant;
        if (v->managed == NULL || v->unit != (cudart_unit_t *)handle)
            continue;
        load_unit(s, v->unit);
        if (emu_module_variable(&v->unit->module, v->name, &addr, &constant, &bytes))
            *v->managed = (void *)(uintptr_t)addr;
    }
    cudart_leave(s, CUDA_SUCCESS);
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid,
                            int *warp_size)
{
    cudart_state_t *s = cudart_enter();

    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    rb_grow(&s->functions, &s->cap_functions, s->n_functions + 1, sizeof(*s->functions));
    s->functions[s->n_functions++] =
        (cudart_function_t){.host = host, .name = name, .unit = (cudart_unit_t *)handle};
    cudart_leave(s, CUDA_SUCCESS);
}

static void register_variable(void **handle, const void *host, const char *name, void **managed)
{
    cudart_state_t *s = cudart_enter();

    rb_grow(&s->variables, &s->cap_variables, s->n_variables + 1, sizeof(*s->variables));
    s->variables[s->n_variables++] = (cudart_variable_t){
        .host = host, .name = name, .unit = (cudart_unit_t *)handle, .managed = managed};
    cudart_leave(s, CUDA_SUCCESS);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(handle, host, name, NULL);
}

/* A variable of the host that kernels may use by name: none of their machine code can. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(handle, host, name, host);
}
