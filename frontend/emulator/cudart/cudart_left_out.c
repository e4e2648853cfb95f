/* Launches that the emulator does not support: left out if the user wants to go on without them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/exec/emu_probe.h"
#include "sim/core/alloc.h"

static struct {
    char **kernels; /* their names; owned */
    size_t n_kernels, capacity;
    uint64_t n_launches;
} left_out;

/* Remembers a kernel; false: it is known already. */
static bool is_new(const char *kernel)
{
    for (size_t i = 0; i < left_out.n_kernels; i++)
        if (strcmp(left_out.kernels[i], kernel) == 0)
            return false;
    rb_grow(&left_out.kernels, &left_out.capacity, left_out.n_kernels + 1,
            sizeof(*left_out.kernels));
    left_out.kernels[left_out.n_kernels++] = rb_strdup(kernel);
    return true;
}

bool cudart_left_out(const cudart_state_t *s, const emu_launch_t *l)
{
    rb_err_t err = {0};

    if (!s->skip_unsupported)
        return false;
    const rb_code_t rc = emu_probe(l, &err);
    if (rc == RB_OK)
        return false;
    if (rc != RB_TRACE)
        cudart_give_up("%s", err.text);
    left_out.n_launches++;
    if (is_new(l->kernel->name))
        fprintf(stderr, "rubato: launch %llu is left out: %s\n", (unsigned long long)s->n_launches,
                err.text);
    return true;
}

void cudart_left_out_end(void)
{
    if (left_out.n_launches > 0)
        fprintf(stderr,
                "rubato: launches left out: %llu, of kernels: %zu; the program's results may be "
                "wrong\n",
                (unsigned long long)left_out.n_launches, left_out.n_kernels);
    for (size_t i = 0; i < left_out.n_kernels; i++)
        free(left_out.kernels[i]);
    free(left_out.kernels);
    memset(&left_out, 0, sizeof(left_out));
}
