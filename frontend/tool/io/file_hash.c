#include "frontend/tool/io/file_hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/in_file.h"

rb_code_t file_hash(const char *path, char text[SHA256_TEXT], rb_err_t *err)
{
    enum { CHUNK = 1 << 16 };
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);
    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    sha256_t h;
    char *buffer = rb_calloc(CHUNK, 1);
    sha256_init(&h);
    for (size_t n; (n = fread(buffer, 1, CHUNK, in)) > 0;)
        sha256_update(&h, buffer, n);
    rb_code_t rc = ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno)) : RB_OK;
    sha256_final_text(&h, text);
    free(buffer);
    fclose(in);
    return rc;
}

rb_code_t file_hash_program(char text[SHA256_TEXT], rb_err_t *err)
{
    return file_hash("/proc/self/exe", text, err);
}
