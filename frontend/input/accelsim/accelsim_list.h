/*
 * Which files make up a trace: the kernelslist, found and read, with the memory copies between its
 * kernels.
 */
#ifndef RUBATO_ACCELSIM_LIST_H
#define RUBATO_ACCELSIM_LIST_H

#include <stddef.h>

#include "sim/gpu/trace_source.h"

typedef struct {
    char *path;            /* owned; an existing file */
    uint64_t bytes;        /* its size */
    uint64_t bytes_before; /* of the kernels before it */
    size_t first_copy;     /* copies[first_copy ..) of the list come before it */
} accelsim_kernel_t;

typedef struct {
    char *path;                 /* owned; NULL: a single kernel file */
    accelsim_kernel_t *kernels; /* owned; n_kernels of them and a last one with the end of copies */
    size_t n_kernels, cap_kernels;
    memcpy_op_t *copies; /* owned */
    size_t n_copies, cap_copies;
} accelsim_list_t;

/* RB_IO for missing files, RB_TRACE for a list without sense. *list is to be freed in any case. */
RB_CHECKED rb_code_t accelsim_list_open(const char *path, accelsim_list_t *list, rb_err_t *err);
void accelsim_list_free(accelsim_list_t *list);

/* Whether path is a directory with a kernelslist, or named like one. */
bool accelsim_list_detect(const char *path);

#endif
