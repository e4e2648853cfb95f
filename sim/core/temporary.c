#include "sim/core/temporary.h"

#include <fcntl.h>
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

static void remove_folder(const char *path)
{
    _Alignas(entry_t) char buffer[4096];
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n;

    while (folder >= 0 && (n = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
        for (long at = 0; at < n;) {
            const entry_t *e = (const entry_t *)(void *)(buffer + at);
            (void)unlinkat(folder, e->name, 0); /* fails for "." and "..", which is harmless */
            at += e->length;
        }
    }
    if (folder >= 0)
        close(folder);
    (void)rmdir(path);
}

void temporary_remove_all(void)
{
    for (int i = 0; i < TEMPORARY_MAX; i++)
        if (temporary[i] != NULL && unlink(temporary[i]) != 0)
            remove_folder(temporary[i]);
}
