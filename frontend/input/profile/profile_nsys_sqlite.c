/* The sqlite export of Nsight Systems: table CUPTI_ACTIVITY_KIND_KERNEL. */
#include "frontend/input/profile/profile_builder.h"

#ifdef RUBATO_HAVE_SQLITE

#include <sqlite3.h>
#include <string.h>

/* Columns of the query below. */
enum { Q_TIME, Q_NAME, Q_GRID, Q_BLOCK = Q_GRID + 3 };

static const char query[] =
    "SELECT k.\"end\" - k.start, s.value, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ "
    "FROM CUPTI_ACTIVITY_KIND_KERNEL AS k LEFT JOIN StringIds AS s ON s.id = k.demangledName "
    "ORDER BY k.start, k.rowid";

static rb_code_t db_fault(sqlite3 *db, const char *path, rb_err_t *err)
{
    int code = sqlite3_errcode(db);
    bool environment = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_PERM ||
                       code == SQLITE_NOMEM;
    return rb_fail(err, environment ? RB_IO : RB_TRACE, "%s: %s", path, sqlite3_errmsg(db));
}

/* A view or a virtual table could compute for ever, so only stored tables are read. */
static rb_code_t check_table(sqlite3 *db, const char *path, const char *name, rb_err_t *err)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db,
                           "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND "
                           "name = ?",
                           -1, &st, NULL) != SQLITE_OK)
        return db_fault(db, path, err);
    sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    int rc = sqlite3_step(st);
    sqlite3_finalize(st);
    if (rc == SQLITE_ROW)
        return RB_OK;
    if (rc != SQLITE_DONE)
        return db_fault(db, path, err);
    return rb_fail(err, RB_TRACE,
                   "%s: has no table %s: not an Nsight Systems export of a program that launches "
                   "CUDA kernels",
                   path, name);
}

static rb_code_t read_dim(sqlite3_stmt *st, int first, uint32_t dim[3], const char *path,
                          uint64_t row, rb_err_t *err)
{
    for (int i = 0; i < 3; i++) {
        sqlite3_int64 v = sqlite3_column_int64(st, first + i);
        if (v < 1 || v > UINT32_MAX)
            return rb_fail(err, RB_TRACE, "%s: launch %llu: a grid or block of %lld", path,
                           (unsigned long long)row, (long long)v);
        dim[i] = (uint32_t)v;
    }
    return RB_OK;
}

static rb_code_t read_rows(sqlite3 *db, sqlite3_stmt *st, profile_builder_t *b, rb_err_t *err)
{
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, Q_NAME);
        size_t len = name != NULL ? (size_t)sqlite3_column_bytes(st, Q_NAME) : 0;
        RB_TRY(profile_builder_add(b, name != NULL ? name : "", len,
                                   sqlite3_column_double(st, Q_TIME), 0, err));
        uint64_t row = b->p->n - 1;
        RB_TRY(read_dim(st, Q_GRID, b->p->grid[row], b->path, row + 1, err));
        RB_TRY(read_dim(st, Q_BLOCK, b->p->block[row], b->path, row + 1, err));
    }
    return rc == SQLITE_DONE ? RB_OK : db_fault(db, b->path, err);
}

static rb_code_t read_db(sqlite3 *db, const char *path, profile_builder_t *b, rb_err_t *err)
{
    static const profile_has_t has = {.time = true, .grid = true, .block = true};
    sqlite3_stmt *st;
    sqlite3_exec(db, "PRAGMA trusted_schema = OFF", NULL, NULL, NULL);
    RB_TRY(check_table(db, path, "CUPTI_ACTIVITY_KIND_KERNEL", err));
    RB_TRY(check_table(db, path, "StringIds", err));
    if (sqlite3_prepare_v2(db, query, -1, &st, NULL) != SQLITE_OK)
        return db_fault(db, path, err);
    profile_builder_init(b, path, "Nsight Systems sqlite export", &has, false, 1.0);
    rb_code_t rc = read_rows(db, st, b, err);
    sqlite3_finalize(st);
    return rc;
}

rb_code_t profile_read_nsys_sqlite(profile_t **out, const char *path, rb_err_t *err)
{
    sqlite3 *db = NULL;
    profile_builder_t b = {0};
    rb_code_t rc;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        rc = db != NULL ? db_fault(db, path, err) : rb_fail(err, RB_NOMEM, "%s: no memory", path);
    else
        rc = read_db(db, path, &b, err);
    if (rc == RB_OK)
        rc = profile_builder_finish(&b, out, err);
    profile_builder_free(&b);
    sqlite3_close(db);
    return rc;
}

#else

rb_code_t profile_read_nsys_sqlite(profile_t **out, const char *path, rb_err_t *err)
{
    (void)out;
    return rb_fail(err, RB_USAGE,
                   "%s: this rubato was built without libsqlite3; export CSV instead: nsys stats "
                   "--report cuda_gpu_trace --format csv",
                   path);
}

#endif
