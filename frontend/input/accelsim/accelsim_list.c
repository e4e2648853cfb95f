#include "frontend/input/accelsim/accelsim_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/accelsim/accelsim_lines.h"
#include "frontend/input/accelsim/accelsim_stream.h"
#include "frontend/input/accelsim/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/in_file.h"

static const char list_name[] = "kernelslist";

/* A grouped file is preferred to a raw one, an unpacked one to a packed one. */
static const char *const kernel_endings[] = {
    ".traceg", ".traceg.xz", ".traceg.zst", ".traceg.gz",
    ".trace",  ".trace.xz",  ".trace.zst",  ".trace.gz",
};

enum { N_ENDINGS = sizeof(kernel_endings) / sizeof(kernel_endings[0]) };

static bool has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);

    return n >= e && strcmp(name + n - e, ending) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_list_name(const char *name)
{
    return strncmp(name, list_name, sizeof(list_name) - 1) == 0;
}

static char *join(const char *folder, size_t folder_len, const char *name, size_t name_len)
{
    char *path = rb_calloc(folder_len + name_len + 2, 1);

    memcpy(path, folder, folder_len);
    if (folder_len > 0 && folder[folder_len - 1] != '/')
        path[folder_len++] = '/';
    memcpy(path + folder_len, name, name_len);
    return path;
}

static bool is_file(const char *path, uint64_t *bytes)
{
    struct stat st;

    if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
        return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

/*
 * The list of a folder: lists of grouped files (.g) before raw ones. NULL with *several false:
 * none, or RB_IO; with true: one for each context, and the user must choose.
 */
static char *find_list(const char *folder, bool *several, rb_err_t *err)
{
    DIR *dir = opendir(folder);
    char *found = NULL;
    unsigned n[2] = {0, 0};

    *several = false;
    if (dir == NULL) {
        rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        bool grouped = has_ending(d->d_name, ".g");

        if (!is_list_name(d->d_name) || (n[1] > 0 && !grouped))
            continue;
        n[grouped]++;
        free(found);
        found = join(folder, strlen(folder), d->d_name, strlen(d->d_name));
    }
    closedir(dir);
    *several = n[n[1] > 0] > 1;
    if (*several) {
        free(found);
        found = NULL;
    }
    return found;
}

bool accelsim_list_detect(const char *path)
{
    bool several;
    uint64_t bytes;

    if (!in_file_is_folder(path))
        return is_list_name(base_name(path)) && is_file(path, &bytes);
    char *list = find_list(path, &several, NULL);

    free(list);
    return list != NULL || several;
}

/* The file that the list calls name (which begins with "kernel"): itself, or the same kernel with
 * another ending. */
static char *find_kernel(const char *folder, size_t folder_len, const char *name, size_t len,
                         uint64_t *bytes)
{
    char *path = join(folder, folder_len, name, len);

    if (is_file(path, bytes))
        return path;
    size_t stem = strlen(path);

    for (unsigned i = 0; i < N_ENDINGS; i++)
        if (has_ending(path, kernel_endings[i]))
            stem = strlen(path) - strlen(kernel_endings[i]);
    for (unsigned i = 0; i < N_ENDINGS; i++) {
        char *other = rb_calloc(stem + strlen(kernel_endings[i]) + 1, 1);

        memcpy(other, path, stem);
        strcpy(other + stem, kernel_endings[i]);
        if (is_file(other, bytes)) {
            free(path);
            return other;
        }
        free(other);
    }
    free(path);
    return NULL;
}

/* Adds a kernel with the copies since the last one; the record behind it begins the next one's. */
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

static const char tracez_advice[] =
    ".tracez files are not supported; let the tracer write .traceg or .traceg.xz";

static bool is_tracez(const char *name, size_t len)
{
    return len >= 7 && memcmp(name + len - 7, ".tracez", 7) == 0;
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
        return accelsim_lines_fail(lines, err, "this copy passes the end of the address space");
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

    if (is_tracez(lines->at, len))
        return accelsim_lines_fail(lines, err, "%.*s: %s", (int)(len < 300 ? len : 300), lines->at,
                                   tracez_advice);
    if (memchr(lines->at, '\0', len) != NULL)
        return accelsim_lines_fail(lines, err, "this is not a list of kernels");
    size_t folder_len = (size_t)(base_name(list->path) - list->path);
    char *path = find_kernel(list->path, folder_len, lines->at, len, &bytes);

    if (path == NULL)
        return rb_fail(
            err, RB_IO,
            "%s:%llu: %.*s: no such file, neither with another of the known endings (.traceg or "
            ".trace, plain or with .xz, .zst, .gz)",
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

/* The first folder below that has a list, at most so deep; to be freed. NULL: none. */
static char *list_below(const char *folder, int depth)
{
    struct dirent **entry;
    char *found = NULL;
    const int n = scandir(folder, &entry, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        char *below = join(folder, strlen(folder), entry[i]->d_name, strlen(entry[i]->d_name));
        const bool look = found == NULL && entry[i]->d_name[0] != '.' && in_file_is_folder(below);

        if (look && accelsim_list_detect(below))
            found = rb_strdup(below);
        else if (look && depth > 1)
            found = list_below(below, depth - 1);
        free(below);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return found;
}

/* Accel-Sim's tracer makes APPLICATION/ARGUMENTS/traces/kernelslist. */
static rb_code_t no_list(const char *path, rb_err_t *err)
{
    enum { DEPTH = 3 };
    char *below = list_below(path, DEPTH);
    rb_code_t code =
        below != NULL
            ? rb_fail(err, RB_TRACE,
                      "%s: no kernelslist.g or kernelslist in this folder; there is one "
                      "in %s: name that",
                      path, below)
            : rb_fail(err, RB_TRACE, "%s: no kernelslist.g or kernelslist in this folder", path);

    free(below);
    return code;
}

rb_code_t accelsim_list_open(const char *path, accelsim_list_t *list, rb_err_t *err)
{
    uint64_t bytes;
    bool several;

    *list = (accelsim_list_t){0};
    if (in_file_is_folder(path)) {
        rb_err_t why = {0};
        list->path = find_list(path, &several, &why);
        if (why.code != RB_OK)
            return rb_fail(err, why.code, "%s", why.text);
        if (several)
            return rb_fail(err, RB_TRACE, "%s: several lists of kernels: name one of them", path);
        if (list->path == NULL)
            return no_list(path, err);
        return read_list(list, err);
    }
    if (is_list_name(base_name(path))) {
        list->path = rb_strdup(path);
        return read_list(list, err);
    }
    if (is_tracez(path, strlen(path)))
        return rb_fail(err, RB_TRACE, "%s: %s", path, tracez_advice);
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
