#include "sim/core/files/data_folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { FOLDERS_ABOVE = 3 };

typedef struct {
    const char *below;
    char (*found)[DATA_PATH_MAX];
    size_t n;
} search_t;

static void try_folder(search_t *s, const char *base)
{
    char *path = s->found[s->n];
    int length = snprintf(path, DATA_PATH_MAX, "%s/%s", base, s->below);
    if (length < 0 || length >= DATA_PATH_MAX || access(path, R_OK | X_OK) != 0)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->found[i], path) == 0)
            return;
    s->n++;
}

/* Tries the folder of a file and the folders above it: "/usr/bin/rubato" finds "/usr/share". */
static void try_above(search_t *s, char *file)
{
    for (int i = 0; i <= FOLDERS_ABOVE; i++) {
        char *slash = strrchr(file, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
        try_folder(s, file);
    }
}

/* Path of the shared library that this code is linked into; false if it is part of the program. */
static bool own_library(char path[PATH_MAX])
{
    static const char here;
    Dl_info own, program;
    if (dladdr(&here, &own) == 0 ||
        dladdr((const void *)(uintptr_t)getauxval(AT_PHDR), &program) == 0)
        return false;
    return own.dli_fbase != program.dli_fbase && realpath(own.dli_fname, path) != NULL;
}

size_t data_folders(const char *below, char found[DATA_FOLDERS_MAX][DATA_PATH_MAX])
{
    search_t s = {.below = below, .found = found};
    char file[PATH_MAX];
    if (own_library(file))
        try_above(&s, file);
    if (realpath("/proc/self/exe", file) != NULL)
        try_above(&s, file);
    try_folder(&s, "/usr/local");
    try_folder(&s, "/usr");
    return s.n;
}
