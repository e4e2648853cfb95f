#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/journal.h"
#include "frontend/tool/run/run_record.h"

static char folder[] = "rubato-journal-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof(path), "%s/journal", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails, and the group too, if a test left a file behind */
}

/* A journal with the records "one", "two", ... of kinds 1, 2, ... */
static const char *const words[] = {"one", "two", "", "four"};
enum { WORDS = 4 };

static journal_t *make_journal(void)
{
    rb_err_t err = {0};
    journal_t *j;
    assert_int_equal(journal_create(&j, path, &err), RB_OK);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(journal_append(j, i + 1, words[i], strlen(words[i]), &err), RB_OK);
    return j;
}

/* Checks that exactly the first n records are there. */
static void expect_words(journal_t *j, uint32_t n)
{
    rb_err_t err = {0};
    uint32_t kind;
    const void *data;
    size_t len;
    journal_rewind(j);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(journal_next(j, &kind, &data, &len, &err), RB_OK);
        assert_int_equal(kind, i + 1);
        assert_int_equal(len, strlen(words[i]));
        assert_memory_equal(data, words[i], len);
    }
    assert_int_equal(journal_next(j, &kind, &data, &len, &err), RB_OK);
    assert_int_equal(kind, 0);
}

static uint64_t file_size(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static void records_come_back_in_order_also_after_reopening(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j = make_journal();
    expect_words(j, WORDS);
    assert_true(journal_length(j) == file_size());
    journal_close(j);
    assert_int_equal(journal_open(&j, path, &err), RB_OK);
    expect_words(j, WORDS);
    journal_close(j);
}

static void a_file_cut_anywhere_keeps_its_whole_records(void **state)
{
    (void)state;
    enum { MAGIC = 8, HEAD = 16 };
    journal_t *j = make_journal();
    uint64_t size = journal_length(j);
    journal_close(j);
    for (uint64_t cut = size; cut >= MAGIC; cut--) {
        rb_err_t err = {0};
        assert_int_equal(truncate(path, (off_t)cut), 0);
        uint32_t whole = 0;
        uint64_t end = MAGIC;
        while (whole < WORDS && end + HEAD + strlen(words[whole]) <= cut)
            end += HEAD + strlen(words[whole++]);
        assert_int_equal(journal_open(&j, path, &err), RB_OK);
        expect_words(j, whole);
        assert_true(file_size() == end);
        journal_close(j);
    }
    for (off_t cut = MAGIC - 1; cut >= 0; cut--) {
        rb_err_t err = {0};
        assert_int_equal(truncate(path, cut), 0);
        assert_int_equal(journal_open(&j, path, &err), RB_OK);
        expect_words(j, 0);
        journal_close(j);
    }
}

static void a_changed_byte_ends_the_journal_before_its_record(void **state)
{
    (void)state;
    journal_t *j = make_journal();
    uint64_t size = journal_length(j);
    journal_close(j);
    for (uint64_t at = 8; at < size; at++) {
        rb_err_t err = {0};
        uint32_t kind = 1;
        const void *data;
        size_t len;
        uint32_t read = 0;
        journal_close(make_journal());
        FILE *f = fopen(path, "r+");
        assert_non_null(f);
        fseek(f, (long)at, SEEK_SET);
        int c = fgetc(f);
        fseek(f, (long)at, SEEK_SET);
        fputc(c ^ 0x40, f);
        fclose(f);
        assert_int_equal(journal_open(&j, path, &err), RB_OK);
        while (journal_next(j, &kind, &data, &len, &err) == RB_OK && kind != 0) {
            assert_int_equal(kind, read + 1);
            assert_memory_equal(data, words[read], len);
            read++;
        }
        assert_true(read < WORDS);
        journal_close(j);
    }
}

static void what_is_cut_off_can_be_written_again(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j;
    assert_int_equal(journal_create(&j, path, &err), RB_OK);
    assert_int_equal(journal_append(j, 1, "one", 3, &err), RB_OK);
    uint64_t length = journal_length(j);
    assert_int_equal(journal_append(j, 9, "wrong", 5, &err), RB_OK);
    assert_int_equal(journal_cut(j, length, &err), RB_OK);
    assert_int_equal(journal_append(j, 2, "two", 3, &err), RB_OK);
    expect_words(j, 2);
    assert_int_equal(journal_cut(j, length + 1000, &err), RB_IO);
    journal_close(j);
}

static void a_journal_in_use_is_refused(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j = make_journal(), *other;
    assert_int_equal(journal_create(&other, path, &err), RB_IO);
    assert_non_null(strstr(err.text, "another run"));
    expect_words(j, WORDS);
    journal_close(j);
}

static void a_foreign_file_is_refused(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("something else, and long enough", f);
    fclose(f);
    assert_int_equal(journal_open(&j, path, &err), RB_USAGE);
}

static void a_full_disk_leaves_the_journal_as_it_was(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j = make_journal();
    static char big[1 << 16];
    struct rlimit old, low;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    uint64_t length = journal_length(j);
    assert_int_equal(journal_append(j, 5, big, sizeof(big), &err), RB_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_non_null(strstr(err.text, path));
    assert_true(journal_length(j) == length && file_size() == length);
    expect_words(j, WORDS);
    journal_close(j);
}

/* Sets every byte of a struct to a value that depends on its position. */
static void fill(void *data, size_t n, unsigned seed)
{
    uint8_t *bytes = data;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 31 + seed * 7 + 1);
}

static void a_launch_record_holds_every_field(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j;
    launch_result_t r;
    interval_result_t interval;
    run_record_t back;
    fill(&r, sizeof(r), 1);
    r.sampling = (launch_sampling_t){.sampler = "photon_bb", .estimated = true, .evidence = "e"};
    r.replicates = (launch_replicates_t){0};
    r.part = true;
    fill(&interval, sizeof(interval), 2);
    r.info.name = "_Z4namev";
    r.info.file = "kernel-1.traceg";
    r.occupancy.limiter = "registers";
    assert_int_equal(journal_create(&j, path, &err), RB_OK);
    assert_int_equal(record_identity(j, "me\n", &err), RB_OK);
    assert_int_equal(record_interval(j, &interval, &err), RB_OK);
    assert_int_equal(record_launch(j, &r, NULL, 1.5, &err), RB_OK);
    journal_rewind(j);
    assert_int_equal(record_next(j, &back, &err), RB_OK);
    assert_int_equal(back.kind, RECORD_IDENTITY);
    assert_string_equal(back.identity, "me\n");
    assert_int_equal(record_next(j, &back, &err), RB_OK);
    assert_int_equal(back.kind, RECORD_INTERVAL);
    assert_memory_equal(&back.interval, &interval, sizeof(interval));
    assert_int_equal(record_next(j, &back, &err), RB_OK);
    assert_int_equal(back.kind, RECORD_LAUNCH);
    assert_true(back.host_seconds == 1.5);
    assert_string_equal(back.launch.info.name, r.info.name);
    assert_string_equal(back.launch.info.file, r.info.file);
    assert_string_equal(back.launch.occupancy.limiter, r.occupancy.limiter);
    /* Compares counters and numbers; the texts must be equal already. */
    back.launch.info.name = r.info.name;
    back.launch.info.file = r.info.file;
    back.launch.occupancy.limiter = r.occupancy.limiter;
    assert_memory_equal(&back.launch.sm, &r.sm, sizeof(r.sm));
    assert_memory_equal(&back.launch.l2, &r.l2, sizeof(r.l2));
    assert_memory_equal(&back.launch.dram, &r.dram, sizeof(r.dram));
    assert_true(back.launch.start == r.start && back.launch.end == r.end);
    assert_true(back.launch.warp_insts == r.warp_insts);
    assert_true(back.launch.thread_insts == r.thread_insts);
    assert_true(back.launch.warp_slot_cycles == r.warp_slot_cycles);
    assert_true(back.launch.launch_cycles == r.launch_cycles && back.launch.blocks == r.blocks);
    assert_true(back.launch.part && back.launch.copied_bytes == r.copied_bytes);
    assert_string_equal(back.launch.sampling.sampler, r.sampling.sampler);
    assert_string_equal(back.launch.sampling.evidence, r.sampling.evidence);
    assert_true(back.launch.sampling.estimated);
    assert_memory_equal(back.launch.info.grid, r.info.grid, sizeof(r.info.grid));
    assert_memory_equal(back.launch.info.block, r.info.block, sizeof(r.info.block));
    assert_int_equal(back.launch.info.regs, r.info.regs);
    assert_int_equal(back.launch.occupancy.blocks_per_sm, r.occupancy.blocks_per_sm);
    assert_true(back.launch.occupancy.carveout == r.occupancy.carveout);
    assert_int_equal(record_next(j, &back, &err), RB_OK);
    assert_int_equal(back.kind, RECORD_END);
    journal_close(j);
}

/* Host seconds of the launches that a walk meets, as digits. */
static rb_code_t walked(journal_t *j, char *out, rb_err_t *err)
{
    record_walk_t walk = record_walk(j, RECORD_LAUNCH, err);
    while (record_walk_next(&walk))
        *out++ = (char)('0' + (int)walk.record.host_seconds);
    *out = '\0';
    return walk.code;
}

static void a_walk_meets_the_records_of_its_kind(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j;
    char met[8];
    const launch_result_t r = {0};
    const interval_result_t interval = {0};
    assert_int_equal(journal_create(&j, path, &err), RB_OK);
    assert_int_equal(walked(j, met, &err), RB_OK);
    assert_string_equal(met, "");
    assert_int_equal(record_identity(j, "me\n", &err), RB_OK);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(record_launch(j, &r, NULL, i, &err), RB_OK);
        assert_int_equal(record_interval(j, &interval, &err), RB_OK);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(walked(j, met, &err), RB_OK);
        assert_string_equal(met, "123");
    }
    /* An unreadable record ends the walk and is reported. */
    assert_int_equal(journal_append(j, 99, "?", 1, &err), RB_OK);
    assert_int_equal(walked(j, met, &err), RB_IO);
    assert_string_equal(met, "123");
    assert_non_null(strstr(err.text, "cannot read"));
    journal_close(j);
}

static void cycles_of_overlapping_launches_count_once(void **state)
{
    (void)state;
    static const struct {
        cycle_t start, end;
        uint64_t total;
    } serial[] = {{0, 10, 10}, {10, 30, 30}, {35, 40, 35}},
      overlapping[] = {{50, 80, 30}, {0, 100, 100}, {90, 120, 120}, {200, 201, 121}};
    run_totals_t t = {0};
    launch_result_t r = {0};
    for (int i = 0; i < 3; i++) {
        r.start = serial[i].start;
        r.end = serial[i].end;
        totals_add(&t, &r);
        assert_true(t.cycles == serial[i].total);
    }
    t = (run_totals_t){0};
    for (int i = 0; i < 4; i++) {
        r.start = overlapping[i].start;
        r.end = overlapping[i].end;
        totals_add(&t, &r);
        assert_true(t.cycles == overlapping[i].total);
    }
}

static void an_output_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    rb_err_t err = {0};
    out_file_t f;
    assert_int_equal(out_file_open(&f, folder, "journal", &err), RB_OK);
    unlink(path);
    fputs("text", f.out);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(out_file_finish(&f, &err), RB_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(out_file_commit(&f, &err), RB_OK);
    assert_true(file_size() == 4);
    assert_int_equal(out_file_open(&f, folder, "journal", &err), RB_OK);
    fputs("other", f.out);
    out_file_abandon(&f);
    assert_true(file_size() == 4);
    out_file_abandon(&f);
    assert_int_equal(out_file_open(&f, "/nonexistent/folder", "x", &err), RB_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_in_order_also_after_reopening),
        cmocka_unit_test(a_file_cut_anywhere_keeps_its_whole_records),
        cmocka_unit_test(a_changed_byte_ends_the_journal_before_its_record),
        cmocka_unit_test(what_is_cut_off_can_be_written_again),
        cmocka_unit_test(a_journal_in_use_is_refused),
        cmocka_unit_test(a_foreign_file_is_refused),
        cmocka_unit_test(a_full_disk_leaves_the_journal_as_it_was),
        cmocka_unit_test(a_launch_record_holds_every_field),
        cmocka_unit_test(a_walk_meets_the_records_of_its_kind),
        cmocka_unit_test(cycles_of_overlapping_launches_count_once),
        cmocka_unit_test(an_output_file_appears_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
