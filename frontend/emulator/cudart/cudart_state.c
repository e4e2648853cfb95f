#include "frontend/emulator/cudart/cudart_state.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Device pointers are host pointers: this range is reserved at addresses that programs do not
 * use. */
static const uint64_t device_base = 0x200000000000ull;
static const uint64_t host_bytes = 32ull << 30; /* in addition to the card's memory: pinned,
                                                 * managed */
enum { PAGE_SHIFT = 21 }; /* hardware page size: wild accesses fault as on hardware */

static cudart_state_t state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t number_from(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* Reserves room for the memory of any GPU, which is chosen later. */
static uint64_t range_bytes(const cudart_state_t *s)
{
    uint64_t most = 0, page = 1ull << PAGE_SHIFT;

    for (unsigned i = 0; i < SHOWN_DEVICE_ARCHS; i++)
        most = s->shown[i].memory > most ? s->shown[i].memory : most;
    return (most + page - 1) / page * page + host_bytes;
}

void cudart_limits_reset(cudart_state_t *s)
{
    static const size_t defaults[CUDART_LIMITS] = {[CUDART_LIMIT_STACK] = 1 << 10,
                                                   [CUDART_LIMIT_PRINTF] = 1 << 20,
                                                   [CUDART_LIMIT_HEAP] = 8 << 20,
                                                   [CUDART_LIMIT_FETCH] = 64};

    for (unsigned i = 0; i < CUDART_LIMITS; i++)
        s->limits[i] = defaults[i];
    s->printed = s->allocated = false;
}

static void start(cudart_state_t *s)
{
    rb_err_t err = {0};
    const char *timeout = getenv("RUBATO_TIMEOUT");

    s->started = true;
    cudart_limits_reset(s);
    cudart_code_start(s);
    s->max_insts = number_from("RUBATO_MAX_INSTS");
    s->threads = (unsigned)number_from("RUBATO_THREADS");
    s->tmpdir = getenv("RUBATO_TMPDIR");
    s->skip_unsupported = getenv("RUBATO_SKIP_UNSUPPORTED") != NULL;
    s->timeout = timeout != NULL ? strtod(timeout, NULL) : 0;
    if (emu_mem_init(&s->mem, device_base, range_bytes(s), PAGE_SHIFT, true, &err) != RB_OK)
        cudart_give_up("%s", err.text);
    /*
     * On a GPU, some of the driver's memory precedes the first allocation, so programs that read
     * slightly before their arrays work there.
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
    state.n_calls++;
    return &state;
}

cuda_error_t cudart_leave(cudart_state_t *s, cuda_error_t error)
{
    if (s->mem.refused != 0) /* not a matter of the card's memory */
        cudart_give_up("the host has no addresses for device memory (ulimit -v?): %s",
                       strerror(s->mem.refused));
    if (s->sticky != CUDA_SUCCESS)
        error = s->sticky;
    if (error != CUDA_SUCCESS)
        s->last = s->failed = error;
    pthread_mutex_unlock(&s->lock);
    return error;
}

bool cudart_is_device(const cudart_state_t *s, const void *p)
{
    return (uint64_t)(uintptr_t)p - s->mem.base < s->mem.bytes;
}

uint64_t cudart_alloc(cudart_state_t *s, uint64_t n)
{
    s->mem.limit = cudart_device(s)->memory;
    return emu_mem_alloc(&s->mem, n);
}

/* --- what the program has registered ------------------------------------------------------------
 */

bool cudart_symbol(cudart_state_t *s, const void *host, emu_variable_t *v)
{
    for (size_t i = 0; i < s->n_variables; i++)
        if (s->variables[i].host == host)
            return emu_module_variable(cudart_unit_module(s, s->variables[i].unit),
                                       s->variables[i].name, v);
    return false;
}
