#include "frontend/input/accelsim/file/accelsim_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

static const char list_name[] = "kernelslist";

const char *const accelsim_endings[ACCELSIM_ENDINGS] = {
    ".traceg", ".traceg.xz", ".traceg.zst", ".traceg.gz", ".tracez",
    ".trace",  ".trace.xz",  ".trace.zst",  ".trace.gz",
};

static bool has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);

    return n >= e && strcmp(name + n - e, ending) == 0;
}

size_t accelsim_ending(const char *name)
{
    size_t i = 0;

    while (i < ACCELSIM_ENDINGS && !has_ending(name, accelsim_endings[i]))
        i++;
    return i;
}

size_t accelsim_stem(const char *name)
{
    const size_t ending = accelsim_ending(name);

    return strlen(name) - (ending < ACCELSIM_ENDINGS ? strlen(accelsim_endings[ending]) : 0);
}

bool accelsim_is_list_name(const char *name)
{
    return strncmp(name, list_name, sizeof(list_name) - 1) == 0;
}

const char *accelsim_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

char *accelsim_join(const char *folder, size_t folder_len, const char *name, size_t name_len)
{
    char *path = rb_calloc(folder_len + name_len + 2, 1);

    memcpy(path, folder, folder_len);
    if (folder_len > 0 && folder[folder_len - 1] != '/')
        path[folder_len++] = '/';
    memcpy(path + folder_len, name, name_len);
    return path;
}

static DIR *open_folder(const char *folder, rb_err_t *err)
{
    DIR *dir = opendir(folder);

    if (dir == NULL)
        (void)rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    return dir;
}

char *accelsim_folder_list(const char *folder, bool *several, rb_err_t *err)
{
    DIR *dir = open_folder(folder, err);
    char *found = NULL;
    unsigned n[2] = {0, 0};

    *several = false;
    if (dir == NULL)
        return NULL;
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        bool grouped = has_ending(d->d_name, ".g");

        if (!accelsim_is_list_name(d->d_name) || (n[1] > 0 && !grouped))
            continue;
        n[grouped]++;
        free(found);
        found = accelsim_join(folder, strlen(folder), d->d_name, strlen(d->d_name));
    }
    closedir(dir);
    *several = n[n[1] > 0] > 1;
    if (*several) {
        free(found);
        found = NULL;
    }
    return found;
}

/* Compares the numbers at *a and *b by value, of any length, and steps over them. */
static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t n = strspn(*a, "0123456789"), m = strspn(*b, "0123456789");
    int c = n != m ? (n > m) - (n < m) : strncmp(*a, *b, n);

    *a += n;
    *b += m;
    return c;
}

/* Compares n and m bytes of two names; digits count as numbers. */
static int compare_names(const char *a, size_t n, const char *b, size_t m)
{
    const char *end_a = a + n, *end_b = b + m;

    while (a < end_a && b < end_b) {
        int c;

        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b))
            c = compare_numbers(&a, &b);
        else
            c = (unsigned char)*a++ - (unsigned char)*b++;
        if (c != 0)
            return c;
    }
    return (a < end_a) - (b < end_b);
}

/* By kernel, then by preference. */
static int by_number(const void *x, const void *y)
{
    const char *a = *(char *const *)x, *b = *(char *const *)y;
    int c = compare_names(a, accelsim_stem(a), b, accelsim_stem(b));

    c = c != 0 ? c : strcmp(a, b);
    if (accelsim_stem(a) == accelsim_stem(b) && strncmp(a, b, accelsim_stem(a)) == 0)
        c = (int)accelsim_ending(a) - (int)accelsim_ending(b);
    return c;
}

static bool is_grouped(const char *name)
{
    return name[0] != '.' && accelsim_ending(name) < ACCELSIM_GROUPED_ENDINGS;
}

/* Removes further files of the same kernel. */
static void keep_preferred(accelsim_files_t *files)
{
    size_t kept = 0;

    for (size_t i = 0; i < files->n; i++) {
        char *name = files->names[i];
        const char *last = kept > 0 ? files->names[kept - 1] : NULL;

        if (last != NULL && accelsim_stem(last) == accelsim_stem(name) &&
            strncmp(last, name, accelsim_stem(name)) == 0)
            free(name);
        else
            files->names[kept++] = name;
    }
    files->n = kept;
}

rb_code_t accelsim_folder_kernels(accelsim_files_t *files, const char *folder, rb_err_t *err)
{
    DIR *dir = open_folder(folder, err);

    *files = (accelsim_files_t){0};
    if (dir == NULL)
        return RB_IO;
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (!is_grouped(d->d_name))
            continue;
        rb_grow(&files->names, &files->cap, files->n + 1, sizeof(*files->names));
        files->names[files->n++] = rb_strdup(d->d_name);
    }
    closedir(dir);
    if (files->n > 0)
        qsort(files->names, files->n, sizeof(*files->names), by_number);
    keep_preferred(files);
    return RB_OK;
}

void accelsim_folder_free(accelsim_files_t *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->names[i]);
    free(files->names);
    *files = (accelsim_files_t){0};
}

bool accelsim_folder_detect(const char *folder)
{
    DIR *dir = opendir(folder);
    bool found = false;

    if (dir == NULL)
        return false;
    for (struct dirent *d; !found && (d = readdir(dir)) != NULL;)
        found = accelsim_is_list_name(d->d_name) || is_grouped(d->d_name);
    closedir(dir);
    return found;
}

char *accelsim_folder_below(const char *folder, int depth)
{
    struct dirent **entry;
    char *found = NULL;
    const int n = scandir(folder, &entry, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        char *below = accelsim_join(folder, strlen(folder), name, strlen(name));
        const bool look = found == NULL && name[0] != '.' && in_file_is_folder(below);

        if (look && accelsim_folder_detect(below))
            found = rb_strdup(below);
        else if (look && depth > 1)
            found = accelsim_folder_below(below, depth - 1);
        free(below);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return found;
}
