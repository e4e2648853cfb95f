/* What a damaged trace leaves is counted, and what real programs do is not. */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "sim/gpu/source/read_blocks.h"
#include "sim/isa/stream_doubts.h"
#include "tests/support/test.h"
#include "tests/support/trace/real_traces.h"
#include "tests/support/trace/trace_files.h"

#define LOAD(address)  "0030 ffffffff 1 R4 LDG.E 1 R2 4 1 " address " 4 \n"
#define WIDE(address)  "0040 ffffffff 1 R4 LDG.E.128 1 R2 16 1 " address " 16 \n"
#define SHARED(offset) "0050 ffffffff 1 R4 LDS 1 R2 4 1 " offset " 4 \n"
#define BAR            "0060 ffffffff 0 BAR.SYNC 0 0 \n"
#define ARRIVE         "0070 ffffffff 0 BAR.ARV 0 0 \n"
#define PASSED_BAR     "0060 00000000 0 BAR.SYNC 0 0 \n"
#define EXIT           "0080 ffffffff 0 EXIT 0 0 \n"
#define PASSED_EXIT    "0080 00000000 0 EXIT 0 0 \n"

static stream_doubts_t doubts_of(trace_source_t *s, uint64_t id)
{
    stream_doubts_t d = {0};
    stream_doubts_memo_t memo = {0};
    block_reading_t reading;
    trace_block_t *b = NULL;

    assert_int_equal(block_reading_open(&reading, s, id, NULL), RB_OK);
    for (uint64_t i = 0;; i++) {
        assert_int_equal(s->ops->get_block(reading.launch, i, &b, NULL), RB_OK);
        if (b == NULL)
            break;
        stream_doubts_block(&d, &memo, b);
        s->ops->free_block(reading.launch, b);
    }
    block_reading_close(&reading);
    return d;
}

static unsigned lines_of(const char *text)
{
    unsigned n = 0;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* A launch of one block of two warps with these lines; NULL: a warp that is not in the file. */
static stream_doubts_t doubts_in(const char *first, const char *second)
{
    const char *warps[] = {first, second};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fputs(trace_header(3, "-grid dim = (1,1,1)"), out);
    fputs("#BEGIN_TB\n\nthread block = 0,0,0\n\n", out);
    for (unsigned w = 0; w < 2; w++)
        if (warps[w] != NULL)
            fprintf(out, "warp = %u\ninsts = %u\n%s", w, lines_of(warps[w]), warps[w]);
    fputs("#END_TB\n\n", out);
    fclose(out);
    trace_write("k.traceg", text);
    free(text);
    trace_source_t *s = trace_open("k.traceg");
    const stream_doubts_t d = doubts_of(s, 1);

    s->ops->destroy(s);
    return d;
}

static void same(stream_doubts_t found, stream_doubts_t expected)
{
    for (unsigned i = 0; i < STREAM_DOUBT_COUNT; i++) {
        const stream_doubt_t a = stream_doubt(&found, i), b = stream_doubt(&expected, i);
        if (a.n != b.n)
            fail_msg("%s: %llu instead of %llu", a.name, (unsigned long long)a.n,
                     (unsigned long long)b.n);
    }
}

static void an_ordinary_block_raises_none(void **state)
{
    (void)state;
    const stream_doubts_t d =
        doubts_in(LOAD("0x7f0000000000") SHARED("0x0") BAR EXIT,
                  WIDE("0x7f0000000010") BAR ARRIVE LOAD("0x7f0000000004") EXIT);
    same(d, (stream_doubts_t){0});
    assert_int_equal(d.accesses, 4);
    assert_int_equal(d.warps, 2);
    assert_int_equal(d.blocks, 1);
}

/* Accesses at 0: all lanes, by a stride, and one lane of a list. */
static void accesses_at_zero_are_counted(void **state)
{
    (void)state;
    same(doubts_in("0030 ffffffff 1 R4 LDG.E 1 R2 4 1 0x0 0 \n" LOAD("0x7f0000000000") EXIT,
                   LOAD("0x0") "0030 00000003 1 R4 LDG.E 1 R2 4 0 0x7f0000000000 0x0 \n" EXIT),
         (stream_doubts_t){.null_accesses = 3});
}

/* Base, stride, and a lane of a list. A byte has no alignment. */
static void unaligned_accesses_are_counted(void **state)
{
    (void)state;
    same(doubts_in(
             WIDE("0x7f0000000008") LOAD(
                 "0x7f0000000002") "0030 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 6 \n" EXIT,
             "0030 00000007 1 R4 LDG.E 1 R2 4 0 0x7f0000000000 0x7f0000000100 "
             "0x7f0000000201 \n0030 00000001 1 R4 LDG.E.U8 1 R2 1 1 0x7f0000000001 0 \n" EXIT),
         (stream_doubts_t){.unaligned_accesses = 4});
}

static void what_is_missing_is_counted(void **state)
{
    (void)state;
    same(doubts_in(LOAD("0x7f0000000000") EXIT, NULL), (stream_doubts_t){.missing_warps = 1});
    same(doubts_in(NULL, NULL), (stream_doubts_t){.empty_blocks = 1});
    same(doubts_in(LOAD("0x7f0000000000"), EXIT), (stream_doubts_t){.unended_warps = 1});
    same(doubts_in(PASSED_EXIT, EXIT), (stream_doubts_t){0});
}

/* A barrier that a predicate passes is none, and a warp may exit before the first. */
static void uneven_barriers_are_counted(void **state)
{
    (void)state;
    same(doubts_in(BAR BAR EXIT, BAR EXIT), (stream_doubts_t){.uneven_blocks = 1});
    same(doubts_in(BAR BAR EXIT, EXIT), (stream_doubts_t){0});
    same(doubts_in(BAR PASSED_BAR EXIT, BAR EXIT), (stream_doubts_t){0});
}

/* More accesses in a run than are kept of one, and a run that begins within another. */
static void long_runs_are_counted_to_their_end(void **state)
{
    enum { LOADS = 100 };
    char lines[2][LOADS * 80] = {"", ""};

    (void)state;
    for (unsigned w = 0; w < 2; w++) {
        size_t n = 0;
        for (unsigned i = w * 30; i < LOADS; i++)
            n += (size_t)snprintf(lines[w] + n, sizeof(lines[w]) - n,
                                  "%04x ffffffff 1 R4 LDG.E 1 R2 4 1 %s 4 \n", i * 16,
                                  i == 70 ? "0x7f0000000001" : "0x7f0000000000");
        snprintf(lines[w] + n, sizeof(lines[w]) - n, "%04x ffffffff 0 EXIT 0 0 \n", LOADS * 16);
    }
    const stream_doubts_t d = doubts_in(lines[0], lines[1]);
    same(d, (stream_doubts_t){.unaligned_accesses = 2});
    assert_int_equal(d.accesses, 170);
}

static void check_bundled(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    for (uint64_t id = 1; id <= s->ops->n_launches(s); id++)
        same(doubts_of(s, id), (stream_doubts_t){0});
    s->ops->destroy(s);
}

static void bundled_traces_raise_none(void **state)
{
    (void)state;
    bundled_traces_each(check_bundled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_block_raises_none),
        cmocka_unit_test(accesses_at_zero_are_counted),
        cmocka_unit_test(unaligned_accesses_are_counted),
        cmocka_unit_test(what_is_missing_is_counted),
        cmocka_unit_test(uneven_barriers_are_counted),
        cmocka_unit_test(long_runs_are_counted_to_their_end),
        cmocka_unit_test(bundled_traces_raise_none),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
