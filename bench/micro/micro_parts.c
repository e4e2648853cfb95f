#include <stdlib.h>

#include "bench/micro/micro.h"
#include "sim/core/engine/engine.h"
#include "sim/core/engine/wheel.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/cache/replacement.h"
#include "sim/parts/xbar.h"
#include "tests/support/trace/synth.h"

/* Delays like those of a GPU: mostly short, some of a memory access, few long ones. */
static uint32_t gpu_delay(uint64_t r)
{
    if (r % 64 == 0)
        return 10000 + (uint32_t)(r >> 8) % 20000;
    return r % 8 == 0 ? 200 + (uint32_t)(r >> 8) % 600 : 1 + (uint32_t)(r >> 8) % 32;
}

micro_result_t micro_wheel(void)
{
    enum { PENDING = 1000, OPERATIONS = 1000000 };
    micro_result_t r = {.operations = OPERATIONS};
    wheel_t w;
    cycle_t at = 0;
    uint32_t payload = 0;

    wheel_init(&w);
    for (uint32_t i = 0; i < PENDING; i++)
        wheel_add(&w, gpu_delay(synth_mix(i)), i);
    for (uint64_t i = 0; i < OPERATIONS; i++) {
        (void)wheel_pop(&w, CYCLE_NEVER, &at, &payload);
        r.check += at ^ payload;
        wheel_add(&w, at + gpu_delay(synth_mix(i)), payload);
    }
    wheel_free(&w);
    return r;
}

enum { CACHE_SETS = 32, CACHE_WAYS = 24, CACHE_OPERATIONS = 1000000 };

/* Accesses random lines among this many; absent ones are inserted. */
static micro_result_t cache_run(uint64_t lines)
{
    micro_result_t r = {.operations = CACHE_OPERATIONS};
    cache_t *c = cache_create(CACHE_SETS, CACHE_WAYS, LINE_BYTES, REPLACEMENT_LRU, true, true);

    for (uint64_t i = 0; i < CACHE_OPERATIONS; i++) {
        uint64_t line = synth_mix(i) % lines * LINE_BYTES;
        cache_tag_t *found = cache_lookup(c, line, true);

        if (!found) {
            cache_line_t victim;
            bool evicted = false;

            found = cache_insert(c, line, &victim, &evicted);
            cache_tag_fill(found, 15);
            r.check++;
        }
        r.check += cache_tag_valid(found);
    }
    cache_destroy(c);
    return r;
}

micro_result_t micro_cache_hit(void)
{
    return cache_run(CACHE_SETS * CACHE_WAYS / 2);
}

micro_result_t micro_cache_miss(void)
{
    return cache_run((uint64_t)CACHE_SETS * CACHE_WAYS * 64);
}

/* A receiver with the senders of a V100 slice: packets pushed, then taken by the arbiter. */
micro_result_t micro_xbar(void)
{
    enum { SENDERS = 80, ROUNDS = 10000, BURST = 64 };
    micro_result_t r = {.operations = (uint64_t)ROUNDS * BURST};
    xbar_in_t in;
    msg_pool_t pool = {0};
    cycle_t now = 0;

    /* Perfect: no credits are sent back, so no engine is needed. */
    xbar_in_init(&in, &pool, SENDERS, 1, true, 0, 60, 8);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        for (uint64_t k = 0; k < BURST; k++) {
            msg_t m = {.kind = MSG_MEM_REQUEST,
                       .flits = 1,
                       .input = (uint16_t)(synth_mix(i * BURST + k) % SENDERS)};
            xbar_in_push(&in, msg_pool_put(&pool, &m));
        }
        while (xbar_in_ready(&in, now)) {
            uint32_t n = xbar_in_take(&in, NULL, now);
            r.check += msg_pool_at(&pool, n)->msg.input;
            msg_pool_free(&pool, n);
        }
        now++;
    }
    msg_pool_destroy(&pool);
    xbar_in_free(&in);
    return r;
}
