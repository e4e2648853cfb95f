/* The SHA-256 of a file's bytes. */
#ifndef RUBATO_IO_FILE_HASH_H
#define RUBATO_IO_FILE_HASH_H

#include "sim/core/err.h"
#include "sim/core/files/sha256.h"

/* RB_IO. */
RB_CHECKED rb_code_t file_hash(const char *path, char text[SHA256_TEXT], rb_err_t *err);

/* A hash that identifies the running program: of its build id and size, or of the whole file if the
 * linker noted no build id. Distinguishes builds from edited sources or with other compilers. */
RB_CHECKED rb_code_t file_hash_program(char text[SHA256_TEXT], rb_err_t *err);

#endif
