/* MacSim traces made for tests, in the folder of temp_folder.h. */
#ifndef RUBATO_TESTS_MACSIM_FILES_H
#define RUBATO_TESTS_MACSIM_FILES_H

#include "frontend/input/macsim/macsim_record.h"

/* A record of 4 bytes per lane, if it accesses memory; pc: relative to the start of the kernel. */
macsim_record_t macsim_op(unsigned opcode, unsigned pc, uint32_t mask);

/* Writes the records of a warp to Kernel0/trace_<wid>.raw, gzip. */
void macsim_write_warp(uint64_t wid, const macsim_record_t *records, size_t n);

/* kernel_config.txt for Kernel0, and its trace.txt and trace_info.txt for these warps. */
void macsim_write_lists(const uint64_t *wids, const size_t *records, size_t n_warps);

/*
 * A whole program: one launch that adds and multiplies vectors of doubles, with warps of 14
 * instructions, two loads and a store of all their lanes. Returns the trace's path.
 */
const char *macsim_write_vector_add(unsigned blocks, unsigned warps);

#endif
