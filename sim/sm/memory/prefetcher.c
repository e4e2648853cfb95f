#include "sim/sm/memory/prefetcher.h"
#include "sim/sm/memory/prefetcher_state.h"

#define CHOICE_(NAME, name, words, help) {#name, help},
const param_choice_t prefetcher_choices[] = {PREFETCHERS(CHOICE_){NULL, NULL}};

#define WORDS_(NAME, name, words, help) [PREFETCHER_##NAME] = (words),
const uint32_t prefetcher_words[PREFETCHER_COUNT] = {PREFETCHERS(WORDS_)};

#define LOAD_(NAME, name, words, help)                                                             \
    case PREFETCHER_##NAME:                                                                        \
        prefetcher_##name##_load(sm, e, now);                                                      \
        break;

void prefetcher_load(sm_t *sm, const prefetch_event_t *e, cycle_t now)
{
    switch ((prefetcher_t)sm->config->l1.prefetcher) {
        PREFETCHERS(LOAD_)
    }
}
