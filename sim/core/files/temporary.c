#include "sim/core/files/temporary.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEMPORARY_MAX = 32 };
static const char *volatile temporary[TEMPORARY_MAX]; /* borrowed; NULL: free */

void temporary_add(const char *path)
{
    for (int i = 0; i < TEMPORARY_MAX; i++) {
        if (temporary[i] == NULL) {
            temporary[i] = path;
            return;
        }
    }
}

void temporary_drop(const char *path)
{
    for (int i = 0; i < TEMPORARY_MAX; i++)
        if (temporary[i] == path)
            temporary[i] = NULL;
}

/* A directory entry of the system call. readdir() would allocate memory. */
typedef struct {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
} entry_t;

/* Small buffers and a limit: a signal handler has the stack that is left. */
enum { ENTRIES_BYTES = 1024, DEPTH_MAX = 64 };

static bool is_here_or_above(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Removes a folder in the folder above, without following links. */
static void remove_folder(int above, const char *path, int depth)
{
    _Alignas(entry_t) char buffer[ENTRIES_BYTES];
    const int folder = openat(above, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    long n;

    while (folder >= 0 && (n = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
        for (long at = 0; at < n;) {
            const entry_t *e = (const entry_t *)(void *)(buffer + at);
            if (!is_here_or_above(e->name) && unlinkat(folder, e->name, 0) != 0 &&
                depth < DEPTH_MAX)
                remove_folder(folder, e->name, depth + 1);
            at += e->length;
        }
    }
    if (folder >= 0)
        close(folder);
    (void)unlinkat(above, path, AT_REMOVEDIR);
}

void temporary_remove_all(void)
{
    for (int i = 0; i < TEMPORARY_MAX; i++)
        if (temporary[i] != NULL && unlink(temporary[i]) != 0)
            remove_folder(AT_FDCWD, temporary[i], 0);
}
