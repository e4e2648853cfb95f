#include "frontend/tool/run/program/vendor_libs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/run/program/library_place.h"
#include "frontend/tool/run/program/program_folders.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

extern char **environ;

enum { ARCHIVES_MAX = 4, WORDS_MAX = 48, PLACES_MAX = 8 };

/*
 * A library: its archive (two names: older and newer toolkits differ), the archives and libraries
 * that it needs, and what it exports. A library comes after those that it needs.
 */
typedef struct {
    const char *name;
    const char *archive[2];
    const char *parts[ARCHIVES_MAX];     /* taken as far as needed, where they exist */
    const char *libraries[ARCHIVES_MAX]; /* of this table */
    const char *exports;                 /* a pattern of the linker */
} vendor_lib_t;

static const vendor_lib_t vendor_libs[] = {
    {"cublasLt", {"cublasLt_static"}, {NULL}, {NULL}, "cublas*"},
    /* also uses parts of cuBLASLt that are not exported */
    {"cublas", {"cublas_static"}, {"cublasLt_static"}, {"cublasLt"}, "cublas*"},
    {"cufft", {"cufft_static_nocallback", "cufft_static"}, {NULL}, {NULL}, "cufft*"},
    {"curand", {"curand_static"}, {NULL}, {NULL}, "curand*"},
    {"cusparse",
     {"cusparse_static"},
     {"nvJitLink_static", "nvptxcompiler_static"},
     {NULL},
     "cusparse*"},
    {"cusolver",
     {"cusolver_static"},
     {"cusolver_lapack_static", "metis_static", "cusolver_metis_static"},
     {"cublas", "cublasLt", "cusparse"},
     "cusolver*"},
};
enum { LIBS = sizeof(vendor_libs) / sizeof(vendor_libs[0]) };

/* The usual advice for something that is missing. */
#define WHERE_FROM "(Debian: package nvidia-cuda-dev; otherwise NVIDIA's CUDA toolkit)"

typedef struct {
    const vendor_libs_options_t *options;
    char *places[PLACES_MAX]; /* folders that may hold the archives; owned */
    unsigned n_places;
    library_place_t place;          /* open once an archive is found */
    char runtime[PATH_MAX];         /* folder of rubato's CUDA runtime */
    char built[LIBS][NAME_MAX + 1]; /* file names of libraries in the folder; "": none */
    unsigned n_built;
} work_t;

/* --- places ---------------------------------------------------------------------------------- */

static void find_places(work_t *w)
{
    static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/lib64"};
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};

    if (w->options->archives != NULL) {
        w->places[w->n_places++] = rb_strdup(w->options->archives);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        if (getenv(variables[i]) != NULL)
            w->places[w->n_places++] = rb_format("%s/lib64", getenv(variables[i]));
    for (unsigned i = 0; i < 2; i++)
        w->places[w->n_places++] = rb_strdup(usual[i]);
}

static void free_places(work_t *w)
{
    for (unsigned i = 0; i < w->n_places; i++)
        free(w->places[i]);
}

/* The archive lib<name>.a in a folder; false: there is none. */
static bool archive_in(const char *folder, const char *name, char path[PATH_MAX])
{
    if (name == NULL)
        return false;
    snprintf(path, PATH_MAX, "%.*s/lib%s.a", PATH_MAX - NAME_MAX, folder, name);
    return access(path, R_OK) == 0;
}

/* The folder that holds a library's archive, or NULL. */
static const char *find_archive(const work_t *w, const vendor_lib_t *l, char path[PATH_MAX])
{
    for (unsigned i = 0; i < w->n_places; i++)
        for (unsigned k = 0; k < 2; k++)
            if (archive_in(w->places[i], l->archive[k], path))
                return w->places[i];
    return NULL;
}

/* Orders the names of versions: a shorter one first, which is a link to the longer ones; among
 * names of one length the higher number, then any fixed order. */
static bool precedes(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);

    return m == 0 || n < m || (n == m && strcmp(a, b) > 0);
}

/* Whether folder/name is the file at path, through links; any name will do if path is "". */
static bool leads_to(const char *folder, const char *name, const char *path)
{
    char *link = rb_format("%s/%s", folder, name), *file = realpath(link, NULL);
    bool same = path[0] == '\0' || (file != NULL && strcmp(file, path) == 0);

    free(link);
    free(file);
    return same;
}

/*
 * The name by which programs ask for a library: the shortest lib<name>.so.N in a folder. If there
 * are several versions, that to which lib<name>.so links, the one for which programs are built.
 */
static bool shared_name(const char *folder, const char *name, char found[NAME_MAX + 1])
{
    char start[NAME_MAX + 1], path[PATH_MAX], chosen[PATH_MAX];
    DIR *dir = opendir(folder);

    found[0] = '\0';
    snprintf(start, sizeof(start), "lib%s.so.", name);
    snprintf(path, sizeof(path), "%.*s/lib%s.so", PATH_MAX - NAME_MAX, folder, name);
    if (realpath(path, chosen) == NULL)
        chosen[0] = '\0';
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (strncmp(e->d_name, start, strlen(start)) == 0 && precedes(e->d_name, found) &&
            leads_to(folder, e->d_name, chosen))
            snprintf(found, NAME_MAX + 1, "%s", e->d_name);
    if (dir != NULL)
        closedir(dir);
    return found[0] != '\0';
}

/* --- the linker ------------------------------------------------------------------------------ */

typedef struct {
    char *words[WORDS_MAX]; /* owned */
    unsigned n;
} command_t;

static void add_word(command_t *c, char *word)
{
    RB_INVARIANT(c->n + 1 < WORDS_MAX, "a command has too many words");
    c->words[c->n++] = word;
    c->words[c->n] = NULL;
}

static void free_command(command_t *c)
{
    for (unsigned i = 0; i < c->n; i++)
        free(c->words[i]);
}

/* Runs it; its output goes to a file. Returns whether it succeeded; *error is errno if it could not
 * be started, else 0. */
static bool run_command(const command_t *c, const char *log, int *error)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    *error = posix_spawnp(&pid, c->words[0], &actions, NULL, c->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (*error == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return *error == 0 && status == 0;
}

/* Only the documented names are exported, with the version that programs ask for. */
static rb_code_t write_map(const char *path, const char *version, const char *exports,
                           rb_err_t *err)
{
    FILE *out = fopen(path, "we");

    if (out != NULL)
        fprintf(out, "%s { global: %s; local: *; };\n", version, exports);
    if (out == NULL || fclose(out) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return RB_OK;
}

static const char *built_name(const work_t *w, const char *library)
{
    for (unsigned i = 0; i < LIBS; i++)
        if (strcmp(vendor_libs[i].name, library) == 0)
            return w->built[i];
    return "";
}

static void link_command(const work_t *w, const vendor_lib_t *l, const char *archive,
                         const char *folder, const char *soname, const char *cudart,
                         const char *output, const char *map, command_t *c)
{
    const char *compiler = getenv("CXX");
    char path[PATH_MAX];

    *c = (command_t){0};
    add_word(c, rb_strdup(compiler != NULL && compiler[0] != '\0' ? compiler : "g++"));
    add_word(c, rb_strdup("-shared"));
    add_word(c, rb_strdup("-o"));
    add_word(c, rb_strdup(output));
    add_word(c, rb_format("-Wl,-soname,%s", soname));
    add_word(c, rb_format("-Wl,--version-script=%s", map));
    add_word(c, rb_strdup("-Wl,-z,defs"));
    add_word(c, rb_strdup("-Wl,--whole-archive"));
    add_word(c, rb_strdup(archive));
    add_word(c, rb_strdup("-Wl,--no-whole-archive"));
    for (unsigned i = 0; i < ARCHIVES_MAX && l->libraries[i] != NULL; i++)
        add_word(c, rb_format("%s/%s", w->options->folder, built_name(w, l->libraries[i])));
    for (unsigned i = 0; i < ARCHIVES_MAX; i++)
        if (archive_in(folder, l->parts[i], path))
            add_word(c, rb_strdup(path));
    if (archive_in(folder, "culibos", path))
        add_word(c, rb_strdup(path));
    add_word(c, rb_format("%s/%s", w->runtime, cudart));
    add_word(c, rb_format("%s/libcuda.so.1", w->runtime));
    add_word(c, rb_strdup("-ldl"));
    add_word(c, rb_strdup("-lpthread"));
    add_word(c, rb_strdup("-lrt"));
}

/* The first error of the linker, or its last line. */
static void first_error(const char *log, char *text, size_t size)
{
    FILE *in = fopen(log, "re");
    char line[500];

    snprintf(text, size, "no output");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", line);
        if (strstr(line, "undefined reference") != NULL || strstr(line, "error") != NULL)
            break;
    }
    if (in != NULL)
        fclose(in);
}

/* The file beside a library that says from which archive it was built. Free with free(). */
static char *origin_file(const char *library)
{
    return rb_format("%s.from", library);
}

/* The full path of an archive, as the file says it. Free with free(). */
static char *full_path(const char *archive)
{
    char *path = realpath(archive, NULL);

    return path != NULL ? path : rb_strdup(archive);
}

static rb_code_t write_origin(const char *library, const char *archive, rb_err_t *err)
{
    char *path = origin_file(library), *full = full_path(archive);
    FILE *out = fopen(path, "we");
    bool written = out != NULL && fputs(full, out) >= 0;
    rb_code_t rc = RB_OK;

    if ((out != NULL && fclose(out) != 0) || !written)
        rc = rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    free(path);
    free(full);
    return rc;
}

/* Whether a library was built from an archive, by what is written beside it. */
static bool is_from(const char *library, const char *archive)
{
    char *path = origin_file(library), *full = full_path(archive), text[PATH_MAX + 1] = "";
    FILE *in = fopen(path, "re");

    if (in != NULL) {
        text[fread(text, 1, PATH_MAX, in)] = '\0';
        fclose(in);
    }
    bool same = strcmp(text, full) == 0;
    free(path);
    free(full);
    return same;
}

/* Moves a new library to its name. The old one's origin goes first: a library without one is built
 * again. */
static rb_code_t put_in_place(const char *from, const char *library, const char *archive,
                              rb_err_t *err)
{
    char *origin = origin_file(library);

    unlink(origin);
    free(origin);
    if (rename(from, library) != 0)
        return rb_fail(err, RB_IO, "%s: %s", library, strerror(errno));
    return write_origin(library, archive, err);
}

/* Runs the linker. */
static rb_code_t link_with(const command_t *c, const char *log, const char *archive, rb_err_t *err)
{
    char reason[512];
    int error;

    if (run_command(c, log, &error))
        return RB_OK;
    if (error != 0)
        return rb_fail(err, RB_IO,
                       "%s: the compiler %s cannot be started: %s; CXX names another C++ compiler",
                       archive, c->words[0], strerror(error));
    first_error(log, reason, sizeof(reason));
    return rb_fail(err, RB_IO, "%s: %s failed: %s", archive, c->words[0], reason);
}

static rb_code_t link_library(work_t *w, const vendor_lib_t *l, const char *archive,
                              const char *folder, const char *soname, const char *cudart,
                              rb_err_t *err)
{
    RB_TRY(library_place_scratch(&w->place, w->options->folder, err));
    char *library = rb_format("%s/%s", w->options->folder, soname);
    char *output = rb_format("%s/library", w->place.scratch);
    char *map = rb_format("%s/map", w->place.scratch);
    char *log = rb_format("%s/log", w->place.scratch);
    command_t c = {0};
    rb_code_t rc = write_map(map, soname, l->exports, err);

    if (rc == RB_OK) {
        link_command(w, l, archive, folder, soname, cudart, output, map, &c);
        rc = link_with(&c, log, archive, err);
    }
    if (rc == RB_OK)
        rc = put_in_place(output, library, archive, err);
    free_command(&c);
    free(library);
    free(output);
    free(map);
    free(log);
    return rc;
}

/* --- a library ------------------------------------------------------------------------------- */

/* Whether a library was built from its archive after that was installed. */
static bool is_fresh(const char *library, const char *archive)
{
    struct stat a, b;

    return is_from(library, archive) && stat(library, &a) == 0 && stat(archive, &b) == 0 &&
           a.st_mtime >= b.st_mtime && a.st_mtime >= b.st_ctime;
}

/* Why a library is left out, or NULL. */
static const char *lacking(const work_t *w, const vendor_lib_t *l)
{
    for (unsigned i = 0; i < ARCHIVES_MAX && l->libraries[i] != NULL; i++)
        if (built_name(w, l->libraries[i])[0] == '\0')
            return l->libraries[i];
    return NULL;
}

static rb_code_t find_versions(const work_t *w, const vendor_lib_t *l, const char *archive,
                               const char *folder, char soname[NAME_MAX + 1],
                               char cudart[NAME_MAX + 1], rb_err_t *err)
{
    char path[PATH_MAX];

    if (!shared_name(folder, l->name, soname) || !shared_name(folder, "cudart", cudart))
        return rb_fail(err, RB_USAGE,
                       "%s: there is no lib%s.so.* beside it, which tells the version; install the "
                       "whole toolkit " WHERE_FROM,
                       archive, soname[0] == '\0' ? l->name : "cudart");
    snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - NAME_MAX - 2, w->runtime, cudart);
    if (access(path, R_OK) != 0)
        return rb_fail(err, RB_USAGE,
                       "%s: it needs %s, and rubato has no runtime of that version; use the "
                       "archives of CUDA 11 to 13",
                       archive, cudart);
    return RB_OK;
}

static rb_code_t build(work_t *w, unsigned index, rb_err_t *err)
{
    const vendor_lib_t *l = &vendor_libs[index];
    char archive[PATH_MAX], path[PATH_MAX], soname[NAME_MAX + 1], cudart[NAME_MAX + 1];
    const char *folder = find_archive(w, l, archive), *lacks = lacking(w, l);

    if (folder == NULL || lacks != NULL) {
        printf("lib%s: left out: no lib%s%s " WHERE_FROM "\n", l->name,
               folder == NULL ? l->archive[0] : lacks, folder == NULL ? ".a" : "");
        return RB_OK;
    }
    RB_TRY(find_versions(w, l, archive, folder, soname, cudart, err));
    if (w->place.fd < 0)
        RB_TRY(library_place_open(&w->place, w->options->folder, err));
    snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - NAME_MAX - 2, w->options->folder, soname);
    bool fresh = !w->options->force && is_fresh(path, archive);
    if (!fresh)
        RB_TRY(link_library(w, l, archive, folder, soname, cudart, err));
    printf("%s: %s\n", path, fresh ? "is there" : archive);
    fflush(stdout);
    snprintf(w->built[index], sizeof(w->built[index]), "%s", soname);
    w->n_built++;
    return RB_OK;
}

rb_code_t vendor_libs_build(const vendor_libs_options_t *o, rb_err_t *err)
{
    work_t w = {.options = o, .place.fd = -1};
    rb_code_t rc = program_runtime(w.runtime, err);

    find_places(&w);
    for (unsigned i = 0; i < LIBS && rc == RB_OK; i++)
        rc = build(&w, i, err);
    if (rc == RB_OK && w.n_built == 0)
        rc = rb_fail(err, RB_USAGE,
                     "no static archives of CUDA libraries were found; --archives names their "
                     "folder");
    library_place_close(&w.place);
    free_places(&w);
    return rc;
}
