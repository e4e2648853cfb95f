/*
 * Finds and reads the kernelslist: which files make up a trace, and the memory copies between
 * kernels.
 */
#ifndef RUBATO_ACCELSIM_LIST_H
#define RUBATO_ACCELSIM_LIST_H

#include <stddef.h>

#include "sim/gpu/source/trace_source.h"

typedef struct {
    char *path;            /* owned; an existing file */
    uint64_t bytes;        /* its size */
    uint64_t bytes_before; /* total size of the kernels before it */
    size_t first_copy;     /* copies[first_copy ..) of the list precede this kernel */
} accelsim_kernel_t;

typedef struct {
    char *path;                 /* owned; NULL: a single kernel file, or a folder without a list */
    accelsim_kernel_t *kernels; /* owned; n_kernels and one more, whose first_copy is the end of the
                                 * copies */
    size_t n_kernels, cap_kernels;
    memcpy_op_t *copies; /* owned */
    size_t n_copies, cap_copies;
} accelsim_list_t;

/* RB_IO for missing files, RB_TRACE if the list is malformed. The caller frees *list, also after an
 * error. */
RB_CHECKED rb_code_t accelsim_list_open(const char *path, accelsim_list_t *list, rb_err_t *err);
void accelsim_list_free(accelsim_list_t *list);

/* Whether path is a folder with a kernelslist or with grouped kernel files, or is named like a
 * kernelslist. */
bool accelsim_list_detect(const char *path);

#endif
