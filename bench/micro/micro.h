/*
 * Benchmarks of single parts: one function each, one line of output each.
 */
#ifndef RUBATO_BENCH_MICRO_H
#define RUBATO_BENCH_MICRO_H

#include <stdint.h>

/* The amount of work of one call; the driver divides by its time. */
typedef struct {
    uint64_t operations;
    uint64_t bytes; /* of input; 0: the benchmark has no input */
    uint64_t check; /* depends on all results, so nothing is optimised away */
} micro_result_t;

micro_result_t micro_wheel(void);
micro_result_t micro_cache_hit(void);
micro_result_t micro_cache_miss(void);
micro_result_t micro_xbar(void);
micro_result_t micro_generate(void);
micro_result_t micro_text_affine(void);
micro_result_t micro_text_lists(void);
micro_result_t micro_rbt_store(void);
micro_result_t micro_rbt_affine(void);
micro_result_t micro_rbt_lists(void);
micro_result_t micro_rbt_open(void);
micro_result_t micro_touch_streaming(void);
micro_result_t micro_touch_gather(void);
micro_result_t micro_touch_compute(void);
micro_result_t micro_profile_csv(void);

#endif
