/*
 * Long profiles: an artificial run of thousands of launches gives the same profile in every tool's
 * format, with the known contents.
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef RUBATO_HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "frontend/input/profile/profile.h"
#include "sampling/math/rng.h"
#include "tests/support/temp_folder.h"

enum { LAUNCHES = 9000, NAMES = 37, NAME_BYTES = 96, COPIES_EVERY = 10 };

typedef struct {
    uint32_t name, grid[3], block[3];
    uint64_t start, ns; /* whole microseconds, the resolution of PyTorch's profiler */
} run_row_t;

static run_row_t run[LAUNCHES];

/* Names as C++ has them: with commas, quotes, brackets, and of all lengths. */
static void kernel_name(uint32_t number, char text[NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "void layer%u<float, %u, \"n\">(float const*, int)%.*s", number,
             number % 8, (int)(number % 20), "::specialised::again");
}

static uint32_t below(rng_t *rng, uint32_t n)
{
    return (uint32_t)(rng_unit(rng) * n);
}

static void make_run(void)
{
    rng_t rng = rng_make(16, 0);
    uint64_t at = 1000;
    for (size_t i = 0; i < LAUNCHES; i++) {
        run[i] = (run_row_t){.name = i < NAMES ? (uint32_t)i : below(&rng, NAMES),
                             .grid = {1 + below(&rng, 9999), 1 + below(&rng, 3), 1},
                             .block = {32 + below(&rng, 900), 1, 1 + below(&rng, 1)},
                             .start = at,
                             .ns = 1000 * (1 + (uint64_t)below(&rng, 100000))};
        at += run[i].ns + 1000 * (1 + below(&rng, 5));
    }
}

/* --- as the tools write it ------------------------------------------------------------------- */

/* A quoted name: quotes are doubled, or escaped for JSON. */
static void put_name(gzFile out, uint32_t number, const char *for_quote)
{
    char name[NAME_BYTES];
    kernel_name(number, name);
    gzputc(out, '"');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '"')
            gzputs(out, for_quote);
        else
            gzputc(out, *c);
    }
    gzputc(out, '"');
}

static void put_nsys(gzFile out)
{
    gzputs(out, "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                "(MB),DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,"
                "Name\n");
    for (size_t i = 0; i < LAUNCHES; i++) {
        const run_row_t *r = &run[i];
        if (i % COPIES_EVERY == 0)
            gzprintf(out,
                     "%llu,500,%zu,,,,,,,,,,0.004,1.0,Pageable,Device,GPU (0),1,7,[CUDA "
                     "memcpy HtoD]\n",
                     (unsigned long long)r->start - 900, i);
        gzprintf(out, "%llu,%llu,%zu,%u,%u,%u,%u,%u,%u,32,0.0,0.0,,,,,GPU (0),1,7,",
                 (unsigned long long)r->start, (unsigned long long)r->ns, i, r->grid[0], r->grid[1],
                 r->grid[2], r->block[0], r->block[1], r->block[2]);
        put_name(out, r->name, "\"\"");
        gzputc(out, '\n');
    }
}

static void put_table(gzFile out)
{
    gzputs(out, "idx,ts_us,dur_us,name,gx,gy,gz,bx,by,bz,stream\n");
    for (size_t i = 0; i < LAUNCHES; i++) {
        const run_row_t *r = &run[i];
        gzprintf(out, "%zu,%llu,%llu,", i, (unsigned long long)r->start / 1000,
                 (unsigned long long)r->ns / 1000);
        put_name(out, r->name, "\"\"");
        gzprintf(out, ",%u,%u,%u,%u,%u,%u,7\n", r->grid[0], r->grid[1], r->grid[2], r->block[0],
                 r->block[1], r->block[2]);
    }
}

/* Its events are not sorted. */
static void put_pytorch(gzFile out)
{
    enum { STEP = 7 }; /* not a divisor of LAUNCHES */
    gzputs(out, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (size_t i = 0, at = 0; i < LAUNCHES; i++, at = (at + STEP) % LAUNCHES) {
        const run_row_t *r = &run[at];
        gzprintf(out, "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": ", i > 0 ? ",\n" : "");
        put_name(out, r->name, "\\\"");
        gzprintf(out,
                 ", \"pid\": 0, \"ts\": %llu, \"dur\": %llu, \"args\": {\"stream\": 7, \"grid\": "
                 "[%u, %u, %u], \"block\": [%u, %u, %u]}}",
                 (unsigned long long)r->start / 1000, (unsigned long long)r->ns / 1000, r->grid[0],
                 r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2]);
    }
    gzputs(out, "]}\n");
}

static const char *write_as(const char *name, const char *mode, void (*put)(gzFile out))
{
    gzFile out = gzopen(temp_path(name), mode);
    assert_non_null(out);
    put(out);
    assert_int_equal(gzclose(out), Z_OK);
    return temp_path(name);
}

#ifdef RUBATO_HAVE_SQLITE
static void insert(sqlite3 *db, const char *table, const char *values)
{
    char *sql = sqlite3_mprintf("INSERT INTO %s VALUES (%s)", table, values);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
}

static const char *write_sqlite(void)
{
    char text[NAME_BYTES], values[2 * NAME_BYTES];
    sqlite3 *db;
    assert_int_equal(sqlite3_open(temp_path("run.sqlite"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db,
            "BEGIN; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); "
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER, "
            "demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ "
            "INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER)",
            NULL, NULL, NULL),
        SQLITE_OK);
    for (uint32_t k = 0; k < NAMES; k++) {
        kernel_name(k, text);
        snprintf(values, sizeof(values), "%u, '%s'", k + 50, text);
        insert(db, "StringIds", values);
    }
    for (size_t i = LAUNCHES; i-- > 0;) { /* not sorted either */
        const run_row_t *r = &run[i];
        snprintf(values, sizeof(values), "%llu, %llu, %u, %u, %u, %u, %u, %u, %u, %u",
                 (unsigned long long)r->start, (unsigned long long)(r->start + r->ns), r->name + 50,
                 r->name + 50, r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1],
                 r->block[2]);
        insert(db, "CUPTI_ACTIVITY_KIND_KERNEL", values);
    }
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    return temp_path("run.sqlite");
}
#endif

/* --- what is read ---------------------------------------------------------------------------- */

static void expect_run(const char *path)
{
    rb_err_t err = {0};
    profile_t *p = NULL;
    char name[NAME_BYTES];
    double total = 0;
    if (profile_read(&p, path, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p->n, LAUNCHES);
    assert_int_equal(p->n_names, NAMES);
    for (size_t i = 0; i < LAUNCHES; i++) {
        kernel_name(run[i].name, name);
        assert_string_equal(p->names[p->name[i]], name);
        assert_true(p->time[i] == (double)run[i].ns);
        assert_memory_equal(p->grid[i], run[i].grid, sizeof(p->grid[i]));
        assert_memory_equal(p->block[i], run[i].block, sizeof(p->block[i]));
        total += (double)run[i].ns;
    }
    assert_true(profile_total_time(p) / total - 1 < 1e-12);
    assert_true(profile_total_time(p) / total - 1 > -1e-12);
    profile_free(p);
}

static void every_format_gives_the_same_profile(void **state)
{
    (void)state;
    make_run();
    expect_run(write_as("nsys.csv", "wbT", put_nsys));
    expect_run(write_as("nsys.csv.gz", "wb", put_nsys));
    expect_run(write_as("table.csv.gz", "wb", put_table));
    expect_run(write_as("trace.json", "wbT", put_pytorch));
    expect_run(write_as("trace.json.gz", "wb", put_pytorch));
#ifdef RUBATO_HAVE_SQLITE
    expect_run(write_sqlite());
#endif
}

/* Rows of unequal length: a kernel with few launches ends early. */
static void put_columns(gzFile out)
{
    for (size_t k = 0; k < 6; k++)
        gzprintf(out, "%skernel_%zu", k > 0 ? "," : "", k);
    for (size_t i = 0; i < LAUNCHES; i++)
        for (size_t k = 0; k < 6; k++) {
            gzputs(out, k == 0 ? "\n" : ",");
            if (i < LAUNCHES / (k + 1))
                gzprintf(out, "%llu", (unsigned long long)run[i].ns);
        }
    gzputc(out, '\n');
}

static void columns_of_durations_are_read_whole(void **state)
{
    (void)state;
    rb_err_t err = {0};
    profile_t *p = NULL;
    uint64_t n = 0, total = 0;
    make_run();
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < LAUNCHES / (k + 1); i++, n++)
            total += run[i].ns;
    if (profile_read(&p, write_as("columns.csv", "wbT", put_columns), &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p->n, n);
    assert_int_equal(p->n_names, 6);
    assert_true(profile_total_time(p) == (double)total);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_profile),
        cmocka_unit_test(columns_of_durations_are_read_whole),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
