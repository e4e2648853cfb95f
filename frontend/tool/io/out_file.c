#include "frontend/tool/io/out_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/new_file.h"
#include "sim/core/files/temporary.h"

static rb_code_t file_error(const char *what, const char *path, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: %s: %s", path, what, strerror(errno));
}

char *out_path(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = rb_calloc(n, 1);
    snprintf(path, n, "%s/%s", folder, name);
    return path;
}

bool out_has(const char *folder, const char *name)
{
    char *path = out_path(folder, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

/* The hidden name beside path that the file has until it is complete. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t n = strlen(path) + sizeof("..tmp");
    char *temporary = rb_calloc(n, 1);
    snprintf(temporary, n, "%.*s.%s.tmp", (int)(name - path), path, name);
    return temporary;
}

/*
 * Removes temporary files on interruption, also for commands without signal handlers of their own.
 */
static void on_interrupt(int signal_number)
{
    temporary_remove_all();
    raise(signal_number); /* raised again; SA_RESETHAND restored the default action */
}

void out_guard(const char *temporary)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    temporary_add(temporary);
}

void out_unguard(const char *temporary)
{
    temporary_drop(temporary);
}

rb_code_t out_file_open_path(out_file_t *f, const char *path, rb_err_t *err)
{
    *f = (out_file_t){0};
    if (path[0] == '\0')
        return rb_fail(err, RB_USAGE, "the name of a file to write is empty");
    if (path[strlen(path) - 1] == '/')
        return rb_fail(err, RB_USAGE, "%s: is a folder; the name of a file is expected", path);
    f->path = new_file_name(path, true, err);
    if (f->path == NULL)
        return RB_USAGE;
    f->temporary = temporary_name(f->path);
    f->out = fopen(f->temporary, "we");
    if (f->out == NULL) {
        rb_code_t rc = file_error("cannot create", f->path, err);
        out_file_abandon(f);
        return rc;
    }
    out_guard(f->temporary);
    return RB_OK;
}

rb_code_t out_file_open(out_file_t *f, const char *folder, const char *name, rb_err_t *err)
{
    char *path = out_path(folder, name);
    rb_code_t rc = out_file_open_path(f, path, err);
    free(path);
    return rc;
}

/* Why an earlier write to the stream failed; stdio does not keep the reason. Tries again: the file
 * is lost anyway. */
static int reason_of_failure(FILE *out)
{
    return write(fileno(out), "", 1) < 0 ? errno : EIO;
}

rb_code_t out_file_finish(out_file_t *f, rb_err_t *err)
{
    bool good = fflush(f->out) == 0 && !ferror(f->out) && fsync(fileno(f->out)) == 0;
    if (ferror(f->out))
        errno = reason_of_failure(f->out);
    int reason = errno;
    if (fclose(f->out) != 0 && good) {
        good = false;
        reason = errno;
    }
    f->out = NULL;
    errno = reason;
    return good ? RB_OK : file_error("cannot write", f->path, err);
}

static void release(out_file_t *f)
{
    if (f->temporary != NULL)
        out_unguard(f->temporary);
    free(f->path);
    free(f->temporary);
    *f = (out_file_t){0};
}

rb_code_t out_file_commit(out_file_t *f, rb_err_t *err)
{
    if (rename(f->temporary, f->path) != 0) {
        rb_code_t rc = file_error("cannot rename", f->path, err);
        out_file_abandon(f);
        return rc;
    }
    release(f);
    return RB_OK;
}

void out_file_abandon(out_file_t *f)
{
    if (f->out != NULL)
        fclose(f->out);
    if (f->temporary != NULL)
        unlink(f->temporary);
    release(f);
}

rb_code_t out_file_close(out_file_t *f, rb_code_t rc, rb_err_t *err)
{
    if (rc == RB_OK)
        rc = out_file_finish(f, err);
    if (rc != RB_OK) {
        out_file_abandon(f);
        return rc;
    }
    char *path = rb_strdup(f->path);
    rc = out_file_commit(f, err);
    if (rc == RB_OK)
        new_file_sync_folder_of(path);
    free(path);
    return rc;
}

static rb_code_t make_one_folder(const char *path, bool *made, rb_err_t *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        *made = true;
    else if (errno != EEXIST)
        return file_error("cannot create the folder", path, err);
    else if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return rb_fail(err, RB_USAGE, "%s: exists and is not a folder", path);
    return RB_OK;
}

rb_code_t out_make_folder(const char *folder, bool *made, rb_err_t *err)
{
    *made = false;
    if (folder[0] == '\0')
        return rb_fail(err, RB_USAGE, "the name of a folder to write is empty");
    char *path = rb_strdup(folder);
    rb_code_t rc = RB_OK;
    for (char *s = path + 1; rc == RB_OK; s++) {
        if (*s != '/' && *s != '\0')
            continue;
        char saved = *s;
        *s = '\0';
        rc = make_one_folder(path, made, err);
        *s = saved;
        if (saved == '\0')
            break;
    }
    free(path);
    return rc;
}

rb_code_t out_flush_stdout(rb_err_t *err)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return rb_fail(err, RB_IO, "standard output: %s",
                       errno != 0 ? strerror(errno) : "write error");
    return RB_OK;
}
