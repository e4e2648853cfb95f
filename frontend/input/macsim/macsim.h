/*
 * MacSim traces (NVBit tracer, format version 14) as a trace_source: a folder with
 * kernel_config.txt, or that file, or the folder Kernel<N> of one launch.
 *
 *   kernel_config.txt          "nvbit", 14, -1, then a line "./Kernel<N>/trace.txt" for each launch
 *   kernel_names.txt           name, grid, block, registers, shared memory of each launch; optional
 *   *sampled_kernels_info.txt  the clusters that the launches were sampled from; optional
 *   Kernel<N>/trace.txt        "nvbit", 14, blocks per SM, number of warps, then "<wid> 0" each
 *   Kernel<N>/trace_info.txt   "<wid> <records>" for each warp
 *   Kernel<N>/trace_<wid>.raw  the records of a warp (macsim_record.h), gzip
 *
 * wid is 65536 * block + warp. Paths in kernel_config.txt are taken from the trace's own folder.
 *
 * The format holds less than the model asks for. What is done instead:
 *   Lane addresses   a memory instruction has a record for each 128-byte line it touches. Its
 *                    active lanes share the lines evenly, in order; the k-th lane lies k * width
 *                    bytes (mod 128) behind the beginning of its line. So the requests to lines are
 *                    right, their sectors are as few as the lanes allow, and shared memory has no
 *                    conflicts. Tracers before 2026 gave the first lane's address instead and the
 *                    number of lines between the lowest and the highest address: there the lanes
 *                    lie apart by the smallest multiple of their width that spans as many lines
 *                    (with 32 records they are the addresses of the 32 lanes).
 *   Width            bytes per lane where the record tells (its size is multiplied by the lines).
 *   Modifiers        none but the width: IMAD is not known to be .WIDE, a barrier waits, a
 *                    fence is the GPU's, tensor instructions have no shape (and no operations).
 *   Registers        each by its first, four sources at most, none for addresses; general and
 *                    predicate registers share their numbers and are told apart by the opcode.
 *   Atomics          have no address, and no traffic.
 *   Predicated off   instructions that no lane executes are not in the trace.
 *   Architecture     that of the newest opcode met at the beginning of the first launches.
 *   Without kernel_names.txt: a one-dimensional grid, whole warps, no limit by registers or shared
 *                    memory.
 */
#ifndef RUBATO_MACSIM_H
#define RUBATO_MACSIM_H

#include "sim/core/file_reads.h"
#include "sim/gpu/trace_source.h"

/* What launch Kernel<number> of a sampled program counts for. */
typedef struct {
    uint64_t number;
    double weight;
} macsim_weight_t;

typedef struct {
    uint32_t arch; /* 70, 75, 80, 86, 90; 0: found out */
    /*
     * Reads *sampled_kernels_info.txt; *weights is to be freed by the caller, each launch is in it
     * once. NULL: nobody does, and all launches have weight 1.
     */
    rb_code_t (*samples)(const char *path, macsim_weight_t **weights, size_t *n, rb_err_t *err);
} macsim_options_t;

/* Whether path looks like such a trace (of any kind that MacSim reads). Reads a few bytes. */
bool macsim_detect(const char *path);

/*
 * Opens a trace; reads the lists only. opts may be NULL. NULL with *err set: RB_IO for what is
 * missing or unreadable, RB_TRACE for lists that make no sense. Free with ops->destroy().
 */
trace_source_t *macsim_open(const char *path, const macsim_options_t *opts, rb_err_t *err);

/* Calls visit for each file of the trace that exists, in order: the lists, then the launches. */
void macsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx);

/* From now on it is noted in reads which launches' files are used. reads is borrowed as long as the
 * source lives; NULL: no longer. */
void macsim_watch(trace_source_t *source, file_reads_t *reads);

#endif
