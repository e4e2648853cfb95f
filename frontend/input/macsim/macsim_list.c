#include "frontend/input/macsim/macsim_list.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

enum {
    THREADS_MAX = 1024,   /* per block, on every architecture */
    REGISTERS_MAX = 255,  /* per thread */
    SHARED_MAX = 1 << 20, /* bytes per block; no SM has more */
    BLOCKS_MAX_LOG2 = 40, /* per grid */
};

static const char config_name[] = "kernel_config.txt";
static const char names_name[] = "kernel_names.txt";
static const char trace_name[] = "trace.txt";
static const char samples_ending[] = "sampled_kernels_info.txt";

/* Returns folder/name; the caller frees it. */
static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    bool slash = n > 0 && folder[n - 1] != '/';
    char *path = rb_calloc(n + strlen(name) + 2, 1);

    sprintf(path, "%s%s%s", folder, slash ? "/" : "", name);
    return path;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = rb_strdup(slash != NULL ? path : ".");

    if (slash != NULL)
        folder[slash - path + (slash == path)] = '\0';
    return folder;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The file to start from in a folder: the list, or the only launch's; NULL if neither exists. */
static char *find_start(const char *folder)
{
    char *path = join(folder, config_name);

    if (is_file(path))
        return path;
    free(path);
    path = join(folder, trace_name);
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

bool macsim_list_detect(const char *path)
{
    if (!in_file_is_folder(path))
        return macsim_text_is_trace(path);
    char *start = find_start(path);
    bool found = start != NULL && macsim_text_is_trace(start);

    free(start);
    return found;
}

/* The number at the end of a folder's name, or index if there is none. */
static uint64_t folder_number(const char *name, size_t len, uint64_t index)
{
    const char *p = name + len;
    uint64_t number = index;

    while (p > name && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return p < name + len && macsim_text_number(&p, UINT64_MAX, &number) ? number : index;
}

/* Adds a launch whose files are in folder (ownership passes); name[0 .. len) is its last
 * component. */
static void add_kernel(macsim_list_t *list, char *folder, const char *name, size_t len)
{
    rb_grow(&list->kernels, &list->cap_kernels, list->n_kernels + 1, sizeof(list->kernels[0]));
    macsim_kernel_t *k = &list->kernels[list->n_kernels];

    *k = (macsim_kernel_t){.folder = folder,
                           .trace = join(folder, trace_name),
                           .number = folder_number(name, len, list->n_kernels),
                           .weight = 1,
                           .name = rb_calloc(len + 1, 1)};
    memcpy(k->name, name, len);
    list->n_kernels++;
}

/* "./Kernel<N>/trace.txt": only the folder's own name is used, since the trace may have been
 * moved. */
static rb_code_t read_kernel(const macsim_text_t *t, const char *root, macsim_list_t *list,
                             rb_err_t *err)
{
    const char *end = strrchr(t->text, '/'), *begin = end;

    if (end == NULL || strcmp(end + 1, trace_name) != 0)
        return macsim_text_fail(t, err, "'FOLDER/trace.txt' is expected, not '%.100s'", t->text);
    while (begin > t->text && begin[-1] != '/')
        begin--;
    size_t len = (size_t)(end - begin);

    if (len == 0 || strncmp(begin, "..", len) == 0)
        return macsim_text_fail(t, err, "the folder of the launch has no name: '%.100s'", t->text);
    char *name = rb_calloc(len + 1, 1);

    memcpy(name, begin, len);
    add_kernel(list, join(root, name), begin, len);
    free(name);
    return RB_OK;
}

static rb_code_t read_kernels(macsim_text_t *t, const char *root, macsim_list_t *list,
                              rb_err_t *err)
{
    bool more;

    RB_TRY(macsim_text_head(t, err));
    RB_TRY(macsim_text_need(t, "the line -1", err));
    if (strcmp(t->text, "-1") != 0)
        return macsim_text_fail(t, err, "-1 is expected: a list of launches follows");
    for (;;) {
        RB_TRY(macsim_text_next(t, &more, err));
        if (!more)
            break;
        if (t->text[0] != '\0')
            RB_TRY(read_kernel(t, root, list, err));
    }
    return list->n_kernels > 0 ? RB_OK : macsim_text_fail(t, err, "the list names no launch");
}

/* --- kernel_names.txt ------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const macsim_kernel_t *x = *(macsim_kernel_t *const *)a, *y = *(macsim_kernel_t *const *)b;

    return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns the launches sorted by number; the caller frees the array. */
static macsim_kernel_t **sort_kernels(const macsim_list_t *list)
{
    macsim_kernel_t **sorted = rb_calloc(list->n_kernels, sizeof(sorted[0]));

    for (size_t i = 0; i < list->n_kernels; i++)
        sorted[i] = &list->kernels[i];
    qsort(sorted, list->n_kernels, sizeof(sorted[0]), by_number);
    return sorted;
}

static macsim_kernel_t *find_kernel(macsim_kernel_t **sorted, size_t n, uint64_t number)
{
    macsim_kernel_t key = {.number = number}, *wanted = &key;
    macsim_kernel_t **found = bsearch(&wanted, sorted, n, sizeof(sorted[0]), by_number);

    return found != NULL ? *found : NULL;
}

/* Reads "x, y, z)" after key. */
static rb_code_t read_dim(const macsim_text_t *t, const char *key, uint64_t max, uint32_t dim[3],
                          rb_err_t *err)
{
    const char *p = strstr(t->text, key);

    if (p == NULL)
        return macsim_text_fail(t, err, "'%sx, y, z)' is missing", key);
    p += strlen(key);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;

        if (!macsim_text_number(&p, max, &n) || n == 0 || *p++ != (i < 2 ? ',' : ')'))
            return macsim_text_fail(t, err, "'%s' needs three numbers between 1 and %" PRIu64, key,
                                    max);
        dim[i] = (uint32_t)n;
    }
    return RB_OK;
}

/* Reads a number after key; 0 if an older tracer did not write the key. */
static rb_code_t read_number(const macsim_text_t *t, const char *key, uint64_t max, uint32_t *out,
                             rb_err_t *err)
{
    const char *p = strstr(t->text, key);
    uint64_t n = 0;

    if (p != NULL) {
        p += strlen(key);
        if (!macsim_text_number(&p, max, &n))
            return macsim_text_fail(t, err, "'%s' needs a number of at most %" PRIu64, key, max);
    }
    *out = (uint32_t)n;
    return RB_OK;
}

/* "  Grid size: (x, y, z), Block size: (x, y, z), ..., # of regs: r, static shared mem: s, ..." */
static rb_code_t read_shape(const macsim_text_t *t, macsim_kernel_t *k, rb_err_t *err)
{
    const uint64_t blocks_max = 1ull << BLOCKS_MAX_LOG2;
    uint32_t static_bytes = 0, dynamic_bytes = 0;

    RB_TRY(read_dim(t, "Grid size: (", INT32_MAX, k->grid, err));
    RB_TRY(read_dim(t, "Block size: (", THREADS_MAX, k->block, err));
    RB_TRY(read_number(t, "# of regs:", REGISTERS_MAX, &k->regs, err));
    RB_TRY(read_number(t, "static shared mem:", SHARED_MAX, &static_bytes, err));
    RB_TRY(read_number(t, "dynamic shared mem:", SHARED_MAX, &dynamic_bytes, err));
    if ((uint64_t)k->grid[0] * k->grid[1] > blocks_max / k->grid[2])
        return macsim_text_fail(t, err, "no GPU supports this many blocks");
    if (k->block[0] * k->block[1] * k->block[2] > THREADS_MAX)
        return macsim_text_fail(t, err, "a block has at most 1024 threads");
    k->shared_bytes = static_bytes + dynamic_bytes;
    if (k->shared_bytes > SHARED_MAX)
        return macsim_text_fail(t, err, "no SM has that much shared memory");
    k->described = true;
    return RB_OK;
}

/* Reads pairs of lines; ignores launches that are not in the trace. */
static rb_code_t read_names(macsim_text_t *t, macsim_kernel_t **sorted, size_t n, rb_err_t *err)
{
    static const char mark[] = " name: ";
    bool more;

    for (;;) {
        RB_TRY(macsim_text_next(t, &more, err));
        if (!more)
            return RB_OK;
        if (t->text[0] == '\0')
            continue;
        char *name = strstr(t->text, mark);

        if (name == NULL)
            return macsim_text_fail(t, err, "'Kernel<N> name: NAME' is expected");
        macsim_kernel_t *k =
            find_kernel(sorted, n, folder_number(t->text, (size_t)(name - t->text), UINT64_MAX));

        if (k != NULL) {
            free(k->name);
            k->name = rb_strdup(name + sizeof(mark) - 1);
        }
        RB_TRY(macsim_text_need(t, "the sizes of this launch", err));
        if (k != NULL)
            RB_TRY(read_shape(t, k, err));
    }
}

static rb_code_t read_names_file(macsim_list_t *list, rb_err_t *err)
{
    macsim_kernel_t **sorted;
    macsim_text_t t;

    RB_TRY(macsim_text_open(&t, list->names, err));
    sorted = sort_kernels(list);
    rb_code_t code = read_names(&t, sorted, list->n_kernels, err);

    free(sorted);
    macsim_text_close(&t);
    return code;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Finds the file of the sampling in a folder; the tracer names its copy after the profile. */
static char *find_samples(const char *folder)
{
    const size_t ending = sizeof(samples_ending) - 1;
    DIR *dir = opendir(folder);
    char *found = NULL;

    if (dir == NULL)
        return NULL;
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        size_t n = strlen(d->d_name);

        if (n < ending || strcmp(d->d_name + n - ending, samples_ending) != 0)
            continue;
        char *path = join(folder, d->d_name);

        if (found == NULL || strcmp(path, found) < 0) { /* if there are several, choose the same on
                                                         * every machine */
            free(found);
            found = path;
        } else {
            free(path);
        }
    }
    closedir(dir);
    return found;
}

static rb_code_t read_config(const char *root, macsim_list_t *list, rb_err_t *err)
{
    macsim_text_t t;

    RB_TRY(macsim_text_open(&t, list->config, err));
    rb_code_t code = read_kernels(&t, root, list, err);

    macsim_text_close(&t);
    RB_TRY(code);
    list->names = join(root, names_name);
    if (!is_file(list->names)) {
        free(list->names);
        list->names = NULL;
    }
    list->samples = find_samples(root);
    return list->names != NULL ? read_names_file(list, err) : RB_OK;
}

/* In a list of launches, the third line is -1; in a launch it is the number of blocks per SM. */
static rb_code_t is_list(const char *path, bool *list, rb_err_t *err)
{
    macsim_text_t t;

    RB_TRY(macsim_text_open(&t, path, err));
    rb_code_t code = macsim_text_head(&t, err);

    if (code == RB_OK)
        code = macsim_text_need(&t, "the third line", err);
    *list = code == RB_OK && strcmp(t.text, "-1") == 0;
    macsim_text_close(&t);
    return code;
}

rb_code_t macsim_list_open(const char *path, macsim_list_t *list, rb_err_t *err)
{
    char *start = in_file_is_folder(path) ? find_start(path) : rb_strdup(path);
    bool several;

    *list = (macsim_list_t){0};
    if (start == NULL)
        return rb_fail(err, RB_TRACE, "%s: no %s in this folder", path, config_name);
    char *folder = folder_of(start);
    rb_code_t code = is_list(start, &several, err);

    if (code == RB_OK && several) {
        list->config = rb_strdup(start);
        code = read_config(folder, list, err);
    } else if (code == RB_OK) {
        const char *slash = strrchr(folder, '/');
        const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : folder;

        add_kernel(list, rb_strdup(folder), name, strlen(name));
    }
    free(folder);
    free(start);
    return code;
}

void macsim_list_free(macsim_list_t *list)
{
    for (size_t i = 0; i < list->n_kernels; i++) {
        free(list->kernels[i].folder);
        free(list->kernels[i].trace);
        free(list->kernels[i].name);
    }
    free(list->kernels);
    free(list->config);
    free(list->names);
    free(list->samples);
    *list = (macsim_list_t){0};
}
