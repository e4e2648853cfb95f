/*
 * Address map: line -> slice (and its partition), line -> DRAM bank, row and column within the
 * partition. Shared by the SM, which routes by it, and the partition.
 *
 * Slices are numbered 0 .. slices - 1; slice s belongs to partition s / slices_per_partition.
 * IPOLY hashing is x^(i+k) mod P(x) over GF(2) of the address bits above the interleave (P = 19,
 * 37, 67, 131, ... for 16, 32, 64, 128 slices); a number of slices that is no power of two hashes
 * to the next power of two and takes the remainder (gpu-facts: verified against gpgpu-sim).
 */
#ifndef RUBATO_PARTS_ADDR_MAP_H
#define RUBATO_PARTS_ADDR_MAP_H

#include <stdint.h>

typedef struct {
    uint32_t slices, partitions, slices_per_partition;
    uint32_t interleave_shift; /* log2 of the bytes that stay in one slice */
    uint32_t hash_bits;        /* log2 of the table the hash covers; 0: no hash */
    uint64_t hash_mask[16];    /* bit b of the hash is the parity of (addr & hash_mask[b]) */
} addr_map_t;

/* interleave in bytes (a power of two, at least a line); hash: HASH_NONE or HASH_IPOLY. */
void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash);

/* Slice of the chip that owns a line. */
uint32_t addr_map_slice(const addr_map_t *m, uint64_t line);

/*
 * The line's address within its partition: consecutive among the lines that map to the partition
 * (as far as the hash allows), so that DRAM rows and L2 sets are used evenly. Injective: no two
 * lines of one partition share it.
 */
uint64_t addr_map_local(const addr_map_t *m, uint64_t line);

#endif
