#include "bench/bench_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/write/accelsim_writer.h"

trace_source_t *bench_text_open(const void *ctx, rb_err_t *err)
{
    return accelsim_open(ctx, NULL, err);
}

/* Bytes of the kernel files. */
static uint64_t measure(const char *path)
{
    char file[BENCH_PATH_BYTES + 256];
    DIR *dir = opendir(path);
    uint64_t bytes = 0;
    struct stat st;

    if (!dir)
        return 0;
    for (struct dirent *e; (e = readdir(dir));) {
        snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
        if (strncmp(e->d_name, "kernel-", 7) == 0 && stat(file, &st) == 0)
            bytes += (uint64_t)st.st_size;
    }
    closedir(dir);
    return bytes;
}

rb_code_t bench_text_store(synth_t *s, char path[BENCH_PATH_BYTES], uint64_t *bytes, rb_err_t *err)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, BENCH_PATH_BYTES, "%s/rubato-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(path))
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    rb_code_t rc = accelsim_write(synth_source(s), path, NULL, err);
    if (rc != RB_OK)
        bench_text_remove(path);
    *bytes = measure(path);
    return rc;
}

void bench_text_remove(const char *path)
{
    char file[BENCH_PATH_BYTES + 256];
    DIR *dir = opendir(path);

    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            unlink(file);
    }
    closedir(dir);
    rmdir(path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

size_t bench_text_find(const char *root, char paths[][BENCH_PATH_BYTES])
{
    static const char volta[] = "-sm70";
    size_t n = 0;
    DIR *dir = opendir(root);

    if (!dir)
        return 0;
    for (struct dirent *e; n < BENCH_MAX_TRACES && (e = readdir(dir));) {
        size_t len = strlen(e->d_name);

        if (len < sizeof(volta) || strcmp(e->d_name + len - (sizeof(volta) - 1), volta) != 0)
            continue;
        snprintf(paths[n], BENCH_PATH_BYTES, "%s/%s", root, e->d_name);
        if (accelsim_detect(paths[n]))
            n++;
    }
    closedir(dir);
    qsort(paths, n, sizeof(paths[0]), compare_paths);
    return n;
}
