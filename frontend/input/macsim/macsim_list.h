/* The launches of a MacSim trace, from kernel_config.txt and the files beside it. */
#ifndef RUBATO_MACSIM_LIST_H
#define RUBATO_MACSIM_LIST_H

#include <stddef.h>

#include "frontend/input/macsim/macsim_text.h"

typedef struct {
    char *folder;    /* owned: .../Kernel<N> */
    char *trace;     /* owned: .../Kernel<N>/trace.txt */
    uint64_t number; /* N, the tracer's number of the launch */
    double weight;   /* weight of a sampled launch; otherwise 1 */
    char *name;      /* owned; the kernel's name, or Kernel<N> */
    bool described;  /* the following members are known */
    uint32_t grid[3], block[3], regs, shared_bytes;
} macsim_kernel_t;

typedef struct {
    char *config, *names, *samples; /* owned; NULL: there is no such file */
    macsim_kernel_t *kernels;       /* owned */
    size_t n_kernels, cap_kernels;
} macsim_list_t;

bool macsim_list_detect(const char *path);

/* RB_IO or RB_TRACE if a file is missing, unreadable or malformed. The caller frees *list, also
 * after an error. */
RB_CHECKED rb_code_t macsim_list_open(const char *path, macsim_list_t *list, rb_err_t *err);

void macsim_list_free(macsim_list_t *list);

#endif
