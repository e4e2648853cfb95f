/*
 * The cubins in a file: a cubin, a fat binary, or a host program (executable or shared library)
 * with a section .nv_fatbin.
 */
#ifndef RUBATO_SASS_CODE_FILE_H
#define RUBATO_SASS_CODE_FILE_H

#include "frontend/emulator/sass/cubin.h"
#include "frontend/emulator/sass/fatbin.h"

typedef struct {
    uint8_t *data; /* owned; the whole file */
    size_t size;
    fatbin_t fatbin;
    cubin_t *cubins; /* owned */
    uint32_t n_cubins;
} code_file_t;

/*
 * Reads path. arch selects one architecture of fat binaries (0: all). Errors: RB_IO, or RB_TRACE if
 * the file has no machine code; *f needs no close after an error. path must outlive *f.
 */
RB_CHECKED rb_code_t code_file_open(code_file_t *f, const char *path, uint32_t arch, rb_err_t *err);
void code_file_close(code_file_t *f);

#endif
