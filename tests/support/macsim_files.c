#include "tests/support/macsim_files.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

const char *macsim_folder_create(void)
{
    strcpy(folder, "macsim-files-XXXXXX");
    RB_INVARIANT(mkdtemp(folder) != NULL, "no folder: %s", strerror(errno));
    return folder;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void macsim_folder_remove(void)
{
    enum { OPEN_FOLDERS = 8 };

    RB_INVARIANT(nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0, "%s: %s",
                 folder, strerror(errno));
}

const char *macsim_path(const char *name)
{
    static char paths[2][256];
    static unsigned n;
    char *path = paths[n++ % 2];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void make_folders(const char *name)
{
    char part[128];

    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
        RB_INVARIANT(mkdir(macsim_path(part), 0777) == 0 || errno == EEXIST, "%s", part);
    }
}

void macsim_write_bytes(const char *name, const void *data, size_t n)
{
    make_folders(name);
    FILE *f = fopen(macsim_path(name), "wb");

    RB_INVARIANT(f != NULL && fwrite(data, 1, n, f) == n && fclose(f) == 0, "%s: %s", name,
                 strerror(errno));
}

void macsim_write(const char *name, const char *text)
{
    macsim_write_bytes(name, text, strlen(text));
}

void macsim_write_warp(uint64_t wid, const macsim_record_t *records, size_t n)
{
    char name[64];
    unsigned bytes = (unsigned)(n * sizeof(*records));

    snprintf(name, sizeof(name), "Kernel0/trace_%" PRIu64 ".raw", wid);
    make_folders(name);
    gzFile f = gzopen(macsim_path(name), "wb");

    RB_INVARIANT(f != NULL && (n == 0 || gzwrite(f, records, bytes) == (int)bytes) &&
                     gzclose(f) == Z_OK,
                 "%s", name);
}

void macsim_write_lists(const uint64_t *wids, const size_t *records, size_t n_warps)
{
    enum { LINE = 48 };
    char *ids = calloc(n_warps + 4, LINE), *counts = calloc(n_warps + 1, LINE);
    char *id = ids + sprintf(ids, "nvbit\n14\n16\n%zu\n", n_warps), *count = counts;

    for (size_t i = 0; i < n_warps; i++) {
        id += sprintf(id, "%" PRIu64 " 0\n", wids[i]);
        count += sprintf(count, "%" PRIu64 " %zu\n", wids[i], records[i]);
    }
    macsim_write("kernel_config.txt", "nvbit\n14\n-1\n./Kernel0/trace.txt\n");
    macsim_write("Kernel0/trace.txt", ids);
    macsim_write("Kernel0/trace_info.txt", counts);
    free(ids);
    free(counts);
}
