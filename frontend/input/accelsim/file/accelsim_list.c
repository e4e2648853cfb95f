#include "frontend/input/accelsim/file/accelsim_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/accelsim/file/accelsim_folder.h"
#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "frontend/input/accelsim/text/accelsim_lines.h"
#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/log.h"

static bool is_file(const char *path, uint64_t *bytes)
{
    struct stat st;

    if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
        return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

bool accelsim_list_detect(const char *path)
{
    uint64_t bytes;

    return in_file_is_folder(path)
               ? accelsim_folder_detect(path)
               : accelsim_is_list_name(accelsim_base_name(path)) && is_file(path, &bytes);
}

/* Finds the file of the list's entry name (which begins with "kernel"): the file itself, or the
 * same kernel with another extension. */
static char *find_kernel(const char *folder, size_t folder_len, const char *name, size_t len,
                         uint64_t *bytes)
{
    char *path = accelsim_join(folder, folder_len, name, len);

    if (is_file(path, bytes))
        return path;
    const size_t stem = accelsim_stem(path);

    for (size_t i = 0; i < ACCELSIM_ENDINGS; i++) {
        char *other = rb_calloc(stem + strlen(accelsim_endings[i]) + 1, 1);

        memcpy(other, path, stem);
        strcpy(other + stem, accelsim_endings[i]);
        if (is_file(other, bytes)) {
            free(path);
            return other;
        }
        free(other);
    }
    free(path);
    return NULL;
}

/* Adds a kernel with the copies since the previous one; the next kernel's copies begin after
 * them. */
static void add_kernel(accelsim_list_t *list, char *path, uint64_t bytes)
{
    rb_grow(&list->kernels, &list->cap_kernels, list->n_kernels + 2, sizeof(list->kernels[0]));
    accelsim_kernel_t *k = &list->kernels[list->n_kernels];

    if (list->n_kernels == 0)
        *k = (accelsim_kernel_t){0};
    k->path = path;
    k->bytes = bytes;
    k[1] =
        (accelsim_kernel_t){.bytes_before = k->bytes_before + bytes, .first_copy = list->n_copies};
    list->n_kernels++;
}

/* "MemcpyHtoD,0x00007f7393700000,32768" */
static rb_code_t read_copy(const accelsim_lines_t *lines, accelsim_list_t *list, rb_err_t *err)
{
    const char *p = lines->at + strlen("MemcpyHtoD");
    memcpy_op_t op;

    if (*p != ',' || (p = text_skip_blanks(p + 1), !text_address(&p, &op.addr)) || *p != ',' ||
        (p = text_skip_blanks(p + 1), !text_u64(&p, &op.bytes)) || !text_ends(p))
        return accelsim_lines_fail(lines, err, "'MemcpyHtoD,0xADDRESS,BYTES' is expected");
    if (op.bytes > UINT64_MAX - op.addr)
        return accelsim_lines_fail(lines, err,
                                   "this copy goes beyond the end of the address space");
    rb_grow(&list->copies, &list->cap_copies, list->n_copies + 1, sizeof(op));
    list->copies[list->n_copies++] = op;
    return RB_OK;
}

static rb_code_t read_kernel(const accelsim_lines_t *lines, accelsim_list_t *list, rb_err_t *err)
{
    const char *end = text_skip_line(lines->at) - 1;
    uint64_t bytes;

    while (text_is_blank(end[-1]))
        end--;
    size_t len = (size_t)(end - lines->at);

    if (memchr(lines->at, '\0', len) != NULL)
        return accelsim_lines_fail(lines, err, "this is not a list of kernels");
    size_t folder_len = (size_t)(accelsim_base_name(list->path) - list->path);
    char *path = find_kernel(list->path, folder_len, lines->at, len, &bytes);

    if (path == NULL)
        return rb_fail(
            err, RB_IO,
            "%s:%llu: %.*s: no such file, and none with another known extension (.traceg or "
            ".trace, plain or with .xz, .zst, .gz; .tracez)",
            lines->path, (unsigned long long)lines->line, (int)(len < 300 ? len : 300), lines->at);
    add_kernel(list, path, bytes);
    return RB_OK;
}

static rb_code_t read_stream(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    return accelsim_stream_read(ctx, buf, cap, got, err);
}

static rb_code_t read_lines(accelsim_lines_t *lines, accelsim_list_t *list, rb_err_t *err)
{
    for (;; accelsim_lines_skip(lines)) {
        RB_TRY(accelsim_lines_need(lines, err));
        if (accelsim_lines_end(lines))
            break;
        if (text_starts(lines->at, "MemcpyHtoD"))
            RB_TRY(read_copy(lines, list, err));
        else if (text_starts(lines->at, "kernel"))
            RB_TRY(read_kernel(lines, list, err));
    }
    return list->n_kernels > 0 ? RB_OK
                               : rb_fail(err, RB_TRACE, "%s: the list names no kernel", list->path);
}

static rb_code_t read_list(accelsim_list_t *list, rb_err_t *err)
{
    rb_err_t why = {0};
    accelsim_stream_t *stream = accelsim_stream_open(list->path, &why);
    accelsim_lines_t lines;

    if (stream == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    accelsim_lines_init(&lines, list->path, read_stream, stream);
    rb_code_t code = read_lines(&lines, list, err);

    accelsim_lines_free(&lines);
    accelsim_stream_close(stream);
    return code;
}

/* Accel-Sim's tracer makes APPLICATION/ARGUMENTS/traces/kernelslist. */
static rb_code_t no_list(const char *path, rb_err_t *err)
{
    enum { DEPTH = 3 };
    char *below = accelsim_folder_below(path, DEPTH);
    rb_code_t code =
        below != NULL
            ? rb_fail(err, RB_TRACE,
                      "%s: no kernelslist.g or kernelslist in this folder; there is a trace in %s: "
                      "name that, or run all traces of the tree with 'rubato sweep'",
                      path, below)
            : rb_fail(err, RB_TRACE, "%s: no kernelslist.g or kernelslist in this folder", path);

    free(below);
    return code;
}

/* Takes the kernel files of a folder without a list. */
static rb_code_t number_kernels(accelsim_list_t *list, const char *folder, rb_err_t *err)
{
    accelsim_files_t files;

    RB_TRY(accelsim_folder_kernels(&files, folder, err));
    for (size_t i = 0; i < files.n; i++) {
        char *path = accelsim_join(folder, strlen(folder), files.names[i], strlen(files.names[i]));
        uint64_t bytes;

        if (is_file(path, &bytes))
            add_kernel(list, path, bytes);
        else
            free(path);
    }
    accelsim_folder_free(&files);
    if (list->n_kernels == 0)
        return no_list(folder, err);
    rb_warn_once("%s: there is no kernelslist.g: its %zu .traceg files are taken in the order of "
                 "their numbers, without memory copies",
                 folder, list->n_kernels);
    return RB_OK;
}

rb_code_t accelsim_list_open(const char *path, accelsim_list_t *list, rb_err_t *err)
{
    uint64_t bytes;
    bool several;

    *list = (accelsim_list_t){0};
    if (in_file_is_folder(path)) {
        rb_err_t why = {0};
        list->path = accelsim_folder_list(path, &several, &why);
        if (why.code != RB_OK)
            return rb_fail(err, why.code, "%s", why.text);
        if (several)
            return rb_fail(err, RB_TRACE, "%s: several lists of kernels: name one of them", path);
        if (list->path == NULL)
            return number_kernels(list, path, err);
        return read_list(list, err);
    }
    if (accelsim_is_list_name(accelsim_base_name(path))) {
        list->path = rb_strdup(path);
        return read_list(list, err);
    }
    if (!is_file(path, &bytes))
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    add_kernel(list, rb_strdup(path), bytes);
    return RB_OK;
}

void accelsim_list_free(accelsim_list_t *list)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        free(list->kernels[i].path);
    free(list->kernels);
    free(list->copies);
    free(list->path);
    *list = (accelsim_list_t){0};
}
