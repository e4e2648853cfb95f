/*
 * Address map: line -> slice (and its partition), and the line's address within its slice and
 * partition. Shared by the SM, which routes by it, and the partition.
 *
 * Slices are numbered 0 .. slices - 1; slice s belongs to partition s / slices_per_partition.
 * Memory is cut into blocks of the interleave size. Of any aligned run of as many blocks as there
 * are slices each slice owns exactly one; which one is decided by a hash of the run's number:
 *
 *   2^k slices: IPOLY, slice = n(x) mod P(x) over GF(2), where n is the block's number and P the
 *     degree-k polynomial 19, 37, 67, 131 ... for 16, 32, 64, 128 slices (gpu-facts: equal to all
 *     equations of gpgpu-sim's hashing.cc).
 *   otherwise: slice = (n + h) mod slices, where h is an evenly spread hash of n / slices.
 *     (gpgpu-sim hashes to the next power of two and takes the remainder, which gives some slices
 *     twice the traffic of others: measured L2 bandwidth of such chips excludes that.)
 */
#ifndef RUBATO_PARTS_ADDR_MAP_H
#define RUBATO_PARTS_ADDR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { ADDR_MAP_BYTES = 8 };

typedef struct {
    uint32_t slices, partitions, slices_per_partition;
    uint32_t interleave_shift; /* log2 of the bytes that stay in one slice */
    uint32_t slice_bits;       /* log2 of slices, if a power of two */
    bool pow2, hashed;
    uint64_t reciprocal; /* 2^64 / slices, rounded up: for the division by slices */
    /* The hash is linear over GF(2): XOR over the bytes b of the run's number of fold[b][byte]. */
    uint16_t fold[ADDR_MAP_BYTES][256];
} addr_map_t;

/* interleave in bytes (a power of two, at least a line); hash: HASH_NONE or HASH_IPOLY. slices is
 * at most 1024 and a multiple of partitions. */
void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash);

/* Slice of the chip that owns an address. */
uint32_t addr_map_slice(const addr_map_t *m, uint64_t addr);

/* Address within the slice that owns addr: dense and injective. */
uint64_t addr_map_slice_local(const addr_map_t *m, uint64_t addr);

/* Address within the partition of slice, from the address within the slice: dense, injective. */
uint64_t addr_map_partition_local(const addr_map_t *m, uint32_t slice, uint64_t slice_local);

/* Address within the partition that owns addr, which chooses DRAM bank, row and column. */
uint64_t addr_map_local(const addr_map_t *m, uint64_t addr);

/* The address whose slice and address within the slice these are. */
uint64_t addr_map_global(const addr_map_t *m, uint32_t slice, uint64_t slice_local);

#endif
