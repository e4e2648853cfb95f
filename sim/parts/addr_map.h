/*
 * Address map: line -> slice (and its partition), and the line's address within its slice and
 * partition. Shared by the SM, which routes by it, and the partition.
 *
 * Slices are numbered 0 .. slices - 1; slice s belongs to partition s / slices_per_partition.
 * Memory is cut into blocks of the interleave size. Of any aligned run of as many blocks as there
 * are slices each slice owns exactly one; which one is decided by a hash of the run's number:
 *
 *   ipoly, 2^k slices: IPOLY, slice = n(x) mod P(x) over GF(2), where n is the block's number and
 *     P the degree-k polynomial 19, 37, 67, 131 ... for 16, 32, 64, 128 slices (gpu-facts: equal to
 *     all equations of gpgpu-sim's hashing.cc).
 *   ipoly, otherwise: slice = (n + h) mod slices, where h is an evenly spread hash of n / slices.
 *     (gpgpu-sim hashes to the next power of two and takes the remainder, which gives some slices
 *     twice the traffic of others: measured L2 bandwidth of such chips excludes that.)
 *   gv100, 64 slices and blocks of 512 bytes: what Jain 2019 found on a Tesla V100.
 *     XORs of address bits choose one of 32 memory modules for each KiB. Bit 14 is in none of them
 *     alone, so that 16 KiB in a row lie in half of the modules and a run is the blocks that differ
 *     in bits 9 to 13 and 15.
 */
#ifndef RUBATO_PARTS_ADDR_MAP_H
#define RUBATO_PARTS_ADDR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/divider.h"

enum {
    ADDR_MAP_BYTES = 8,
    ADDR_MAP_SLICES = 1024,
    ADDR_MAP_GV100_SLICES = 64,
    ADDR_MAP_GV100_INTERLEAVE = 512,
};

/* How addresses choose a slice; names: mem_hash_choices (mem_params.h). */
enum { HASH_NONE, HASH_IPOLY, HASH_GV100 };

typedef struct {
    uint32_t slices, partitions, slices_per_partition;
    uint32_t interleave_shift; /* log2 of the bytes that stay in one slice */
    uint32_t slice_bits;       /* log2 of slices, if a power of two */
    bool pow2, hashed;
    bool swapped; /* the block numbers' bit below the run's number has changed places with its
                     lowest */
    divider_t by_slices;
    /* The hash is linear over GF(2): XOR over the bytes b of the run's number of fold[b][byte]. */
    uint16_t fold[ADDR_MAP_BYTES][256];
    /* 2^k slices: which of a run's blocks lies in slice 0, 1 ... if the run's hash is 0, and which
     * slice has its first, second ... block. */
    uint16_t block[ADDR_MAP_SLICES], slice[ADDR_MAP_SLICES];
} addr_map_t;

/* interleave in bytes (a power of two, at least a line). slices is at most ADDR_MAP_SLICES and a
 * multiple of partitions. What a gv100 has is ADDR_MAP_GV100_SLICES and _INTERLEAVE. */
void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash);

/* Slice of the chip that owns an address. */
uint32_t addr_map_slice(const addr_map_t *m, uint64_t addr);

/* Address within the slice that owns addr: dense and injective. */
uint64_t addr_map_slice_local(const addr_map_t *m, uint64_t addr);

/* Address within the partition of its slice number nth (from 0), from the address within the slice:
 * dense, injective. */
uint64_t addr_map_partition_local(const addr_map_t *m, uint32_t nth, uint64_t slice_local);

/* Address within the partition that owns addr, which chooses DRAM bank, row and column. */
uint64_t addr_map_local(const addr_map_t *m, uint64_t addr);

/* The address whose slice and address within the slice these are. */
uint64_t addr_map_global(const addr_map_t *m, uint32_t slice, uint64_t slice_local);

#endif
