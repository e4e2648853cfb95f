/* Machine code of a jump, to be written over the beginning of a function. */
#ifndef RUBATO_REDIRECT_JUMP_H
#define RUBATO_REDIRECT_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JUMP_MAX_BYTES = 20 };

/*
 * Encodes a jump to target for a function that begins with the n bytes of code, for a machine (of
 * an ELF file). A landing pad at the beginning is kept if there is
 * room. Returns the bytes of jump[], at most n; 0:
 * they do not fit, or the machine is not known.
 */
size_t jump_encode(uint8_t jump[JUMP_MAX_BYTES], unsigned machine, const uint8_t *code, size_t n,
                   uint64_t target);

#endif
