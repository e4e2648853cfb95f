#include "tests/support/sim/pipe_trial.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/emulator/record/launch_pipe.h"
#include "frontend/emulator/record/recorded_launches.h"
#include "frontend/emulator/record/shown_device.h"
#include "sim/core/alloc.h"
#include "tests/support/edits.h"
#include "tests/support/mix.h"
#include "tests/support/source_check.h"
#include "tests/support/temp_folder.h"

enum { BLOCKS = 2, LAUNCHES = 3 };

static const char *odd_text(void *ctx, const inst_t *inst, uint32_t *len)
{
    (void)ctx;
    *len = 1 + inst->pc / 16 % 4;
    return inst->pc % 32 != 0 ? "MUFU" : NULL;
}

static bool odd_line(void *ctx, const inst_t *inst, source_line_t *out)
{
    (void)ctx;
    *out = (source_line_t){.file = inst->pc % 64 < 32 ? "a.cu" : "b.cuh", .line = inst->pc + 1};
    return inst->pc % 48 != 0;
}

static void must(rb_code_t code, const rb_err_t *err)
{
    RB_INVARIANT(code == RB_OK, "%s", err->text);
}

/* --- the sender ------------------------------------------------------------------------------ */

/* The range of code that the blocks of a launch refer to. */
typedef struct {
    const inst_t *first, *end;
} code_t;

static void find_code(code_t *c, const trace_block_t *b)
{
    for (uint32_t w = 0; w < b->n_warps; w++)
        for (uint32_t i = 0; i < b->warps[w].n_runs; i++) {
            const trace_run_t *run = &b->warps[w].runs[i];

            if (c->first == NULL || run->first < c->first)
                c->first = run->first;
            if (c->end == NULL || run->first + run->count > c->end)
                c->end = run->first + run->count;
        }
}

/* Sends a launch with only the first blocks of launch id. */
static void send_launch(launch_pipe_writer_t *w, trace_source_t *s, uint64_t id)
{
    rb_err_t err = {0};
    launch_info_t info;
    trace_launch_t *l;
    trace_block_t *blocks[BLOCKS];
    code_t code = {NULL, NULL};
    const memcpy_op_t copy = {.addr = 0x7f0000000000, .bytes = 4096};

    must(s->ops->launch_info(s, id, &info, &err), &err);
    must(s->ops->open(s, id, &l, &err), &err);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        must(s->ops->get_block(l, i, &blocks[i], &err), &err);
        find_code(&code, blocks[i]);
    }
    info.n_blocks = info.grid[0] = BLOCKS;
    info.grid[1] = info.grid[2] = 1;
    const pipe_about_t about = {odd_text, odd_line, NULL}; /* the first kernel has no listing */

    must(launch_pipe_copy(w, &copy, &err), &err);
    must(launch_pipe_launch(w, &info, code.first, (uint32_t)(code.end - code.first),
                            id > 1 ? &about : NULL, &err),
         &err);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        must(launch_pipe_block(w, blocks[i], &err), &err);
        s->ops->free_block(l, blocks[i]);
    }
    must(launch_pipe_launch_end(w, &err), &err);
    s->ops->close(l);
}

/* Divides the sent data into messages. */
static void read_messages(damaged_t *d, const char *path)
{
    pipe_header_t head;
    FILE *in = fopen(path, "rb");

    RB_INVARIANT(in != NULL, "%s", path);
    while (fread(&head, sizeof(head), 1, in) == 1) {
        uint8_t *bytes = rb_calloc(sizeof(head) + head.bytes, 1);

        memcpy(bytes, &head, sizeof(head));
        RB_INVARIANT(fread(bytes + sizeof(head), 1, head.bytes, in) == head.bytes, "%s", path);
        damaged_add(d, bytes, sizeof(head) + head.bytes);
        free(bytes);
    }
    fclose(in);
}

static void make_messages(damaged_t *d)
{
    rb_err_t err = {0};
    synth_t *s = mix_create(1);
    char path[256];

    temp_write("sent", "");
    snprintf(path, sizeof(path), "%s", temp_path("sent"));
    launch_pipe_writer_t *w = launch_pipe_open(path, &err);
    RB_INVARIANT(w != NULL, "%s", err.text);
    for (uint64_t id = 1; id <= LAUNCHES; id++)
        send_launch(w, synth_source(s), id);
    must(launch_pipe_finish(w, &err), &err);
    synth_destroy(s);
    read_messages(d, path);
}

/* --- the receiver ---------------------------------------------------------------------------- */

static rb_code_t read_pipe(trace_source_t *s, rb_err_t *err)
{
    bool there;
    const memcpy_op_t *copies;

    for (uint64_t id = 1;; id++) {
        RB_TRY(s->ops->has_launch(s, id, &there, err));
        if (!there)
            return RB_OK;
        for (size_t i = s->ops->copies(s, id, &copies); i-- > 0;)
            RB_INVARIANT(copies[i].bytes <= UINT64_MAX - copies[i].addr, "copy %zu", i);
        RB_TRY(source_check_launch(s, id, err));
    }
}

static rb_code_t try_pipe(const char *text, size_t n, rb_err_t *err)
{
    static damaged_t sent;
    damaged_t d = {0};

    if (sent.n == 0)
        make_messages(&sent);
    for (size_t i = 0; i < sent.n_parts; i++) {
        size_t end = i + 1 < sent.n_parts ? sent.part[i + 1] : sent.n;

        damaged_add(&d, sent.bytes + sent.part[i], end - sent.part[i]);
    }
    damaged_edit(&d, text, n);
    temp_write_bytes("pipe", d.bytes, d.n);
    damaged_free(&d);
    int fd = open(temp_path("pipe"), O_RDONLY | O_CLOEXEC);
    RB_INVARIANT(fd >= 0, "pipe");
    trace_source_t *s = launch_pipe_source(fd, "program");
    rb_code_t rc = read_pipe(s, err);
    s->ops->destroy(s);
    return rc;
}

static rb_code_t try_device(const char *text, size_t n, rb_err_t *err)
{
    shown_device_t d, again;
    char written[SHOWN_DEVICE_TEXT], *line = rb_calloc(n + 1, 1);

    memcpy(line, text, n);
    line[strcspn(line, "\n")] = '\0';
    rb_code_t rc = shown_device_read(&d, line, err);
    free(line);
    if (rc != RB_OK)
        return rc;
    shown_device_write(&d, written);
    must(shown_device_read(&again, written, err), err);
    RB_INVARIANT(shown_device_threads(&again) == shown_device_threads(&d), "another device");
    (void)shown_device_blocks(&d, shown_device_threads(&d), 32, shown_device_plain_shared(&d));
    return RB_OK;
}

static rb_code_t try_plan(const char *text, size_t n, rb_err_t *err)
{
    recorded_launches_t r;
    double weight;

    temp_write_bytes("plan", text, n);
    RB_TRY(recorded_launches_read(&r, temp_path("plan"), err));
    for (size_t i = 0; i < r.n; i++)
        RB_INVARIANT(recorded_launches_has(&r, r.ids[i], &weight), "launch %zu", i);
    recorded_launches_free(&r);
    return RB_OK;
}

static const struct {
    const char *name;
    rb_code_t (*try)(const char *text, size_t n, rb_err_t *err);
} kinds[] = {{"pipe\n", try_pipe}, {"device\n", try_device}, {"plan\n", try_plan}};

rb_code_t pipe_trial(const void *data, size_t n)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t name = strlen(kinds[i].name);
        rb_err_t err = {0};

        if (n < name || memcmp(data, kinds[i].name, name) != 0)
            continue;
        rb_code_t rc = kinds[i].try((const char *)data + name, n - name, &err);
        RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'",
                     (int)rc, err.text);
        return rc;
    }
    return RB_TRACE;
}
