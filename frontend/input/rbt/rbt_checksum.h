/* XXH64 with seed 0: the checksum that zstd uses itself, here of the packed bytes. */
#ifndef RUBATO_RBT_CHECKSUM_H
#define RUBATO_RBT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t rbt_checksum(const void *data, size_t n);

#endif
