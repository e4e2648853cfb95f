#include "sampling/inside/photon/analysis_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/text_lines.h"
#include "sim/isa/basic_block.h"
#include "sim/isa/isa.h"

static const char first_line[] = "rubato-analysis 2", older[] = "rubato-analysis 1";

enum { BBS_MAX = 1 << 20, LINE_BYTES_MAX = 1 << 20 };

/* --- writing --------------------------------------------------------------------------------- */

static uint64_t dominant_count(const read_ahead_t *a, size_t bb)
{
    for (size_t i = 0; i < a->n_dominant; i++) {
        if (a->dominant[i].bb == bb)
            return a->dominant[i].n;
    }
    return 0;
}

static void put_basic_block(FILE *out, const read_ahead_t *a, size_t bb)
{
    const bb_entry_t *b = &a->table.bbs[bb];
    fprintf(out, "bb %" PRIu32 " %" PRIu32 " %a %" PRIu64 " %" PRIu32 "\n", b->pc, b->n_insts,
            a->share[bb], dominant_count(a, bb), b->known);
    for (uint32_t i = 0; i < b->known; i++) {
        const inst_t *inst = &b->code[i];
        fprintf(out, "i %s %" PRIu32 " %u", isa_class_name((op_class_t)inst->cls), inst->flags,
                inst->n_set);
        for (unsigned d = 0; d < inst->n_wait; d++)
            fprintf(out, " %u", inst->dep[d]);
        fputc('\n', out);
    }
}

rb_code_t analysis_save(const char *path, bool fresh, const launch_info_t *launch,
                        const read_ahead_t *a, rb_err_t *err)
{
    FILE *out = fopen(path, fresh ? "w" : "a");
    if (out == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (fresh)
        fprintf(out, "%s\n", first_line);
    fprintf(out,
            "launch %" PRIu64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %a %" PRIu64
            " %a %" PRIu64 " %zu\n",
            launch->id, launch->code_id, launch->n_blocks, a->blocks, a->warps, a->whole,
            a->missing, a->insts_per_block, a->types, a->dominant_share, a->dominant_insts,
            a->table.n);
    for (size_t i = 0; i < a->table.n; i++)
        put_basic_block(out, a, i);
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad)
        return rb_fail(err, RB_IO, "%s: cannot be written: %s", path, strerror(errno));
    return RB_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

typedef struct {
    text_lines_t text;
    rb_code_t rc; /* result of the last read */
    rb_err_t *err;
} lines_t;

static rb_code_t fail(const lines_t *l, const char *why)
{
    return l->rc != RB_OK
               ? l->rc
               : rb_fail(l->err, RB_TRACE, "%s:%" PRIu64 ": %s", l->text.path, l->text.number, why);
}

/* Reads the next line. false: there is none, or it cannot be read. */
static bool next_line(lines_t *l)
{
    bool more;
    l->rc = text_lines_next(&l->text, &more, l->err);
    return more;
}

static bool class_of(const char *name, uint8_t *cls)
{
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        if (strcmp(isa_class_name((op_class_t)c), name) == 0) {
            *cls = (uint8_t)c;
            return true;
        }
    }
    return false;
}

static rb_code_t get_inst(lines_t *l, inst_t *inst)
{
    char name[32];
    unsigned set;
    int at = 0;
    if (!next_line(l) ||
        sscanf(l->text.text, "i %31s %" SCNu32 " %u%n", name, &inst->flags, &set, &at) != 3 ||
        !class_of(name, &inst->cls))
        return fail(l, "expected an instruction");
    for (const char *rest = l->text.text + at;;) {
        unsigned dep;
        if (sscanf(rest, " %u%n", &dep, &at) != 1)
            break;
        if (dep >= REG_ID_COUNT || inst->n_wait == INST_MAX_DEPS)
            return fail(l, "bad dependences");
        inst->dep[inst->n_wait++] = (uint16_t)dep;
        rest += at;
    }
    if (set > inst->n_wait)
        return fail(l, "bad dependences");
    inst->n_set = (uint8_t)set;
    return RB_OK;
}

static rb_code_t get_basic_block(lines_t *l, read_ahead_t *a, size_t number)
{
    basic_block_t b = {0};
    uint64_t count;
    double share;
    if (!next_line(l) ||
        sscanf(l->text.text, "bb %" SCNu32 " %" SCNu32 " %la %" SCNu64 " %" SCNu32, &b.pc,
               &b.n_insts, &share, &count, &b.known) != 5 ||
        b.known < 1 || b.known > b.n_insts || b.n_insts > BASIC_BLOCK_INSTS ||
        !(share >= 0 && share <= 1))
        return fail(l, "expected a basic block");
    inst_t *code = rb_calloc(b.known, sizeof(*code));
    rb_code_t rc = RB_OK;
    for (uint32_t i = 0; i < b.known && rc == RB_OK; i++)
        rc = get_inst(l, &code[i]);
    b.first = code;
    if (rc == RB_OK && bb_table_add(&a->table, &b) != number)
        rc = fail(l, "a basic block is listed twice");
    free(code);
    RB_TRY(rc);
    a->share[number] = share;
    if (count > 0)
        a->dominant[a->n_dominant++] = (bb_count_t){(uint32_t)number, count};
    return RB_OK;
}

/* Reads the launch whose line was just read. */
static rb_code_t get_launch(lines_t *l, const launch_info_t *launch, read_ahead_t *a)
{
    uint64_t id, code, blocks;
    unsigned whole, missing;
    size_t n;
    if (sscanf(l->text.text,
               "launch %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %u %u %la %" SCNu64 " %la %" SCNu64 " %zu",
               &id, &code, &blocks, &a->blocks, &a->warps, &whole, &missing, &a->insts_per_block,
               &a->types, &a->dominant_share, &a->dominant_insts, &n) != 12 ||
        whole > 1 || missing > 1 || n > BBS_MAX ||
        !(a->insts_per_block >= 0 && a->insts_per_block < 1e18) ||
        !(a->dominant_share >= 0 && a->dominant_share <= 1))
        return fail(l, "expected a launch");
    if (code != launch->code_id || blocks != launch->n_blocks)
        return fail(l, "the analysis belongs to another trace: this launch differs");
    a->whole = whole != 0;
    a->missing = missing != 0;
    a->share = rb_calloc(n, sizeof(*a->share));
    a->dominant = rb_calloc(n, sizeof(*a->dominant));
    for (size_t i = 0; i < n; i++)
        RB_TRY(get_basic_block(l, a, i));
    return RB_OK;
}

static rb_code_t find_launch(lines_t *l, const launch_info_t *launch, read_ahead_t *out,
                             bool *found)
{
    uint64_t id;
    const bool any = next_line(l);
    if (any && strcmp(l->text.text, older) == 0)
        return fail(l, "this analysis was saved by an older version; save it again (option save)");
    if (!any || strcmp(l->text.text, first_line) != 0)
        return fail(l, "not an analysis that this version can read");
    while (!*found && next_line(l)) {
        *found = sscanf(l->text.text, "launch %" SCNu64, &id) == 1 && id == launch->id;
        if (*found)
            return get_launch(l, launch, out);
    }
    return l->rc;
}

rb_code_t analysis_load(const char *path, const launch_info_t *launch, read_ahead_t *out,
                        bool *found, rb_err_t *err)
{
    rb_err_t why = {0};
    lines_t l = {.text = {.path = path, .max = LINE_BYTES_MAX}, .err = err};
    *out = (read_ahead_t){0};
    *found = false;
    l.text.in = in_file_open(path, &why);
    if (l.text.in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    rb_code_t rc = find_launch(&l, launch, out, found);
    fclose(l.text.in);
    text_lines_free(&l.text);
    return rc;
}
