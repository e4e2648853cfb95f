/*
 * rubato_micro: nanoseconds per operation of the parts in which the run loop spends its time, and
 * the rate of the text reader. The best processor time of several calls counts, because
 * interference only adds time.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/micro/micro.h"

enum { CALLS = 5 };

static const struct {
    const char *name;
    micro_result_t (*run)(void);
} list[] = {
    {"wheel_add_pop", micro_wheel},
    {"cache_hit", micro_cache_hit},
    {"cache_miss_insert", micro_cache_miss},
    {"xbar_push_take", micro_xbar},
    {"generate_decoded", micro_generate},
    {"text_affine", micro_text_affine},
    {"text_address_lists", micro_text_lists},
    {"profile_csv", micro_profile_csv},
    {"rbt_store_lists", micro_rbt_store},
    {"rbt_affine", micro_rbt_affine},
    {"rbt_address_lists", micro_rbt_lists},
    {"rbt_open_100k", micro_rbt_open},
    {"touch_streaming", micro_touch_streaming},
    {"touch_gather", micro_touch_gather},
    {"touch_compute", micro_touch_compute},
};

static double now_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All without names on the command line. */
static bool is_wanted(const char *name, int argc, char **argv)
{
    bool wanted = argc <= 1;

    for (int i = 1; i < argc; i++)
        wanted |= strcmp(argv[i], name) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        micro_result_t r = {0};
        double best = 0;

        if (!is_wanted(list[i].name, argc, argv))
            continue;
        for (int call = 0; call < CALLS; call++) {
            double start = now_seconds();
            r = list[i].run();
            double seconds = now_seconds() - start;
            if (call == 0 || seconds < best)
                best = seconds;
        }
        printf("%-20s %8.2f ns/op  n=%" PRIu64, list[i].name, best * 1e9 / (double)r.operations,
               r.operations);
        if (r.bytes)
            printf("  %.0f MB/s", (double)r.bytes / best * 1e-6);
        printf("  check=%" PRIx64 "\n", r.check);
    }
    return 0;
}
