#include "tests/support/sim/chip_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/journal.h"
#include "frontend/tool/run/run_checkpoint.h"
#include "sim/core/alloc.h"
#include "tests/support/edits.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/spec_load.h"
#include "tests/support/trace/synth.h"

enum { HEAD_BYTES = 24, LAUNCHES = 2 };

static const char identity[] = "rubato test\nconfig small\n";

static const char *const small[] = {"sm.count=2",          "mem.partitions=1",
                                    "l2.slices=2",         "l2.size=8KiB",
                                    "l2.ways=8",           "tlb.l2_entries=4",
                                    "tlb.entries=1",       "icache.l0_size=512",
                                    "icache.l0_ways=4",    "icache.l1_size=1KiB",
                                    "icache.l1_ways=8",    "const.l1_size=256",
                                    "const.l15_size=1KiB", NULL};

static gpu_spec_t spec;

/* --- the program ----------------------------------------------------------------------------- */

enum { LOAD, CONSTANT, FMA, SHARED, ATOMIC, STORE, END };

static void body(synth_warp_t *w, const void *ctx)
{
    const uint32_t all = (uint32_t)SYNTH_FULL_MASK;
    const uint64_t base = 0x7f0000000000, at = base + w->global * 256;

    (void)ctx;
    synth_emit_affine(w, LOAD, all, at, 4);
    synth_emit(w, CONSTANT, all);
    synth_emit(w, FMA, all);
    synth_emit_affine(w, SHARED, all, 0, 4);
    synth_emit_affine(w, ATOMIC, all, base + 65536, 4);
    synth_emit_affine(w, STORE, all, at + 128, 4);
    synth_emit(w, END, all);
}

static synth_t *make_program(void)
{
    synth_t *s = synth_create();

    for (unsigned i = 0; i < LAUNCHES; i++) {
        synth_kernel_t *k = synth_kernel_create(
            s, "small", &(synth_shape_t){.grid = {4}, .block = {64}, .shared = 1024});

        synth_memcpy(s, 0x7f0000000000, 4096);
        synth_code(k, "LDG.E.SYS", "R4", "R2");
        synth_code_const(k, "MOV", "R1", 0, 0x160);
        synth_code(k, "FFMA", "R5", "R4 R1 R5");
        synth_code(k, "STS", "", "R3 R5");
        synth_code(k, "ATOMG.E.ADD.STRONG.GPU", "R6", "R2 R5");
        synth_code(k, "STG.E.SYS", "", "R10 R6");
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, body, NULL);
    }
    return s;
}

/* --- the checkpoint -------------------------------------------------------------------------- */

typedef struct {
    gpu_t *gpu;
    cycle_t end; /* of the launch before the checkpoint */
} run_t;

static rb_code_t save(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    const checkpoint_t c = {.last_launch = 1, .journal_length = 1, .host_seconds = 1.0};

    run->end = r->end;
    return checkpoint_write(temp_path(""), identity, &c, run->gpu, err);
}

static cycle_t make_checkpoint(void)
{
    synth_t *s = make_program();
    const run_plan_t plan = {.first = 1, .last = 1};
    rb_err_t err = {0};

    RB_INVARIANT(spec_load(&spec, "v100", small, &err) == RB_OK, "%s", err.text);
    run_t run = {.gpu = gpu_create(&spec, 1, 0)};
    const gpu_callbacks_t callbacks = {.ctx = &run, .launch_done = save};
    RB_INVARIANT(gpu_run(run.gpu, synth_source(s), &plan, &callbacks, &err) == RB_OK, "%s",
                 err.text);
    gpu_destroy(run.gpu);
    synth_destroy(s);
    return run.end;
}

/* The parts of the file that was written. */
static void read_checkpoint(damaged_t *d)
{
    enum { BYTES_MAX = 1 << 22 };
    uint8_t *bytes = rb_calloc(BYTES_MAX, 1);
    FILE *in = fopen(temp_path(checkpoint_names[0]), "rb");

    RB_INVARIANT(in != NULL, "no checkpoint");
    size_t n = fread(bytes, 1, BYTES_MAX, in), at = HEAD_BYTES + sizeof(identity);
    fclose(in);
    RB_INVARIANT(n > at + sizeof(checkpoint_t) && n < BYTES_MAX, "%zu bytes", n);
    damaged_add(d, bytes, HEAD_BYTES);
    damaged_add(d, bytes + HEAD_BYTES, sizeof(identity));
    damaged_add(d, bytes + at, sizeof(checkpoint_t));
    at += sizeof(checkpoint_t);
    damaged_add(d, bytes + at, n - at);
    free(bytes);
}

/* --- what is made of it ---------------------------------------------------------------------- */

/* A head as run_checkpoint.h describes it. */
static void write_body(const damaged_t *body)
{
    uint8_t *file = rb_calloc(HEAD_BYTES + body->n, 1);
    const uint64_t length = body->n, sum = journal_checksum(length, body->bytes, body->n);

    memcpy(file, "rbckpt1\n", 8);
    memcpy(file + 8, &length, sizeof(length));
    memcpy(file + 16, &sum, sizeof(sum));
    memcpy(file + HEAD_BYTES, body->bytes, body->n);
    temp_write_bytes(checkpoint_names[0], file, HEAD_BYTES + body->n);
    free(file);
}

static void add_part(damaged_t *to, const damaged_t *from, size_t part)
{
    size_t end = part + 1 < from->n_parts ? from->part[part + 1] : from->n;

    damaged_add(to, from->bytes + from->part[part], end - from->part[part]);
}

static void write_damaged(const damaged_t *whole, bool body, const char *text, size_t n)
{
    damaged_t d = {0};

    for (size_t i = body; i < whole->n_parts; i++)
        add_part(&d, whole, i);
    damaged_edit(&d, text, n);
    if (body)
        write_body(&d);
    else
        temp_write_bytes(checkpoint_names[0], d.bytes, d.n);
    damaged_free(&d);
}

/* The rest of the program on a chip that was loaded. */
static rb_code_t go_on(gpu_t *gpu, rb_err_t *err)
{
    const gpu_callbacks_t callbacks = {.ctx = NULL};
    const run_plan_t plan = {.first = LAUNCHES, .last = LAUNCHES};
    synth_t *s = make_program();
    rb_code_t rc = gpu_run(gpu, synth_source(s), &plan, &callbacks, err);

    synth_destroy(s);
    return rc;
}

static rb_code_t load(const checkpoint_image_t *c, cycle_t end, rb_err_t *err)
{
    gpu_t *gpu = gpu_create(&spec, 1, 0);
    FILE *in = c->n > 0 ? fmemopen((void *)(uintptr_t)c->image, c->n, "r") : NULL;
    rb_code_t rc = in != NULL ? gpu_load(gpu, in, end, err) : rb_fail(err, RB_TRACE, "no image");

    if (rc == RB_OK)
        rc = go_on(gpu, err);
    if (in != NULL)
        fclose(in);
    gpu_destroy(gpu);
    return rc;
}

rb_code_t chip_trial(const void *data, size_t n)
{
    static const char *const words[] = {"file\n", "body\n"};
    static damaged_t whole;
    static cycle_t end;
    enum { WORD = 5 };
    rb_err_t err = {0};
    checkpoint_image_t c;

    if (whole.n == 0) {
        end = make_checkpoint();
        read_checkpoint(&whole);
    }
    if (n < WORD || (memcmp(data, words[0], WORD) != 0 && memcmp(data, words[1], WORD) != 0))
        return RB_TRACE;
    write_damaged(&whole, memcmp(data, words[1], WORD) == 0, (const char *)data + WORD, n - WORD);
    rb_code_t rc = checkpoint_read(temp_path(""), checkpoint_names[0], identity, &c, &err);
    if (rc == RB_OK)
        rc = load(&c, end, &err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    checkpoint_free(&c);
    return rc;
}
