#include "tests/support/real_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

#define REFERENCE RUBATO_ROOT "/../shared/reference/traces/"
#define MACSIM    REFERENCE "macsim/macsim-traces-all.tar.gz"

enum { PATH_BYTES = 1024 };

void bundled_traces_each(void (*check)(const char *path))
{
    static const char *const names[] = {"histo",       "matmul",          "softmax",
                                        "spmv_vector", "transpose_tiled", "vecadd"};
    static const int archs[] = {70, 75};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        for (size_t k = 0; k < sizeof(archs) / sizeof(archs[0]); k++) {
            char path[PATH_BYTES];

            snprintf(path, sizeof(path), "%s/traces/%s-sm%d", RUBATO_ROOT, names[i], archs[k]);
            check(path);
        }
}

const char *reference_macsim(unsigned elements)
{
    static char path[PATH_BYTES];
    char command[2 * PATH_BYTES];

    if (access(MACSIM, F_OK) != 0)
        return NULL;
    snprintf(command, sizeof(command), "tar -xzf '%s' -C '%s' --wildcards '*/vectormultadd/%u/*'",
             MACSIM, temp_path(""), elements);
    if (system(command) != 0)
        return NULL;
    snprintf(path, sizeof(path), "%s/sst-unit-test/traces/nvbit/vectormultadd/%u", temp_path(""),
             elements);
    return path;
}

void reference_traces_each(void (*check)(const char *path))
{
    static const char *const names[] = {
        "vectorops-sm75-xz",
        "bfs-rodinia-sm70",
        "bfs-rodinia-sm80",
        "mlp-train-sm90",
        "nn-onestep-sm80",
        "vectoradd-sm75-v5-raw/kernelslist_ctx_0x1868c30",
        "excerpts/atax-v5-sm90-nvbit1.8-cluster.traceg",
        "excerpts/atax-v6-sm90-noval.traceg",
    };
    static const unsigned macsim[] = {4096, 16384, 65536};
    unsigned found = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), REFERENCE "%s", names[i]);
        if (access(path, F_OK) != 0)
            continue;
        check(path);
        found++;
    }
    for (size_t i = 0; i < sizeof(macsim) / sizeof(macsim[0]); i++) {
        const char *path = reference_macsim(macsim[i]);

        if (path == NULL)
            continue;
        check(path);
        found++;
    }
    if (found == 0) {
        print_message("the reference traces are not there: skipped\n");
        skip();
    }
}
