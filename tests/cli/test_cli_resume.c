/* What --resume continues and what it refuses: a trace, a program or a checkpoint that was
 * changed. */
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/run/run_checkpoint.h"
#include "frontend/tool/run/run_record.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

enum { LAUNCHES = 40 };

/* A folder "text" with a kernel file for each launch. */
static void make_text(void)
{
    expect(0, NULL,
           WORDS("gen", "stencil", "--size", "130", "-p", "steps=40", "--force", "-o", "text.rbt"));
    free(cli_run_as(&(cli_child_t){.binary = "/bin/rm"}, 0, NULL, WORDS("-rf", "text")));
    expect(0, NULL, WORDS("convert", "--to", "accelsim", "text.rbt", "text"));
}

/* Changes the last digit of a file, far behind any part that may count as its head. */
static void change_file(const char *path)
{
    char *text = cli_read(path);
    assert_non_null(text);
    size_t n = strlen(text), at = n;
    assert_true(n > 1 << 16);
    while (text[at - 1] < '1' || text[at - 1] > '8')
        at--;
    assert_true(at > n / 2);
    text[at - 1] ^= 1;
    cli_write(path, text, n);
    free(text);
}

/* Starts a run in folder and kills it when a checkpoint and the one before it exist. */
static void begin_and_kill(const char *trace, const char *folder)
{
    char path[64];
    free(cli_run_as(&(cli_child_t){.binary = "/bin/rm"}, 0, NULL, WORDS("-rf", folder)));
    snprintf(path, sizeof(path), "%s/checkpoint.previous", folder);
    pid_t pid = cli_start(&rubato, WORDS("run", trace, "-o", folder, "--checkpoint-interval", "0"));
    for (int i = 0; i < 60000 && !cli_exists(path); i++)
        usleep(1000);
    kill(pid, SIGKILL);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    /* The kill may have come between the two renames. */
    snprintf(path, sizeof(path), "%s/checkpoint", folder);
    if (!cli_exists(path))
        begin_and_kill(trace, folder);
}

static void a_file_that_was_read_and_changed_is_refused(void **state)
{
    (void)state;
    make_text();
    expect(0, NULL, WORDS("run", "text", "-o", "whole"));
    begin_and_kill("text", "cut");
    change_file("text/kernel-1.traceg");
    expect(2, "text/kernel-1.traceg: was changed", WORDS("run", "text", "-o", "cut", "--resume"));
    assert_true(cli_exists("cut/journal") && cli_exists("cut/checkpoint"));
    change_file("text/kernel-1.traceg"); /* back */
    expect(0, NULL, WORDS("run", "text", "-o", "cut", "--resume"));
    cli_same_results("whole", "cut");
    char *a = cli_read_json("whole/run.json"), *b = cli_read_json("cut/run.json");
    size_t n, m;
    const char *x = json_find(a, "identity", &n), *y = json_find(b, "identity", &m);
    assert_true(n == m && memcmp(x, y, n) == 0);
    x = json_find(a, "trace.sha256", &n);
    y = json_find(b, "trace.sha256", &m);
    assert_true(x != NULL && y != NULL && n == m && memcmp(x, y, n) == 0);
    free(a);
    free(b);
}

static void a_file_that_changed_before_it_was_read_counts_as_it_is(void **state)
{
    (void)state;
    char last[64];
    make_text();
    begin_and_kill("text", "early");
    snprintf(last, sizeof(last), "text/kernel-%d.traceg", LAUNCHES);
    change_file(last);
    expect(0, NULL, WORDS("run", "text", "-o", "early", "--resume"));
    expect(0, NULL, WORDS("run", "text", "-o", "fresh"));
    cli_same_results("fresh", "early");
    char *a = cli_read_json("fresh/run.json"), *b = cli_read_json("early/run.json");
    size_t n, m;
    const char *x = json_find(a, "trace.sha256", &n), *y = json_find(b, "trace.sha256", &m);
    assert_true(x != NULL && y != NULL && n == m && memcmp(x, y, n) == 0);
    free(a);
    free(b);
}

/* A line of sha256sum in the folder "text". */
static void add_line(sha256_t *h, const char *name)
{
    char path[80], text[SHA256_TEXT], line[256];
    rb_err_t err = {0};
    snprintf(path, sizeof(path), "text/%s", name);
    assert_int_equal(file_hash(path, text, &err), RB_OK);
    int n = snprintf(line, sizeof(line), "%s  %s\n", text, name);
    sha256_update(h, line, (size_t)n);
}

static void the_hash_of_a_folder_is_that_of_its_sums(void **state)
{
    (void)state;
    char name[64], text[SHA256_TEXT], wanted[SHA256_TEXT + 2];
    sha256_t h;
    make_text();
    sha256_init(&h);
    add_line(&h, "kernelslist.g");
    for (int i = 1; i <= LAUNCHES; i++) {
        snprintf(name, sizeof(name), "kernel-%d.traceg", i);
        add_line(&h, name);
    }
    sha256_final_text(&h, text);
    snprintf(wanted, sizeof(wanted), "\"%s\"", text);
    char *json = cli_run_as(&rubato, 0, NULL, WORDS("run", "text", "--json"));
    assert_true(json_is(json, "trace.sha256", wanted));
    assert_int_equal((int)json_number(json, "trace.read.0.file"), -1);
    free(json);
}

static void a_part_of_a_trace_lists_what_was_read(void **state)
{
    (void)state;
    char text[SHA256_TEXT], wanted[SHA256_TEXT + 2];
    size_t n;
    rb_err_t err = {0};
    make_text();
    expect(0, NULL, WORDS("run", "text", "--launches", "2", "-o", "part"));
    char *json = cli_read_json("part/run.json");
    assert_null(json_find(json, "trace.sha256", &n));
    assert_true(json_is(json, "trace.read.0.file", "\"kernelslist.g\""));
    assert_true(json_is(json, "trace.read.1.file", "\"kernel-2.traceg\""));
    assert_null(json_find(json, "trace.read.2", &n));
    assert_int_equal(file_hash("text/kernel-2.traceg", text, &err), RB_OK);
    snprintf(wanted, sizeof(wanted), "\"%s\"", text);
    assert_true(json_is(json, "trace.read.1.sha256", wanted));
    free(json);
    const char *const *again = WORDS("run", "text", "--launches", "2", "-o", "part", "--resume");
    change_file("text/kernel-3.traceg");
    expect(0, "already complete", again);
    change_file("text/kernel-2.traceg");
    expect(2, "text/kernel-2.traceg: was changed", again);
}

static void complete_results_of_another_trace_are_not_taken_for_this_ones(void **state)
{
    (void)state;
    const char *const *again = WORDS("run", "text", "-o", "done", "--resume");
    make_text();
    expect(0, NULL, WORDS("run", "text", "-o", "done"));
    expect(0, "already complete", again);
    change_file("text/kernel-7.traceg");
    expect(2, "the trace was changed since", again);
    expect(2, "results of another trace", WORDS("run", "text.rbt", "-o", "done", "--resume"));
}

static void another_build_does_not_continue(void **state)
{
    (void)state;
    static const cli_child_t edited = {.binary = "./edited"};
    make_text();
    begin_and_kill("text", "built");
    free(cli_run_as(&(cli_child_t){.binary = "/bin/cp"}, 0, NULL, WORDS(RUBATO_BINARY, "edited")));
    FILE *f = fopen("edited", "a"); /* the program still works as before */
    assert_non_null(f);
    fputc('!', f);
    fclose(f);
    free(cli_run_as(&edited, 2, "another build of rubato",
                    WORDS("run", "text", "-o", "built", "--resume")));
    expect(0, NULL, WORDS("run", "text", "-o", "built", "--resume"));
    free(cli_run_as(&edited, 2, "another run", WORDS("run", "text", "-o", "built", "--resume")));
}

/* Changes a byte of a file. */
static void change_byte(const char *path, long at)
{
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
}

/* The index has checksums of all parts; only parts that are read are checked. */
static void a_native_trace_is_checked_where_it_is_read(void **state)
{
    (void)state;
    struct stat st;
    make_text();
    expect(0, NULL, WORDS("run", "text.rbt", "-o", "native"));
    begin_and_kill("text.rbt", "native-cut");
    assert_int_equal(stat("text.rbt", &st), 0);
    char *whole = cli_read_json("native/run.json");
    /* The blocks of the first launch are at the beginning and were read. */
    change_byte("text.rbt", 100);
    expect(2, "is damaged: its checksum does not match", WORDS("run", "text.rbt"));
    expect(0, NULL, WORDS("run", "text.rbt", "-o", "native-cut", "--resume"));
    cli_same_results("native", "native-cut");
    char *json = cli_read_json("native-cut/run.json");
    size_t n, m;
    const char *x = json_find(whole, "trace.sha256", &n), *y = json_find(json, "trace.sha256", &m);
    assert_true(x != NULL && y != NULL && n == m && memcmp(x, y, n) == 0);
    free(whole);
    free(json);
    change_byte("text.rbt", st.st_size - 100);
    expect(2, "is damaged", WORDS("run", "text.rbt", "-o", "native-cut", "--resume"));
    expect(0, NULL,
           WORDS("gen", "stencil", "--size", "130", "-p", "steps=41", "--force", "-o", "text.rbt"));
    begin_and_kill("text.rbt", "native-cut");
    expect(0, NULL,
           WORDS("gen", "stencil", "--size", "130", "-p", "steps=40", "--force", "-o", "text.rbt"));
    expect(2, "another trace", WORDS("run", "text.rbt", "-o", "native-cut", "--resume"));
}

/* --- checkpoints ----------------------------------------------------------------------------- */

typedef struct {
    char magic[8];
    uint64_t length, checksum;
} head_t;

/* The contents of a checkpoint, with positions that a test may change. */
typedef struct {
    head_t head;
    uint8_t *body; /* owned */
    checkpoint_t at;
    size_t at_place, image; /* offsets in body */
} opened_t;

static opened_t open_checkpoint(const char *path)
{
    opened_t c;
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fread(&c.head, sizeof(c.head), 1, in), 1);
    c.body = malloc(c.head.length);
    assert_non_null(c.body);
    assert_int_equal(fread(c.body, 1, c.head.length, in), c.head.length);
    fclose(in);
    c.at_place = strlen((const char *)c.body) + 1;
    memcpy(&c.at, c.body + c.at_place, sizeof(c.at));
    c.image = c.at_place + sizeof(c.at);
    return c;
}

/* Writes it with a correct checksum. */
static void write_checkpoint(const char *path, opened_t *c)
{
    c->head.checksum = journal_checksum(c->head.length, c->body, c->head.length);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(&c->head, sizeof(c->head), 1, out), 1);
    assert_int_equal(fwrite(c->body, 1, c->head.length, out), c->head.length);
    assert_int_equal(fclose(out), 0);
}

/* Swaps eight bytes of a file with those of v; the checksum stays correct. */
static void swap_word(const char *path, size_t at, uint64_t *v)
{
    opened_t c = open_checkpoint(path);
    uint64_t old;
    assert_true(at + sizeof(old) <= c.head.length);
    memcpy(&old, c.body + at, sizeof(old));
    memcpy(c.body + at, v, sizeof(*v));
    *v = old;
    write_checkpoint(path, &c);
    free(c.body);
}

static const char *const resume_hurt[] = {"run", "text", "-o", "hurt", "--resume", NULL};

static void impossible_values_under_a_right_checksum_are_refused(void **state)
{
    (void)state;
    static const char newest[] = "hurt/checkpoint", previous[] = "hurt/checkpoint.previous";
    const uint64_t far = 89000000000000u;
    make_text();
    begin_and_kill("text", "hurt");
    free(cli_run_as(&(cli_child_t){.binary = "/bin/rm"}, 0, NULL, WORDS(previous)));
    opened_t c = open_checkpoint(newest);
    /* The image: 8 bytes that name it, time, epoch (4 bytes), number of codes, codes (16 bytes
     * each), the place in the program (17 bytes), the block scheduler's time, the first SM's. */
    uint64_t codes;
    memcpy(&codes, c.body + c.image + 20, sizeof(codes));
    const size_t scheduler = c.image + 28 + codes * 16 + 17;
    const size_t places[] = {c.at_place,    c.at_place + 8,    c.at_place + 16,
                             c.image + 8,   c.image + 20,      scheduler,
                             scheduler + 8, c.head.length - 8, c.head.length - 48};
    free(c.body);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint64_t v = i == 2 ? UINT64_MAX : far; /* a time of the host: not a number */
        swap_word(newest, places[i], &v);
        free(cli_run_as(&rubato, 1, "hurt/checkpoint: damaged: ", resume_hurt));
        assert_true(cli_exists("hurt/journal"));
        swap_word(newest, places[i], &v);
    }
    expect(0, NULL, resume_hurt);
    expect(0, NULL, WORDS("run", "text", "-o", "sound"));
    cli_same_results("sound", "hurt");
}

static void the_checkpoint_before_a_damaged_one_is_used(void **state)
{
    (void)state;
    make_text();
    expect(0, NULL, WORDS("run", "text", "-o", "unhurt"));
    for (int repaired = 0; repaired < 2; repaired++) {
        uint64_t far = 89000000000000u;
        begin_and_kill("text", "hurt");
        opened_t c = open_checkpoint("hurt/checkpoint");
        const size_t time = c.image + 8;
        free(c.body);
        swap_word("hurt/checkpoint", time, &far);
        if (!repaired) {
            FILE *f = fopen("hurt/checkpoint", "a");
            assert_non_null(f);
            fputc('!', f);
            fclose(f);
        }
        expect(0, "hurt/checkpoint: damaged", resume_hurt);
        cli_same_results("unhurt", "hurt");
        assert_false(cli_exists("hurt/checkpoint") || cli_exists("hurt/checkpoint.previous"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_was_read_and_changed_is_refused),
        cmocka_unit_test(a_file_that_changed_before_it_was_read_counts_as_it_is),
        cmocka_unit_test(the_hash_of_a_folder_is_that_of_its_sums),
        cmocka_unit_test(a_part_of_a_trace_lists_what_was_read),
        cmocka_unit_test(complete_results_of_another_trace_are_not_taken_for_this_ones),
        cmocka_unit_test(another_build_does_not_continue),
        cmocka_unit_test(a_native_trace_is_checked_where_it_is_read),
        cmocka_unit_test(impossible_values_under_a_right_checksum_are_refused),
        cmocka_unit_test(the_checkpoint_before_a_damaged_one_is_used),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
