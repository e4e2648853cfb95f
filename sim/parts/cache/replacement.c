#include "sim/parts/cache/replacement.h"

#define CHOICE_(NAME, name, bits, words, help) {#name, help},
const param_choice_t replacement_choices[] = {REPLACEMENT_POLICIES(CHOICE_){NULL, NULL}};

#define BITS_(NAME, name, bits, words, help) [REPLACEMENT_##NAME] = (bits),
const uint8_t replacement_bits[REPLACEMENT_COUNT] = {REPLACEMENT_POLICIES(BITS_)};

#define WORDS_(NAME, name, bits, words, help) [REPLACEMENT_##NAME] = (words),
const uint16_t replacement_words[REPLACEMENT_COUNT] = {REPLACEMENT_POLICIES(WORDS_)};
