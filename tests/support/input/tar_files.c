#include "tests/support/input/tar_files.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

enum { BLOCK = 512 };

static char *more(tar_file_t *t, size_t n)
{
    rb_grow(&t->data, &t->cap, t->n + n, 1);
    char *at = t->data + t->n;
    memset(at, 0, n);
    t->n += n;
    return at;
}

void tar_add(tar_file_t *t, const char *name, char type, const void *content, size_t n)
{
    char *header = more(t, BLOCK);
    unsigned sum = 0;
    strncpy(header, name, 100);
    snprintf(header + 124, 12, "%011zo", n);
    memset(header + 148, ' ', 8);
    header[156] = type;
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    if (content != NULL)
        memcpy(more(t, (n + BLOCK - 1) / BLOCK * BLOCK), content, n);
}

void tar_add_text(tar_file_t *t, const char *name, char type, const char *text)
{
    tar_add(t, name, type, text, text != NULL ? strlen(text) : 0);
}

void tar_end(tar_file_t *t)
{
    (void)more(t, 2 * BLOCK);
}

void tar_write(tar_file_t *t, const char *path)
{
    FILE *out = fopen(path, "wb");
    RB_INVARIANT(out != NULL && fwrite(t->data, 1, t->n, out) == t->n && fclose(out) == 0, "%s",
                 path);
    free(t->data);
    *t = (tar_file_t){0};
}

void tar_write_gzip(tar_file_t *t, const char *path)
{
    gzFile out = gzopen(path, "wb1");
    RB_INVARIANT(out != NULL && gzwrite(out, t->data, (unsigned)t->n) == (int)t->n &&
                     gzclose(out) == Z_OK,
                 "%s", path);
    free(t->data);
    *t = (tar_file_t){0};
}
