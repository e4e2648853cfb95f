#include "sim/parts/replacement.h"

#define CHOICE_(NAME, name, bits, help) {#name, help},
const param_choice_t replacement_choices[] = {REPLACEMENT_POLICIES(CHOICE_){NULL, NULL}};

#define BITS_(NAME, name, bits, help) [REPLACEMENT_##NAME] = (bits),
const uint8_t replacement_bits[REPLACEMENT_COUNT] = {REPLACEMENT_POLICIES(BITS_)};
