#include "tests/support/input/profile_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef RUBATO_HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "frontend/input/profile/profile.h"
#include "sim/core/alloc.h"
#include "tests/support/temp_folder.h"

/* Checks that names exist, durations are positive and ids ascend. */
static void check(const profile_t *p)
{
    RB_INVARIANT(p->n > 0, "a profile without launches");
    for (uint64_t i = 0; i < p->n; i++) {
        RB_INVARIANT(p->name[i] < p->n_names, "row %llu has no name", (unsigned long long)i);
        RB_INVARIANT(p->time == NULL || p->time[i] > 0.0, "row %llu has no duration",
                     (unsigned long long)i);
        RB_INVARIANT(p->id == NULL || i == 0 || p->id[i] > p->id[i - 1], "ids do not ascend");
    }
}

static rb_code_t read_profile(const char *path)
{
    profile_t *p;
    rb_err_t err = {0};
    rb_code_t code = profile_read(&p, path, &err);
    RB_INVARIANT(code == err.code && (code == RB_OK) == (err.text[0] == '\0'), "error %d '%s'",
                 (int)code, err.text);
    if (code == RB_OK) {
        check(p);
        profile_free(p);
    }
    return code;
}

rb_code_t profile_text_trial(const void *data, size_t n)
{
    static int file = -1;
    char path[64];
    if (file < 0)
        file = memfd_create("profile", MFD_CLOEXEC);
    if (ftruncate(file, 0) != 0 || pwrite(file, data, n, 0) != (ssize_t)n)
        rb_panic("the file in memory cannot be written");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return read_profile(path);
}

#ifdef RUBATO_HAVE_SQLITE

static const char database[] = "profile.sqlite";

/* Lets scripts create and fill tables and views, but not read or execute anything else. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
    static const int allowed[] = {SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_INDEX,
                                  SQLITE_INSERT,       SQLITE_UPDATE,      SQLITE_READ,
                                  SQLITE_SELECT,       SQLITE_TRANSACTION, SQLITE_REINDEX};
    (void)ctx, (void)a, (void)b, (void)c, (void)d;
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
        if (action == allowed[i])
            return SQLITE_OK;
    return SQLITE_DENY;
}

static int give_up(void *ctx)
{
    (void)ctx;
    return 1;
}

/* Runs a script up to its first error, and keeps what it created until then. */
static void run_script(const void *data, size_t n)
{
    enum { STEPS_MAX = 100000, BYTES_MAX = 1 << 20 };
    sqlite3 *db;
    char *script = rb_calloc(n + 1, 1);
    memcpy(script, data, n);
    (void)remove(temp_path(database));
    RB_INVARIANT(sqlite3_open(temp_path(database), &db) == SQLITE_OK, "no database");
    sqlite3_exec(db,
                 "PRAGMA page_size = 512; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
                 "BEGIN",
                 NULL, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, BYTES_MAX);
    sqlite3_set_authorizer(db, allow, NULL);
    sqlite3_progress_handler(db, STEPS_MAX, give_up, NULL);
    sqlite3_exec(db, script, NULL, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    RB_INVARIANT(sqlite3_close(db) == SQLITE_OK, "the database stays open");
    free(script);
}

rb_code_t profile_sqlite_trial(const void *data, size_t n)
{
    static const char magic[] = "SQLite format 3";
    if (n >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0)
        temp_write_bytes(database, data, n);
    else
        run_script(data, n);
    return read_profile(temp_path(database));
}

#endif
