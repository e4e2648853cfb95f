/*
 * MacSim traces made for tests: a temporary folder that goes away with all that is in it, and
 * records.
 */
#ifndef RUBATO_TESTS_MACSIM_FILES_H
#define RUBATO_TESTS_MACSIM_FILES_H

#include "frontend/macsim/macsim_record.h"

/* Creates an empty folder in the working folder and returns its path; panics if it cannot. */
const char *macsim_folder_create(void);
void macsim_folder_remove(void);

/* Path of a file of the folder; valid until the second next call. */
const char *macsim_path(const char *name);

/* Writes a file of the folder, with the folders in its name. */
void macsim_write(const char *name, const char *text);
void macsim_write_bytes(const char *name, const void *data, size_t n);

/* Writes the records of a warp to Kernel0/trace_<wid>.raw, gzip. */
void macsim_write_warp(uint64_t wid, const macsim_record_t *records, size_t n);

/* kernel_config.txt for Kernel0, and its trace.txt and trace_info.txt for these warps. */
void macsim_write_lists(const uint64_t *wids, const size_t *records, size_t n_warps);

#endif
