/*
 * Address map: line -> slice (and its partition), and the line's address within its slice and
 * partition. Shared by the SM, which routes requests with it, and the partition.
 *
 * Slices are numbered 0 .. slices - 1; slice s belongs to partition s / slices_per_partition.
 * Memory is divided into blocks of the interleave size. In every aligned run of `slices` blocks,
 * each slice owns exactly one block; a hash of the run's number decides which:
 *
 *   ipoly, 2^k slices: IPOLY, slice = n(x) mod P(x) over GF(2), where n is the block's number and
 *     P the degree-k polynomial 19, 37, 67, 131 ... for 16, 32, 64, 128 slices (gpu-facts: equal to
 *     all equations of gpgpu-sim's hashing.cc).
 *   ipoly, otherwise: slice = (n + h) mod slices, where h is an evenly spread hash of n / slices.
 *     (gpgpu-sim hashes to the next power of two and takes the remainder, which gives some slices
 *     twice the traffic of others: measured L2 bandwidth of such chips excludes that.)
 *   gv100, 64 slices and blocks of 512 bytes: the hash that Jain 2019 found on a Tesla V100.
 *     XORs of address bits choose one of 32 memory modules for each KiB. No XOR contains bit
 *     14, so 16 consecutive KiB lie in half of the modules, and a run consists of the blocks that
 *     differ in bits 9 to 13 and 15.
 */
#ifndef RUBATO_PARTS_ADDR_MAP_H
#define RUBATO_PARTS_ADDR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/divider.h"

enum {
    ADDR_MAP_BYTES = 8,
    ADDR_MAP_SLICES = 1024,
    ADDR_MAP_PIECE = 11, /* bits */
    ADDR_MAP_PIECES = 6,
    ADDR_MAP_GV100_SLICES = 64,
    ADDR_MAP_GV100_INTERLEAVE = 512,
};

/* How addresses choose a slice. Names: mem_hash_choices (mem_params.h). */
enum { HASH_NONE, HASH_IPOLY, HASH_GV100 };

typedef struct {
    uint32_t slices, partitions, slices_per_partition;
    uint32_t interleave_shift; /* log2 of the bytes that stay in one slice */
    uint32_t slice_bits;       /* log2 of slices, if a power of two */
    bool pow2, hashed;
    bool swapped; /* gv100: the lowest bit of the run's number and the highest bit below it are
                   * exchanged */
    divider_t by_slices;
    /* The hash is linear over GF(2): XOR over the bytes b of the run's number of fold[b][byte]. */
    uint16_t fold[ADDR_MAP_BYTES][256];
    /* 2^k slices and a run whose hash is 0: block[s] is the block of the run in slice s; slice[b]
     * is the slice of block b. */
    uint16_t block[ADDR_MAP_SLICES], slice[ADDR_MAP_SLICES];
    /* 2^k slices: the slice is linear over GF(2) in the block's number, too: XOR over its pieces. */
    uint16_t piece[ADDR_MAP_PIECES][1 << ADDR_MAP_PIECE];
} addr_map_t;

/* interleave in bytes (a power of two, at least a line). slices is a multiple of partitions and at
 * most ADDR_MAP_SLICES. HASH_GV100 requires ADDR_MAP_GV100_SLICES and ADDR_MAP_GV100_INTERLEAVE. */
void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash);

/* Slice of the chip that owns an address. */
uint32_t addr_map_slice(const addr_map_t *m, uint64_t addr);

/* Address within the slice that owns addr: dense and injective. */
uint64_t addr_map_slice_local(const addr_map_t *m, uint64_t addr);

/* Both for n addresses. */
void addr_map_slices(const addr_map_t *m, const uint64_t *addr, uint32_t *slice,
                     uint64_t *slice_local, size_t n);

/* Address within a partition of an address within its nth slice (from 0): dense and injective. */
uint64_t addr_map_partition_local(const addr_map_t *m, uint32_t nth, uint64_t slice_local);

/* Address within the partition that owns addr; it selects DRAM bank, row and column. */
uint64_t addr_map_local(const addr_map_t *m, uint64_t addr);

/* The inverse: the address with this slice and this address within the slice. */
uint64_t addr_map_global(const addr_map_t *m, uint32_t slice, uint64_t slice_local);

#endif
