#include "frontend/emulator/cudart/cudart_context.h"

#include <stdatomic.h>

#include "sim/core/alloc.h"

enum { MAX_STACK = 64 };

static __thread struct {
    cudart_context_t *contexts[MAX_STACK];
    unsigned n;
} stack;

cudart_context_t *cudart_primary_context(void)
{
    static cudart_context_t primary = {.number = 1};

    return &primary;
}

cudart_context_t *cudart_new_context(unsigned flags)
{
    static atomic_uint_fast64_t last = 1;
    cudart_context_t *context = rb_calloc(1, sizeof(*context));

    *context = (cudart_context_t){.number = atomic_fetch_add(&last, 1) + 1, .flags = flags};
    return context;
}

cudart_context_t *cudart_top_context(void)
{
    return stack.n > 0 ? stack.contexts[stack.n - 1] : NULL;
}

cudart_context_t *cudart_context(void)
{
    cudart_context_t *top = cudart_top_context();

    return top != NULL ? top : cudart_primary_context();
}

bool cudart_push_context(cudart_context_t *context)
{
    if (stack.n == MAX_STACK)
        return false;
    stack.contexts[stack.n++] = context;
    return true;
}

cudart_context_t *cudart_pop_context(void)
{
    return stack.n > 0 ? stack.contexts[--stack.n] : NULL;
}

cudart_state_t *cudart_enter_context(void)
{
    if (stack.n == 0)
        cudart_push_context(cudart_primary_context());
    return cudart_enter();
}
