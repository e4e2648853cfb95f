/* Profiles of every format, written here as their tools write them. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef RUBATO_HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "frontend/input/profile/profile.h"
#include "tests/support/trace/trace_files.h"

/* Reads a file of the test's folder, which must succeed. */
static profile_t *read_good(const char *name)
{
    rb_err_t err = {0};
    profile_t *p = NULL;
    if (profile_read(&p, trace_path(name), &err) != RB_OK)
        fail_msg("%s", err.text);
    return p;
}

static profile_t *read_text(const char *text)
{
    trace_write("profile", text);
    return read_good("profile");
}

static void expect_row(const profile_t *p, uint64_t row, const char *name, double time)
{
    assert_true(row < p->n);
    assert_string_equal(p->names[p->name[row]], name);
    assert_true(p->time[row] == time);
}

static void expect_dims(const profile_t *p, uint64_t row, const uint32_t grid[3],
                        const uint32_t block[3])
{
    assert_memory_equal(p->grid[row], grid, sizeof(p->grid[row]));
    assert_memory_equal(p->block[row], block, sizeof(p->block[row]));
}

#define DIM(x, y, z) ((const uint32_t[3]){x, y, z})

static void nsight_systems_trace_without_its_copies(void **state)
{
    (void)state;
    profile_t *p = read_text(
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
        "DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
        "713,1184,112,,,,,,,,,,0.004,3459.459,Pageable,Device,V100 (0),1,7,"
        "[CUDA memcpy HtoD]\n"
        "890,5472,129,96,2,1,512,1,1,32,0.000,0.000,,,,,V100 (0),1,7,"
        "\"void add<float, 4>(float *, \"\"q\"\")\"\n"
        "9000,12000,130,1,1,1,32,4,1,32,0.000,0.000,,,,,V100 (0),1,7,scan(int)\n\n");
    assert_string_equal(p->format, "Nsight Systems CSV");
    assert_int_equal(p->n, 2);
    assert_int_equal(p->skipped, 1);
    expect_row(p, 0, "void add<float, 4>(float *, \"q\")", 5472);
    expect_row(p, 1, "scan(int)", 12000);
    expect_dims(p, 0, DIM(96, 2, 1), DIM(512, 1, 1));
    expect_dims(p, 1, DIM(1, 1, 1), DIM(32, 4, 1));
    assert_null(p->id);
    assert_null(p->counter[PROFILE_WARP_INSTS]);
    profile_free(p);
}

static void the_older_gputrace_behind_messages(void **state)
{
    (void)state;
    profile_t *p =
        read_text("Using run.sqlite for SQL queries.\nRunning [/opt/gputrace.py run.sqlite]...\n\n"
                  "Start(nsec),Duration(nsec),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,"
                  "Name\r\n1,2000,1,10,1,1,64,1,1,16,k\r\n5,3000,1,10,1,1,64,1,1,16,k\r\n");
    assert_int_equal(p->n, 2);
    assert_int_equal(p->n_names, 1);
    expect_row(p, 1, "k", 3000);
    profile_free(p);
}

/* launches.csv of launches that overlapped is in the order of their ends. */
static void rows_are_ordered_by_launch_id(void **state)
{
    (void)state;
    profile_t *p = read_text("launch_id,name,grid,dur_ns\n4,c,9x1x1,30\n1,a,1x2x3,10\n2,b,5,20\n");
    assert_int_equal(p->n, 3);
    assert_int_equal(p->id[0], 1);
    assert_int_equal(p->id[2], 4);
    expect_row(p, 0, "a", 10);
    expect_row(p, 1, "b", 20);
    expect_row(p, 2, "c", 30);
    assert_int_equal(p->grid[0][2], 3);
    assert_int_equal(p->grid[2][0], 9);
    profile_free(p);
}

/* The report format of the profiles in the STEM artifact. */
static void kernel_launches_with_their_api_calls(void **state)
{
    (void)state;
    profile_t *p = read_text(
        "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur "
        "(ns),Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n"
        "100,10,110,5,115,2000,2015,1,1,0,cudaLaunchKernel,   64    2    1,  256    1    1,k(int)\n"
        "300,10,310,,2400,5000,5100,1,1,0,cudaLaunchKernel,    8    1    1,   32    4    "
        "1,l(int)\n");
    assert_int_equal(p->n, 2);
    expect_row(p, 0, "k(int)", 2000);
    expect_row(p, 1, "l(int)", 5000);
    expect_dims(p, 0, DIM(64, 2, 1), DIM(256, 1, 1));
    expect_dims(p, 1, DIM(8, 1, 1), DIM(32, 4, 1));
    profile_free(p);
}

static void nvprof_with_its_row_of_units(void **state)
{
    (void)state;
    profile_t *p =
        read_text("==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n"
                  "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\","
                  "\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Name\"\n"
                  "s,us,,,,,,,,B,\n0.1,2.5,,,,,,,,,\"[CUDA memcpy HtoD]\"\n"
                  "0.2,7.25,3,1,1,256,1,1,22,0,\"k(int*)\"\n==7== done\n");
    assert_string_equal(p->format, "nvprof CSV");
    assert_int_equal(p->n, 1);
    expect_row(p, 0, "k(int*)", 7250);
    profile_free(p);
}

static void nsight_compute_raw_page(void **state)
{
    (void)state;
    profile_t *p = read_text(
        "==PROF== Connected to process 12 (/tmp/a)\n"
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
        "\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\","
        "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"smsp__inst_executed.sum\","
        "\"smsp__inst_executed_op_global_atom.sum\",\"smsp__inst_executed_op_global_red.sum\","
        "\"smsp__thread_inst_executed_per_inst_executed.ratio\"\n"
        "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"sector\",\"inst\","
        "\"inst\",\"inst\",\"\"\n"
        "\"0\",\"12\",\"a\",\"h\",\"gemm(float*)\",\"2021-Jan-01 10:00:00\",\"1\",\"7\","
        "\"(16, 16, 1)\",\"(50, 2, 1)\",\"1,234.5\",\"1,000,000\",\"2,000\",\"7\",\"5\",\"31.5\"\n"
        "\"1\",\"12\",\"a\",\"h\",\"gemm(float*)\",\"2021-Jan-01 10:00:01\",\"1\",\"7\","
        "\"(16, 16, 1)\",\"(50, 2, 1)\",\"3.25\",\"8\",\"64\",\"0\",\"0\",\"32\"\n");
    assert_string_equal(p->format, "Nsight Compute CSV");
    assert_int_equal(p->n, 2);
    expect_row(p, 0, "gemm(float*)", 1234500);
    expect_row(p, 1, "gemm(float*)", 3250);
    expect_dims(p, 0, DIM(50, 2, 1), DIM(16, 16, 1));
    assert_true(p->counter[PROFILE_GLOBAL_LD_SECTORS][0] == 1e6);
    assert_true(p->counter[PROFILE_WARP_INSTS][0] == 2000);
    assert_true(p->counter[PROFILE_GLOBAL_ATOMICS][0] == 12);
    assert_true(p->counter[PROFILE_THREAD_INSTS][0] == 63000);
    assert_true(p->counter[PROFILE_THREAD_INSTS][1] == 2048);
    assert_null(p->counter[PROFILE_REQUESTS]);
    profile_free(p);
}

static void launches_of_rubato_keep_their_ids(void **state)
{
    (void)state;
    profile_t *p = read_text(
        "id,trace_id,name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,cycles,"
        "warp_instructions,thread_instructions,sm.global_load_requests,sm.global_store_requests,"
        "sm.local_load_requests,sm.local_store_requests\n"
        "3,30,_Z1kv,0,4,1,1,128,1,1,9000,100,3200,10,20,1,2\n"
        "9,90,_Z1kv,0,4,1,1,128,1,1,9500,101,3201,11,21,1,2\n");
    assert_string_equal(p->format, "launches.csv of rubato");
    assert_true(p->time_is_cycles);
    assert_int_equal(p->id[0], 3);
    assert_int_equal(p->id[1], 9);
    expect_row(p, 1, "_Z1kv", 9500);
    assert_true(p->counter[PROFILE_REQUESTS][0] == 33);
    assert_true(p->counter[PROFILE_GLOBAL_LD_INSTS][1] == 11);
    profile_free(p);
}

static void accelsim_statistics_without_the_count_in_the_name(void **state)
{
    (void)state;
    profile_t *p = read_text(
        "\"Kernel Name\"\t\"gpu_tot_sim_insn\\s*=\\s*(.*)\"\t\"gpu_tot_sim_cycle\\s*=\\s*(.*)\"\t"
        "\"\\s+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\]\\s*=\\s*(.*)\""
        "\t\"gpgpu_n_tot_w_icount\\s*=\\s*(.*)\"\n"
        "\"_Z4gemmPf--0\"\t320.0\t5349.0\t\"\"\t10.0\n\"_Z4gemmPf--1\"\t640.0\t6000.0\t17.0\t20.0\n"
        "\"_Z3x--y\"\t640.0\t6001.0\t17.0\t20.0\n");
    assert_int_equal(p->n_names, 2);
    expect_row(p, 0, "_Z4gemmPf", 5349);
    expect_row(p, 1, "_Z4gemmPf", 6000);
    expect_row(p, 2, "_Z3x--y", 6001);
    assert_true(p->counter[PROFILE_GLOBAL_LD_SECTORS][0] == 0);
    assert_true(p->counter[PROFILE_GLOBAL_LD_SECTORS][1] == 17);
    assert_true(p->counter[PROFILE_WARP_INSTS][1] == 20);
    assert_true(p->counter[PROFILE_THREAD_INSTS][0] == 320);
    profile_free(p);
}

static void plain_tables_in_any_unit(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        double ns;
    } cases[] = {{"name,dur_ns", 12.5},   {"dur_us\tname", 12500}, {"Kernel;Duration (ms)", 12.5e6},
                 {"name,time_s", 12.5e9}, {"name,duration", 12.5}, {"kernel_name,cycles", 12.5}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        const char *h = cases[i].header;
        const char *row = strchr(h, '\t') != NULL  ? "12.5\tk\n"
                          : strchr(h, ';') != NULL ? "k;12.5\n"
                                                   : "k,12.5\n";
        snprintf(text, sizeof(text), "\xef\xbb\xbf%s\n%s", h, row);
        profile_t *p = read_text(text);
        expect_row(p, 0, "k", cases[i].ns);
        profile_free(p);
    }
}

static void a_column_of_durations_per_kernel(void **state)
{
    (void)state;
    profile_t *p = read_text("\xef\xbb\xbfmax_pool,sgemm\n100,2000\n,3000\n,4000");
    assert_int_equal(p->n, 4);
    expect_row(p, 0, "max_pool", 100);
    expect_row(p, 1, "sgemm", 2000);
    expect_row(p, 3, "sgemm", 4000);
    profile_free(p);
}

static const char pytorch[] =
    "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}], \"traceEvents\": [\n"
    "{\"ph\": \"M\", \"name\": \"process_name\", \"args\": {\"grid\": 3}},\n"
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"later\\u00e9\", \"ts\": 200.5, \"dur\": "
    "7.25, \"args\": {\"stream\": 7, \"block\": [64, 1, 1], \"grid\": [9, 8, 7]}},\n"
    "{\"args\": {\"grid\": [1, 2, 3], \"block\": [32, 1, 1]}, \"dur\": 3, \"ts\": 100, \"name\": "
    "\"first\", \"cat\": \"Kernel\", \"ph\": \"X\"},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy\", \"ts\": 90, \"dur\": 1},\n"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"ts\": 90, \"dur\": 1}]}\n";

static void pytorch_events_in_the_order_of_their_start(void **state)
{
    (void)state;
    profile_t *p = read_text(pytorch);
    assert_string_equal(p->format, "PyTorch profile");
    assert_int_equal(p->n, 2);
    assert_int_equal(p->skipped, 1);
    expect_row(p, 0, "first", 3000);
    expect_row(p, 1, "later\xc3\xa9", 7250);
    expect_dims(p, 0, DIM(1, 2, 3), DIM(32, 1, 1));
    expect_dims(p, 1, DIM(9, 8, 7), DIM(64, 1, 1));
    profile_free(p);
}

static void write_gzip(const char *name, const char *text, size_t keep)
{
    gzFile f = gzopen(trace_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
    if (keep > 0) {
        char bytes[4096];
        FILE *in = fopen(trace_path(name), "rb");
        assert_non_null(in);
        assert_true(fread(bytes, 1, sizeof(bytes), in) > keep);
        fclose(in);
        trace_write_bytes(name, bytes, keep);
    }
}

static void compressed_profiles(void **state)
{
    (void)state;
    write_gzip("trace.json.gz", pytorch, 0);
    profile_t *p = read_good("trace.json.gz");
    assert_int_equal(p->n, 2);
    profile_free(p);
    write_gzip("table.csv.gz", "name,dur_us\nk,5\n", 0);
    p = read_good("table.csv.gz");
    expect_row(p, 0, "k", 5000);
    profile_free(p);
}

#ifdef RUBATO_HAVE_SQLITE
static void write_sqlite(const char *sql)
{
    sqlite3 *db;
    remove(trace_path("db"));
    assert_int_equal(sqlite3_open(trace_path("db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

#define KERNEL_TABLE                                                                               \
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"                                 \
    "INSERT INTO StringIds VALUES (5, 'alpha(int)'), (6, 'alpha');"                                \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER, demangledName "      \
    "INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "    \
    "blockY INTEGER, blockZ INTEGER);"

static void nsight_systems_sqlite_export(void **state)
{
    (void)state;
    write_sqlite(KERNEL_TABLE
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (900, 1000, 5, 6, 1, 2, 3, 32, 1, "
                 "1), (100, 150, 5, 6, 7, 1, 1, 64, 2, 1);");
    profile_t *p = read_good("db");
    assert_int_equal(p->n, 2);
    expect_row(p, 0, "alpha(int)", 50);
    expect_row(p, 1, "alpha(int)", 100);
    expect_dims(p, 0, DIM(7, 1, 1), DIM(64, 2, 1));
    profile_free(p);
}
#endif

/* Reads a file that must be refused with a message that names it and contains both texts. */
static void expect_refusal(const char *name, const char *where, const char *what)
{
    rb_err_t err = {0};
    profile_t *p = NULL;
    rb_code_t rc = profile_read(&p, trace_path(name), &err);
    if (rc == RB_OK)
        fail_msg("read, but should say: %s", what);
    assert_int_equal(rb_exit_code(rc), 2);
    char place[600];
    snprintf(place, sizeof(place), "%s%s", trace_path(name), where);
    if (strstr(err.text, place) != err.text || strstr(err.text, what) == NULL)
        fail_msg("'%s' instead of '%s ... %s'", err.text, place, what);
}

static void faults_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"\n", "", "no header"},
        {"name,dur_ns\n", "", "without a kernel launch"},
        {"name,dur_ns\nk,5\nk,nan\n", ":3", "nan"},
        {"name,dur_ns\nk,5\nk,NaN\n", ":3", "nan"},
        {"name,dur_ns\nk,5\nk,inf\n", ":3", "inf"},
        {"name,dur_ns\nk,5\nk,0\n", ":3", "duration is 0"},
        {"name,dur_us\nk,5\nk,0.0\nj,2.5\n", ":3", "duration is 0"},
        {"name,dur_us\nk,0\nk,0\nk,1\n", ":2", "duration is 0"},
        {"name,cycles\nk,5\nk,0\nj,2\nl,3\n", ":3", "duration is 0"},
        {"name,dur_ns\nk,-5\n", ":2", "duration is -5"},
        {"name,dur_ns\nk,1e308\nk,1e308\n", "", "not finite"},
        {"name,dur_ns\nk,0x10\n", ":2", "is not a duration"},
        {"name,dur_ns\nk,\"1,5\"\n", ":2", "is not a duration"},
        {"name,dur_ns\nk,\n", ":2", "is not a duration"},
        {"name,dur_ns\n,5\n", ":2", "name is empty"},
        {"name,dur_ns\nk,5\n,5\n", ":3", "name is empty"},
        {"name,dur_ns\nk,5\nk\n", ":3", "truncated"},
        {"name,dur_ns\nk,5\nf(a,b),5\n", ":3", "needs quotes"},
        {"name,dur_ns\nk,5\n\"f(a,b),5\n", ":3", "quote is not closed"},
        {"name,dur_ns\nk,5\n\"f\"x,5\n", ":3", "follows a closing quote"},
        {"name,dur_ns\n\"a\nb\",5\nk,-1\n", ":4", "-1"},
        {"name,dur_ns,grid\nk,5,many\n", ":2", "number of blocks"},
        {"launch_id,name,dur_ns\n0,k,5\n", ":2", "count from 1"},
        {"launch_id,name,dur_ns\n2,k,5\n1,k,5\n2,k,5\n", "", "two rows have the launch id 2"},
        {"Kernel Name,gpu__time_duration.sum\n,furlong\nk,5\n", ":2", "furlong"},
        {"name,grid\nk,5\n", "", "no header"},
        {"1,2\n3,4\n", "", "no header"},
        {"{\"traceEvents\": []}", "", "without a kernel launch"},
        {"{\"launches\": []}", "", "traceEvents"},
        {"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\",\n\"ts\": 1}]}",
         ":2", "'dur'"},
        {"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1, \"dur\": 2}]}", ":1",
         "name is empty"},
        {"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\"", "", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        trace_write("bad", cases[i].text);
        expect_refusal("bad", cases[i].where, cases[i].what);
    }
}

static void bytes_that_are_no_profile(void **state)
{
    (void)state;
    trace_write("empty", "");
    expect_refusal("empty", "", "empty");
    trace_write_bytes("garbage",
                      "\x7f"
                      "ELF\x02\x01\x01\0\0\0",
                      10);
    expect_refusal("garbage", "", "byte 0x7f at offset 0");
    trace_write_bytes("late", "name,dur_ns\nk\x01,5\n", 18);
    expect_refusal("late", "", "byte 0x01 at offset 13");
    write_gzip("cut.json.gz", pytorch, 120);
    expect_refusal("cut.json.gz", "", "truncated");
    trace_write("cut.sqlite", "SQLite format 3");
    trace_write_bytes("cut.sqlite", "SQLite format 3\0garbage", 23);
    expect_refusal("cut.sqlite", "", "");
#ifdef RUBATO_HAVE_SQLITE
    write_sqlite("CREATE TABLE other (x)");
    expect_refusal("db", "", "CUPTI_ACTIVITY_KIND_KERNEL");
    write_sqlite("CREATE TABLE StringIds (id, value); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS "
                 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n");
    expect_refusal("db", "", "CUPTI_ACTIVITY_KIND_KERNEL");
    write_sqlite(KERNEL_TABLE
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9, 7, 5, 6, 1, 1, 1, 1, 1, 1)");
    expect_refusal("db", ": launch 1", "-2");
#endif
    rb_err_t err = {0};
    profile_t *p;
    assert_int_equal(rb_exit_code(profile_read(&p, "nowhere.csv", &err)), 1);
    err = (rb_err_t){0};
    assert_int_equal(rb_exit_code(profile_read(&p, trace_folder(), &err)), 2);
}

/* More names than any program has kernels: the wrong column. */
static void a_million_names_are_refused(void **state)
{
    (void)state;
    FILE *f = fopen(trace_path("names"), "w");
    assert_non_null(f);
    fputs("name,dur_ns\n", f);
    for (int i = 0; i < 1000000; i++)
        fprintf(f, "k%d,7\n", i);
    assert_int_equal(fclose(f), 0);
    expect_refusal("names", ":262146", "262144 different kernel names");
}

static void whole_microseconds_may_be_0(void **state)
{
    (void)state;
    profile_t *p = read_text("name,dur_us\nk,5\nk,0\nj,2\n");
    assert_int_equal(p->below_resolution, 1);
    expect_row(p, 1, "k", 500);
    profile_free(p);
}

/* Rows at the boundary of the reader's block: quotes, line ends and numbers across it. */
static void rows_across_blocks(void **state)
{
    (void)state;
    enum { ROWS = 40000 };
    FILE *f = fopen(trace_path("long"), "w");
    assert_non_null(f);
    fputs("name,dur_ns,grid\n", f);
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "\"k\"\"%d\"\"%.*s,\n\",%d.5,%d\r\n", i % 7, i % 61,
                "0123456789012345678901234567890123456789012345678901234567890", i + 1, i + 1);
    assert_int_equal(fclose(f), 0);
    profile_t *p = read_good("long");
    assert_int_equal(p->n, ROWS);
    assert_int_equal(p->n_names, 7 * 61);
    for (uint64_t i = 0; i < ROWS; i++) {
        assert_true(p->time[i] == (double)i + 1.5);
        assert_int_equal(p->grid[i][0], i + 1);
        assert_int_equal(p->names[p->name[i]][2], '0' + (int)(i % 7));
        assert_int_equal(strlen(p->names[p->name[i]]), 4 + i % 61 + 2);
    }
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nsight_systems_trace_without_its_copies),
        cmocka_unit_test(the_older_gputrace_behind_messages),
        cmocka_unit_test(rows_are_ordered_by_launch_id),
        cmocka_unit_test(kernel_launches_with_their_api_calls),
        cmocka_unit_test(nvprof_with_its_row_of_units),
        cmocka_unit_test(nsight_compute_raw_page),
        cmocka_unit_test(launches_of_rubato_keep_their_ids),
        cmocka_unit_test(accelsim_statistics_without_the_count_in_the_name),
        cmocka_unit_test(plain_tables_in_any_unit),
        cmocka_unit_test(a_column_of_durations_per_kernel),
        cmocka_unit_test(pytorch_events_in_the_order_of_their_start),
        cmocka_unit_test(compressed_profiles),
#ifdef RUBATO_HAVE_SQLITE
        cmocka_unit_test(nsight_systems_sqlite_export),
#endif
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(bytes_that_are_no_profile),
        cmocka_unit_test(a_million_names_are_refused),
        cmocka_unit_test(whole_microseconds_may_be_0),
        cmocka_unit_test(rows_across_blocks),
    };
    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
