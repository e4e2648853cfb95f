#include "tests/support/temp_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/err.h"
#include "tests/support/file_tree.h"

static char folder[64];

void temp_folder_create(void)
{
    strcpy(folder, TEMP_FOLDER_NAME "XXXXXX");
    RB_INVARIANT(mkdtemp(folder) != NULL, "no folder: %s", strerror(errno));
}

void temp_folder_remove(void)
{
    RB_INVARIANT(file_tree_remove(folder) == 0, "%s: %s", folder, strerror(errno));
}

int temp_folder_begin(void **state)
{
    (void)state;
    temp_folder_create();
    return 0;
}

int temp_folder_end(void **state)
{
    (void)state;
    temp_folder_remove();
    return 0;
}

const char *temp_path(const char *name)
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
        RB_INVARIANT(mkdir(temp_path(part), 0777) == 0 || errno == EEXIST, "%s", part);
    }
}

void temp_write_bytes(const char *name, const void *data, size_t n)
{
    make_folders(name);
    (void)remove(temp_path(name)); /* truncating makes some file systems sync it */
    FILE *f = fopen(temp_path(name), "wb");

    RB_INVARIANT(f != NULL && fwrite(data, 1, n, f) == n && fclose(f) == 0, "%s: %s", name,
                 strerror(errno));
}

void temp_write(const char *name, const char *text)
{
    temp_write_bytes(name, text, strlen(text));
}
