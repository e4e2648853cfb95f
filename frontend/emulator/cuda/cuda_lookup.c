/* The addresses of the functions of the driver API, by name and version. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "frontend/emulator/cuda/cuda_api.h"

CUDART_EXPORT cuda_error_t cuGetProcAddress(const char *name, void **function, int version,
                                            uint64_t flags);
CUDART_EXPORT cuda_error_t cuGetProcAddress_v2(const char *name, void **function, int version,
                                               uint64_t flags, int *found);

static const char anchor[1]; /* an address in this library */

/*
 * The version of CUDA that introduced a variant (cudaTypedefs.h). Listed are the variants whose
 * parameters differ from those of an earlier variant that is supported, too.
 */
static int introduced(const char *name)
{
    static const struct {
        const char *name;
        int version;
    } variants[] = {{"cuCtxCreate_v3", 11040},
                    {"cuCtxCreate_v4", 12050},
                    {"cuGetProcAddress_v2", 12000},
                    {"cuStreamGetCtx_v2", 12050}};

    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
        if (strcmp(name, variants[i].name) == 0)
            return variants[i].version;
    return 0;
}

/* The newest variant of a function that the version has and that is supported; if none is
 * supported, one that refuses; if none exists, NULL. */
static void *find_in(void *library, const char *name, int version)
{
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    char full[128];
    void *refuses = NULL;

    for (unsigned i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        snprintf(full, sizeof(full), "%s%s", name, suffixes[i]);
        void *found = dlsym(library, full);
        if (found == NULL || introduced(full) > version)
            continue;
        if (cuda_is_supported(found))
            return found;
        if (refuses == NULL)
            refuses = found;
    }
    return refuses;
}

static void *find(const char *name, int version)
{
    Dl_info self;
    void *library =
        dladdr(&anchor, &self) != 0 ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = NULL;

    if (library != NULL) {
        found = find_in(library, name, version);
        dlclose(library);
    }
    return found;
}

cuda_error_t cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                 int *found)
{
    enum { FOUND, NOT_FOUND };

    (void)flags;
    if (name == NULL || function == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *function = find(name, version);
    if (found != NULL)
        *found = *function != NULL ? FOUND : NOT_FOUND;
    return *function != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cuda_error_t cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
