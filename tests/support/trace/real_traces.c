#include "tests/support/trace/real_traces.h"

#include <stdio.h>

#include "tests/support/input/accelsim_lab.h"
#include "tests/support/input/macsim_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"

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

const char *native_trace_as_text(const char *name)
{
    static char folder[PATH_BYTES];
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s.rbt", name);
    snprintf(folder, sizeof(folder), "%s", temp_path(name));
    trace_source_t *native = rbt_lab_open(path);
    accelsim_lab_write(native, folder, NULL);
    native->ops->destroy(native);
    return folder;
}

static void check_corpus(void (*check)(const char *path))
{
    static const char *const names[] = {
        "raw.trace", "raw_core.trace", "v1_ids.traceg", "v4_lines.traceg", "v5.traceg",
        "v6.traceg", "packed.gz",      "packed.xz",     "packed.zst",      "store_data.traceg"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), RUBATO_ROOT "/tests/fuzz/corpus/accelsim/%s", names[i]);
        check(path);
    }
}

void other_traces_each(void (*check)(const char *path))
{
    static const char *const programs[] = {"bfs-sm70", "sort-sm75"};

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        check(native_trace_as_text(programs[i]));
    check_corpus(check);
    check(macsim_write_vector_add(8, 16));
}
