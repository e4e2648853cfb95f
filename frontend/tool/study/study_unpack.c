/* Unpacks archives of traces into the folder of a study. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/archive/trace_archive.h"
#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/io/folder_remove.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/study/study_suite.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static const char unpacked_name[] = "unpacked";

char *study_unpacked_folder(const char *folder)
{
    return out_path(folder, unpacked_name);
}

static rb_code_t fail_path(const char *path, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
}

/* Unpacks into the folder part, which then gets its name. */
static rb_code_t unpack_part(const char *archive, const char *part, const char *to, rb_err_t *err)
{
    if ((!folder_remove(part) && errno != ENOENT) || mkdir(part, 0777) != 0)
        return fail_path(part, err);
    rb_info("unpacking %s into %s", archive, to);
    RB_TRY(trace_archive_unpack(archive, part, stop_requested_of, NULL, err));
    return rename(part, to) == 0 ? RB_OK : fail_path(to, err);
}

/* Unpacks under a temporary name; what a killed process left under it is removed. */
static rb_code_t unpack_new(const char *archive, const char *to, rb_err_t *err)
{
    char *part = rb_format("%s.part", to);
    out_guard(part);
    stop_signals_catch();
    rb_code_t rc = unpack_part(archive, part, to, err);
    if (rc != RB_OK)
        (void)folder_remove(part);
    stop_signals_release();
    out_unguard(part);
    free(part);
    return rc;
}

/* The same, with the folder above locked: another process may unpack the same archive. */
static rb_code_t unpack_locked(const char *archive, const char *above, const char *to, bool *made,
                               rb_err_t *err)
{
    struct stat st;
    const int lock = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return fail_path(above, err);
    (void)flock(lock, LOCK_EX); /* there are file systems without locks */
    *made = stat(to, &st) != 0;
    rb_code_t rc = *made ? unpack_new(archive, to, err) : RB_OK;
    close(lock);
    return rc;
}

rb_code_t study_unpack(const char *archive, const char *folder, char **unpacked, bool *made,
                       rb_err_t *err)
{
    enum { HASH = 12 };
    char hash[SHA256_TEXT];
    size_t n;
    bool made_above;
    RB_TRY(file_hash(archive, hash, err));
    const char *name = study_last_part(archive, &n);
    char *above = study_unpacked_folder(folder);
    char *to = rb_format("%s/%.*s-%.*s", above, (int)trace_archive_stem(name), name, HASH, hash);
    rb_code_t rc = out_make_folder(above, &made_above, err);
    if (rc == RB_OK)
        rc = unpack_locked(archive, above, to, made, err);
    free(above);
    *unpacked = to;
    return rc;
}

void study_drop_unpacked(study_t *s, const char *folder)
{
    for (size_t i = 0; i < s->n_unpacked; i++)
        (void)folder_remove(s->unpacked[i]);
    char *above = study_unpacked_folder(folder);
    if (rmdir(above) == 0)
        (void)rmdir(folder); /* stays if it has anything else */
    free(above);
}
