/*
 * The CUDA runtime inside a program or library that was linked with it statically, which is nvcc's
 * default: where its functions are, from the symbol table of the file.
 */
#ifndef RUBATO_REDIRECT_STATIC_RUNTIME_H
#define RUBATO_REDIRECT_STATIC_RUNTIME_H

#include "frontend/emulator/sass/elf64.h"

typedef struct {
    const char *name; /* borrowed from the file */
    uint64_t address; /* as in the file */
    uint64_t room;    /* bytes up to the next function; 0: nothing is known to follow */
} static_function_t;

typedef enum {
    STATIC_RUNTIME_NONE,     /* the file holds no runtime */
    STATIC_RUNTIME_FOUND,    /* it does, and its functions are known */
    STATIC_RUNTIME_STRIPPED, /* it does, but the symbols have been removed */
} static_runtime_kind_t;

typedef struct {
    static_runtime_kind_t kind;
    unsigned major;               /* of the version of CUDA: 10 to 13 */
    static_function_t *functions; /* owned; in order of name, each name once */
    uint32_t n_functions;
} static_runtime_t;

/* Looks for a runtime in a file, which must outlive *r. Free with static_runtime_free(). */
void static_runtime_find(static_runtime_t *r, const elf_file_t *f);
void static_runtime_free(static_runtime_t *r);

/* The function with that name, or NULL. */
const static_function_t *static_runtime_function(const static_runtime_t *r, const char *name);

#endif
