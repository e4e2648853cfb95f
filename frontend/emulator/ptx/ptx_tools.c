#include "frontend/emulator/ptx/ptx_tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

extern char **environ;

/* --- places ---------------------------------------------------------------------------------- */

typedef struct {
    char (*found)[PATH_MAX];
    unsigned n;
} places_t;

/* Adds folder/name if it can be executed and is not in the list. */
static void add(places_t *p, const char *folder, const char *inner, const char *name)
{
    char path[PATH_MAX];

    if (p->n == PTX_TOOLS_MAX || folder == NULL || folder[0] == '\0' ||
        snprintf(path, sizeof(path), "%s%s/%s", folder, inner, name) >= (int)sizeof(path) ||
        access(path, X_OK) != 0)
        return;
    for (unsigned i = 0; i < p->n; i++)
        if (strcmp(p->found[i], path) == 0)
            return;
    memcpy(p->found[p->n++], path, sizeof(path));
}

static void add_path(places_t *p, const char *name)
{
    const char *list = getenv("PATH");
    char *copy = rb_strdup(list != NULL ? list : ""), *at;

    for (char *folder = strtok_r(copy, ":", &at); folder != NULL; folder = strtok_r(NULL, ":", &at))
        add(p, folder, "", name);
    free(copy);
}

unsigned ptx_tools(const char *name, char found[PTX_TOOLS_MAX][PATH_MAX])
{
    const char *own = getenv("RUBATO_PTXAS");
    places_t p = {.found = found};

    if (own != NULL && own[0] != '\0') {
        const char *slash = strrchr(own, '/');
        char folder[PATH_MAX];
        snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - own) : 1,
                 slash != NULL ? own : ".");
        add(&p, folder, "", strcmp(name, "ptxas") == 0 && slash != NULL ? slash + 1 : name);
        return p.n;
    }
    add_path(&p, name);
    add(&p, getenv("CUDA_HOME"), "/bin", name);
    add(&p, getenv("CUDA_PATH"), "/bin", name);
    add(&p, "/usr/local/cuda", "/bin", name);
    add(&p, "/usr/lib/nvidia-cuda-toolkit", "/bin", name); /* Debian */
    return p.n;
}

/* --- files ----------------------------------------------------------------------------------- */

rb_code_t ptx_folder_make(char folder[PATH_MAX], rb_err_t *err)
{
    snprintf(folder, PATH_MAX, "%s/rubato-ptx-XXXXXX", unnamed_file_dir(getenv("RUBATO_TMPDIR")));
    if (mkdtemp(folder) == NULL)
        return rb_fail(err, RB_IO, "%s: no temporary folder: %s", folder, strerror(errno));
    return RB_OK;
}

void ptx_folder_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[PATH_MAX];

    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < (int)sizeof(path))
            unlink(path);
    if (dir != NULL)
        closedir(dir);
    rmdir(folder);
}

uint8_t *ptx_read_file(const char *path, size_t *size)
{
    struct stat st;
    FILE *in = fopen(path, "rbe");
    uint8_t *data = NULL;

    if (in == NULL)
        return NULL;
    if (fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode)) {
        *size = (size_t)st.st_size;
        data = rb_calloc(*size + 1, 1);
        if (fread(data, 1, *size, in) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(in);
    return data;
}

bool ptx_write_file(const char *path, const void *data, size_t size)
{
    FILE *out = fopen(path, "wbe");

    if (out == NULL)
        return false;
    const bool written = fwrite(data, 1, size, out) == size;
    return fclose(out) == 0 && written;
}

/* --- running --------------------------------------------------------------------------------- */

/* The environment without what rubato loads into programs. Free the list with free(). */
static char **clean_environment(void)
{
    size_t n = 0, kept = 0;

    while (environ[n] != NULL)
        n++;
    char **list = rb_calloc(n + 1, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            list[kept++] = environ[i];
    return list;
}

static void read_log(const char *path, char *log, size_t log_size)
{
    size_t n = 0;
    FILE *in = fopen(path, "re");

    if (in != NULL) {
        n = fread(log, 1, log_size - 1, in);
        fclose(in);
    }
    while (n > 0 && (log[n - 1] == '\n' || log[n - 1] == ' '))
        n--;
    log[n] = '\0';
}

bool ptx_run(const char *folder, const char *const *words, char *log, size_t log_size)
{
    char path[PATH_MAX];
    posix_spawn_file_actions_t actions;
    pid_t pid, got;
    int status = 0;

    log[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/log", folder) >= (int)sizeof(path) ||
        posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    char **environment = clean_environment();
    int error =
        posix_spawn(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        snprintf(log, log_size, "%s", strerror(error));
        return false;
    }
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    read_log(path, log, log_size);
    /* A program that ignores its children does not learn how they end. */
    return got < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
