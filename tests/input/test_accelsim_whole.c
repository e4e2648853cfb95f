/*
 * Whole traces: the blocks that are read agree with what the files declare. The expected counts
 * come from the files themselves (grids, "insts ="), read independently of the reader under test,
 * and from traces/README.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "sim/isa/isa.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/real_traces.h"

typedef struct {
    uint64_t launches, blocks, warps, insts;
    uint64_t mem_lines; /* lines with addresses, mask zero included */
    uint64_t unknown;   /* instructions of unknown opcodes */
    uint64_t thread_insts;
} counts_t;

/* --- through the reader ---------------------------------------------------------------------- */

static void count_block(const trace_block_t *b, counts_t *c)
{
    c->blocks++;
    c->insts += b->n_insts;
    for (unsigned w = 0; w < b->n_warps; w++) {
        const warp_stream_t *warp = &b->warps[w];

        c->warps += warp->n_runs > 0;
        for (uint32_t i = 0; i < warp->n_runs; i++) {
            const trace_run_t *run = &warp->runs[i];
            uint64_t lanes = (uint64_t)__builtin_popcount(run->mask);

            c->thread_insts += lanes * run->count;
            for (unsigned k = 0; k < run->count; k++) {
                c->mem_lines += run->first[k].width != 0;
                c->unknown += run->first[k].cls == OP_UNKNOWN;
            }
        }
    }
}

static counts_t read_counts(const char *path)
{
    rb_err_t err = {0};
    counts_t c = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    c.launches = s->ops->n_launches(s);
    for (uint64_t id = 1; id <= c.launches; id++) {
        trace_launch_t *l = NULL;
        trace_block_t *b = NULL;
        uint64_t index = 0;
        launch_info_t info;

        if (s->ops->launch_info(s, id, &info, &err) != RB_OK ||
            s->ops->open(s, id, &l, &err) != RB_OK)
            fail_msg("%s", err.text);
        for (; s->ops->get_block(l, index, &b, &err) == RB_OK && b != NULL; index++) {
            count_block(b, &c);
            s->ops->free_block(l, b);
        }
        if (err.code != RB_OK)
            fail_msg("%s", err.text);
        s->ops->close(l);
    }
    s->ops->destroy(s);
    return c;
}

/* --- by the declarations of the files --------------------------------------------------------- */

/* Adds what a grouped file declares: lines "#BEGIN_TB", "insts = n", instructions with a width. */
static void declared_line(char *line, counts_t *c)
{
    enum { WORDS = 12 }; /* pc, mask, registers, opcode, width */
    char *word[WORDS], *rest = line;
    unsigned words = 0;

    if (strncmp(line, "#BEGIN_TB", 9) == 0)
        c->blocks++;
    if (strncmp(line, "insts = ", 8) == 0) {
        uint64_t n = strtoull(line + 8, NULL, 10);

        c->insts += n;
        c->warps += n > 0;
    }
    if (strspn(line, "0123456789abcdef") < 4)
        return;
    while (words < WORDS && rest != NULL)
        word[words++] = strsep(&rest, " ");
    unsigned dst = (unsigned)atoi(word[2]), src = (unsigned)atoi(word[4 + dst]);

    c->mem_lines += atoi(word[5 + dst + src]) != 0;
    c->thread_insts += (unsigned)__builtin_popcountl(strtoul(word[1], NULL, 16));
}

static void visit_file(void *ctx, const char *path, bool opened)
{
    (void)opened;
    enum { CHUNK = 1 << 16 };
    counts_t *c = ctx;
    rb_err_t err = {0};
    size_t n = 0, cap = 0, got = 1;
    char *text = NULL;
    accelsim_stream_t *stream = accelsim_stream_open(path, &err);

    assert_non_null(stream);
    while (got > 0) {
        if (n == cap)
            text = realloc(text, (cap = 2 * cap + CHUNK) + 1);
        assert_int_equal(accelsim_stream_read(stream, text + n, cap - n, &got, &err), RB_OK);
        n += got;
    }
    text[n] = '\0';
    accelsim_stream_close(stream);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        declared_line(line, c);
    }
    free(text);
}

static void matches_its_declarations(const char *path, counts_t got)
{
    counts_t declared = {0};
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    accelsim_files(s, visit_file, &declared);
    s->ops->destroy(s);
    assert_int_equal(got.blocks, declared.blocks);
    assert_int_equal(got.warps, declared.warps);
    assert_int_equal(got.insts, declared.insts);
    assert_int_equal(got.mem_lines, declared.mem_lines);
    assert_int_equal(got.thread_insts, declared.thread_insts);
    assert_int_equal(got.unknown, 0);
}

static void programs_of_several_launches_are_read_whole(void **state)
{
    static const struct {
        const char *name;
        uint64_t launches, blocks, insts;
    } programs[] = {
        {"bfs-sm70", 13, 416, 226723},
        {"sort-sm75", 37, 584, 157054},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        const char *path = native_trace_as_text(programs[i].name);
        counts_t c = read_counts(path);

        assert_int_equal(c.launches, programs[i].launches);
        assert_int_equal(c.blocks, programs[i].blocks);
        assert_int_equal(c.insts, programs[i].insts);
        matches_its_declarations(path, c);
    }
}

/* v6 is from Hopper, whose tensor copies have widths but no addresses of lanes. */
static void files_of_newer_tracers_are_read_whole(void **state)
{
    static const struct {
        const char *name;
        uint64_t insts;
        bool bulk;
    } files[] = {{"v5.traceg", 28, false},
                 {"v6.traceg", 5, true},
                 {"store_data.traceg", 1, false},
                 {"packed.xz", 28, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), RUBATO_ROOT "/tests/fuzz/corpus/accelsim/%s", files[i].name);
        counts_t c = read_counts(path);

        assert_int_equal(c.insts, files[i].insts);
        assert_int_equal(c.unknown, 0);
        if (!files[i].bulk)
            matches_its_declarations(path, c);
    }
}

/* Like in a real trace: a header that was overwritten while the trace was taken. */
static void a_corrupt_header_is_refused(void **state)
{
#define CORRUPT RUBATO_ROOT "/tests/fuzz/corpus/accelsim/bad_corrupt_header.traceg"
    rb_err_t err = {0};
    launch_info_t info;

    (void)state;
    trace_source_t *s = accelsim_open(CORRUPT, NULL, &err);

    assert_non_null(s);
    assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_TRACE);
    assert_non_null(strstr(err.text, ".traceg:6: -nregs = 21955: a thread has at most 255"));
    s->ops->destroy(s);
}

/* The counts are those that traces/README.md states. */
static void the_bundled_traces_are_read_whole(void **state)
{
    static const struct {
        const char *name;
        uint64_t blocks, insts;
    } bundled[] = {
        {"vecadd-sm70", 1024, 131072},
        {"vecadd-sm75", 1024, 122880},
        {"matmul-sm70", 100, 532000},
        {"matmul-sm75", 100, 514400},
        {"transpose_tiled-sm70", 256, 151552},
        {"transpose_tiled-sm75", 256, 143360},
        {"spmv_vector-sm70", 1024, 335316},
        {"spmv_vector-sm75", 1024, 323028},
        {"softmax-sm70", 256, 621568},
        {"softmax-sm75", 256, 600064},
        {"histo-sm70", 64, 52992},
        {"histo-sm75", 64, 51456},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bundled) / sizeof(bundled[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s", bundled[i].name);
        counts_t c = read_counts(path);

        assert_int_equal(c.launches, 1);
        assert_int_equal(c.blocks, bundled[i].blocks);
        assert_int_equal(c.insts, bundled[i].insts);
        matches_its_declarations(path, c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_several_launches_are_read_whole),
        cmocka_unit_test(files_of_newer_tracers_are_read_whole),
        cmocka_unit_test(the_bundled_traces_are_read_whole),
        cmocka_unit_test(a_corrupt_header_is_refused),
    };

    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
