#include "frontend/tool/run/results/run_instructions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/results/kernel_insts.h"
#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

struct run_instructions {
    const run_sampling_t *sampling; /* borrowed */
    const char *tmpdir;             /* borrowed */
    kernel_list_t kernels;
    out_file_t insts, waits;
    FILE *later; /* owned; launches whose weight is not known yet; NULL: none */
};

rb_code_t run_instructions_open(run_instructions_t **out, const char *folder,
                                const run_sampling_t *sampling, const char *tmpdir, rb_err_t *err)
{
    run_instructions_t *x = rb_calloc(1, sizeof(*x));
    x->sampling = sampling;
    x->tmpdir = unnamed_file_dir(tmpdir);
    rb_code_t rc = out_file_open(&x->insts, folder, RUN_INSTRUCTIONS_FILE, err);
    if (rc == RB_OK)
        rc = out_file_open(&x->waits, folder, RUN_WAITS_FILE, err);
    if (rc == RB_OK)
        *out = x;
    else
        run_instructions_free(x);
    return rc;
}

/* As in launches.csv: a launch that a sampler simulated only to compare stands for none. */
static double weight_of(const run_sampling_t *s, uint64_t id)
{
    const chosen_t *chosen = s->on && !run_sampling_is_online(s) ? run_sampling_find(s, id) : NULL;
    if (chosen != NULL)
        return s->plan.samples[chosen->sample].weight;
    return s->on && run_sampling_is_done(s) ? 0.0 : 1.0;
}

static void add(run_instructions_t *x, const launch_result_t *r, const launch_insts_t *insts)
{
    const double weight = weight_of(x->sampling, r->info.id);
    if (weight > 0.0)
        kernel_list_add(&x->kernels, r, insts, weight);
}

static rb_code_t temporary_failed(const run_instructions_t *x, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: a temporary file for counts per instruction: %s", x->tmpdir,
                   strerror(errno));
}

/* What a launch needs of its result later, followed by the name, the instructions with their texts, and
 * the waits. */
typedef struct {
    launch_result_t result;
    inst_counts_t total;
    uint64_t n, n_waits, name;
} kept_t;

static bool put(FILE *f, const void *data, size_t bytes)
{
    return bytes == 0 || fwrite(data, bytes, 1, f) == 1;
}

static bool put_text(FILE *f, const char *text)
{
    const uint64_t bytes = text == NULL ? 0 : strlen(text) + 1;
    return put(f, &bytes, sizeof(bytes)) && put(f, text, (size_t)bytes);
}

static bool put_launch(FILE *f, const launch_result_t *r, const launch_insts_t *insts)
{
    const kept_t kept = {
        .result = *r, .total = insts->total, .n = insts->n, .n_waits = insts->n_waits};
    bool good = put(f, &kept, sizeof(kept)) && put_text(f, r->info.name) &&
                put(f, insts->list, (insts->n + 1) * sizeof(*insts->list)) &&
                put(f, insts->waits, insts->n_waits * sizeof(*insts->waits));
    for (size_t i = 0; good && i < insts->n; i++)
        good = put_text(f, insts->list[i].text) && put_text(f, insts->list[i].file);
    return good;
}

static bool get(FILE *f, void *data, size_t bytes)
{
    return bytes == 0 || fread(data, bytes, 1, f) == 1;
}

/* *text is owned by the caller; NULL: there is none. */
static bool get_text(FILE *f, char **text)
{
    uint64_t bytes = 0;
    *text = NULL;
    if (!get(f, &bytes, sizeof(bytes)))
        return false;
    if (bytes > 0)
        *text = rb_calloc((size_t)bytes, 1);
    return get(f, *text, (size_t)bytes);
}

static bool replay_launch(run_instructions_t *x, kept_t *kept)
{
    FILE *f = x->later;
    const size_t n = (size_t)kept->n, n_waits = (size_t)kept->n_waits;
    launch_inst_t *list = rb_calloc(n + 1, sizeof(*list));
    launch_wait_t *waits = rb_calloc(n_waits, sizeof(*waits));
    char **texts = rb_calloc(2 * n + 1, sizeof(*texts)); /* and files */
    char *name = NULL;
    bool good = get_text(f, &name) && get(f, list, (n + 1) * sizeof(*list)) &&
                get(f, waits, n_waits * sizeof(*waits));
    for (size_t i = 0; i < n; i++)
        list[i].text = list[i].file = NULL;
    for (size_t i = 0; good && i < n; i++) {
        good = get_text(f, &texts[2 * i]) && get_text(f, &texts[2 * i + 1]);
        list[i].text = texts[2 * i];
        list[i].file = texts[2 * i + 1];
    }
    kept->result.info.name = name;
    const launch_insts_t insts = {
        .list = list, .n = n, .waits = waits, .n_waits = n_waits, .total = kept->total};
    if (good)
        add(x, &kept->result, &insts);
    for (size_t i = 0; i < 2 * n; i++)
        free(texts[i]);
    free(texts);
    free(name);
    free(list);
    free(waits);
    return good;
}

/* Adds the launches whose weight is known now. */
static rb_code_t replay(run_instructions_t *x, rb_err_t *err)
{
    kept_t kept;
    if (x->later == NULL)
        return RB_OK;
    if (fflush(x->later) != 0 || fseek(x->later, 0, SEEK_SET) != 0)
        return temporary_failed(x, err);
    while (get(x->later, &kept, sizeof(kept))) {
        if (!replay_launch(x, &kept))
            return temporary_failed(x, err);
    }
    return ferror(x->later) ? temporary_failed(x, err) : RB_OK;
}

static rb_code_t keep_for_later(run_instructions_t *x, const launch_result_t *r,
                                const launch_insts_t *insts, rb_err_t *err)
{
    if (x->later == NULL) {
        const int fd = unnamed_file_open(x->tmpdir);
        x->later = fd < 0 ? NULL : fdopen(fd, "w+b");
        if (fd >= 0 && x->later == NULL)
            close(fd);
    }
    if (x->later == NULL || !put_launch(x->later, r, insts))
        return temporary_failed(x, err);
    return RB_OK;
}

rb_code_t run_instructions_add(run_instructions_t *x, const launch_result_t *r,
                               const launch_insts_t *insts, rb_err_t *err)
{
    if (run_sampling_is_online(x->sampling))
        return keep_for_later(x, r, insts, err);
    add(x, r, insts);
    return RB_OK;
}

static void header(csv_t *c)
{
    static const char *const names[] = {"kernel", "name",  "arch", "launches", "estimated", "pc",
                                        "opcode", "class", "text", "file",     "line"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        csv_text(c, names[i]);
    csv_text(c, inst_count_defs[0].name);
    csv_text(c, inst_count_defs[1].name);
    csv_text(c, inst_count_defs[2].name);
    for (size_t i = 0; i < STATE_COUNT; i++)
        csv_text(c, sm_stat_defs[i].name);
    for (size_t i = 3; i < INST_COUNTS_OWN; i++)
        csv_text(c, inst_count_defs[i].name);
    csv_end_row(c);
}

static void pc_text(csv_t *c, uint64_t pc)
{
    if (pc == KERNEL_NO_PC)
        csv_text(c, NULL);
    else
        csv_u64(c, pc);
}

static void row(csv_t *c, size_t number, const kernel_insts_t *k, const kernel_inst_t *i)
{
    const bool none = i->pc == KERNEL_NO_PC;
    csv_u64(c, number);
    csv_text(c, k->name);
    csv_u64(c, k->arch);
    csv_u64(c, k->launches);
    csv_u64(c, k->estimated);
    pc_text(c, i->pc);
    csv_text(c, none ? NULL : isa_opcode(i->opcode)->mnemonic);
    csv_text(c, none ? NULL : isa_class_name((op_class_t)i->cls));
    csv_text(c, i->text);
    csv_text(c, i->file);
    if (i->line > 0)
        csv_u64(c, i->line);
    else
        csv_text(c, NULL);
    for (size_t n = 0; n < 3; n++)
        csv_u64(c, kernel_inst_count(i, STATE_COUNT + n));
    for (size_t n = 0; n < STATE_COUNT; n++)
        csv_u64(c, kernel_inst_count(i, n));
    for (size_t n = STATE_COUNT + 3; n < INST_COUNTS_ALL; n++)
        csv_u64(c, kernel_inst_count(i, n));
    csv_end_row(c);
}

static void write_insts(const run_instructions_t *x)
{
    csv_t c = {.out = x->insts.out};
    header(&c);
    for (size_t k = 0; k < x->kernels.n; k++) {
        const kernel_insts_t *kernel = &x->kernels.kernel[k];
        for (size_t i = 0; i < kernel->n; i++)
            row(&c, k + 1, kernel, &kernel->list[i]);
    }
}

static void write_waits(const run_instructions_t *x)
{
    static const char *const names[] = {"kernel", "pc", "state", "for_pc", "cycles"};
    csv_t c = {.out = x->waits.out};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        csv_text(&c, names[i]);
    csv_end_row(&c);
    for (size_t k = 0; k < x->kernels.n; k++) {
        const kernel_insts_t *kernel = &x->kernels.kernel[k];
        for (size_t i = 0; i < kernel->n_waits; i++) {
            const kernel_wait_t *w = &kernel->waits[i];
            csv_u64(&c, k + 1);
            pc_text(&c, w->pc);
            csv_text(&c, w->longer ? "long_scoreboard" : "short_scoreboard");
            pc_text(&c, w->other);
            csv_u64(&c, kernel_wait_cycles(w));
            csv_end_row(&c);
        }
    }
}

rb_code_t run_instructions_finish(run_instructions_t *x, rb_err_t *err)
{
    if (x == NULL)
        return RB_OK;
    RB_TRY(replay(x, err));
    write_insts(x);
    write_waits(x);
    RB_TRY(out_file_close(&x->waits, RB_OK, err));
    return out_file_close(&x->insts, RB_OK, err);
}

void run_instructions_free(run_instructions_t *x)
{
    if (x == NULL)
        return;
    out_file_abandon(&x->insts);
    out_file_abandon(&x->waits);
    kernel_list_free(&x->kernels);
    if (x->later != NULL)
        fclose(x->later);
    free(x);
}
