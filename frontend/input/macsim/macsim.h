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
 * wid is 65536 * block + warp. Paths in kernel_config.txt are relative to the trace's own folder.
 *
 * The format holds less than the model needs. The gaps are filled as follows:
 *   Lane addresses   a memory instruction has one record per 128-byte line that it touches. Its
 *                    active lanes are distributed evenly over the lines, in order; the k-th lane is
 *                    k * width bytes (mod 128) after the start of its line. So the number of line
 *                    requests is right, the number of sectors is the minimum for these lanes, and
 *                    shared memory has no conflicts. Tracers before 2026 stored the first lane's
 *                    address and the number of lines between the lowest and the highest address:
 *                    there, the distance between lanes is the smallest multiple of their width that
 *                    spans as many lines (32 records are the addresses of the 32 lanes).
 *   Width            bytes per lane if the record has them (its size is multiplied by the lines).
 *   Modifiers        only the width: IMAD is never .WIDE, every barrier waits, every fence has
 *                    GPU scope, tensor instructions have no shape (and no operations).
 *   Registers        the first one of each operand, at most four sources, none for addresses;
 *                    general and predicate registers share numbers, the opcode distinguishes them.
 *   Atomics          have no address and cause no traffic.
 *   Predicated off   instructions that no lane executes are not in the trace.
 *   Architecture     that of the newest opcode at the beginning of the first launches.
 *   Without kernel_names.txt: a one-dimensional grid, whole warps, no limit by registers or shared
 *                    memory.
 */
#ifndef RUBATO_MACSIM_H
#define RUBATO_MACSIM_H

#include "sim/core/files/file_reads.h"
#include "sim/gpu/source/trace_source.h"

/* The weight of launch Kernel<number> of a sampled program. */
typedef struct {
    uint64_t number;
    double weight;
} macsim_weight_t;

typedef struct {
    uint32_t arch; /* 70, 75, 80, 86, 90; 0: detect */
    /*
     * Reads *sampled_kernels_info.txt. The caller frees *weights, which has each launch once. NULL:
     * the file is not read, and all launches have weight 1.
     */
    rb_code_t (*samples)(const char *path, macsim_weight_t **weights, size_t *n, rb_err_t *err);
} macsim_options_t;

/* Whether path looks like such a trace (of any kind that MacSim reads). Reads a few bytes. */
bool macsim_detect(const char *path);

/*
 * Opens a trace; reads only the lists. opts may be NULL. Returns NULL with *err set: RB_IO if a
 * file is missing or unreadable, RB_TRACE if a list is malformed. Free with ops->destroy().
 */
trace_source_t *macsim_open(const char *path, const macsim_options_t *opts, rb_err_t *err);

/* Calls visit for each existing file of the trace, in this order: the lists, then the launches. */
void macsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx);

/* From now on, records in reads which launches' files are used. reads is borrowed while the source
 * lives; NULL stops recording. */
void macsim_watch(trace_source_t *source, file_reads_t *reads);

#endif
