#include "frontend/input/accelsim/block/accelsim_warp.h"

#include <inttypes.h>

#include "frontend/input/accelsim/text/accelsim_addr.h"
#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"

enum { RUN_MAX = UINT16_MAX, INSTS_MAX_LOG2 = 40 };

_Static_assert((int)SPAN_INSTS_MAX <= (int)RUN_MAX, "a span is at most one run");

/* --- instructions ---------------------------------------------------------------------------- */

/* Appends n instructions that follow each other in memory, from inst on; continues the last run of the
 * warp if possible. */
static inline void append_insts(accelsim_block_t *b, size_t first_run, const inst_t *inst,
                                uint32_t n, uint32_t mask)
{
    if (__builtin_expect(b->n_runs > first_run, 1)) {
        trace_run_t *run = &b->runs[b->n_runs - 1];

        if (run->first + run->count == inst && run->mask == mask && n + run->count <= RUN_MAX) {
            run->count = (uint16_t)(run->count + n);
            return;
        }
    }
    if (b->n_runs == b->cap_runs)
        rb_grow(&b->runs, &b->cap_runs, b->n_runs + 1, sizeof(b->runs[0]));
    b->runs[b->n_runs++] = (trace_run_t){.first = inst, .mask = mask, .count = (uint16_t)n};
}

/* Reads the numbers before the pc. In files that we grouped, the first is the line number in the
 * raw file. */
static rb_code_t read_prefix(block_reader_t *r, const char **p, rb_err_t *err)
{
    uint64_t value = CODE_NO_LINE;

    if (r->header->raw) {
        if (!text_u64(p, &r->lines->line))
            return accelsim_lines_fail(r->lines, err, "the grouped text is damaged");
        *p = text_skip_blanks(*p);
    }
    for (unsigned i = 0; i < r->prefix; i++) {
        *p = text_skip_blanks(*p);
        if (!text_u64(p, &value) || !text_is_blank(**p))
            return accelsim_lines_fail(r->lines, err,
                                       "%u numbers are expected before the pc (block, warp or "
                                       "source line, as the header's version says)",
                                       r->prefix);
    }
    if (r->header->line_info)
        r->source_line = value;
    *p = text_skip_blanks(*p);
    return RB_OK;
}

/* Most files have eight digits; the loop accepts any number. */
static inline bool read_mask(const char **p, uint32_t *mask)
{
    uint64_t value;

    if (memcmp(*p, "ffffffff ", 9) == 0) {
        *p += 8;
        *mask = UINT32_MAX;
        return true;
    }
    if (!text_hex(p, 8, &value))
        return false;
    *mask = (uint32_t)value;
    return true;
}

/* Whether the text at p begins with the text of entry e. */
static inline bool entry_matches(const block_reader_t *r, const code_entry_t *e, const char *p)
{
    return (size_t)(r->lines->limit - p) >= e->len && memcmp(p, e->text, e->len) == 0;
}

static rb_code_t read_addresses(block_reader_t *r, accelsim_block_t *b, code_entry_t *e,
                                uint32_t mask, const char **p, rb_err_t *err)
{
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    uint64_t unused[ADDR_RECORD_MAX], *rec = unused;
    size_t words;

    if (e->has_record) {
        if (b->cap_words - b->n_words < ADDR_RECORD_MAX)
            rb_grow(&b->words, &b->cap_words, b->n_words + ADDR_RECORD_MAX, sizeof(b->words[0]));
        rec = b->words + b->n_words;
    }
    const char *wrong = accelsim_addr_read(p, r->lines->limit, lanes, &e->memo, rec, &words);

    if (__builtin_expect(e->tail == NULL, 0) && wrong == NULL)
        accelsim_code_set_tail(&r->code, (uint32_t)(e - r->code.entries), *p);
    const bool plain = (*p)[0] == ' ' && (*p)[1] == '\n';

    if (wrong == NULL && !plain)
        wrong = accelsim_addr_tail(*p);
    if (wrong != NULL)
        return accelsim_lines_fail(r->lines, err, "%s", wrong);
    if (e->has_record)
        b->n_words += words;
    *p = plain ? *p + 2 : text_skip_line(*p);
    return RB_OK;
}

/* --- long blocks ----------------------------------------------------------------------------- */

/* Packs what was read of this warp, in a long block: the buffers then hold nothing else. */
static void pack_warp(accelsim_block_t *b, unsigned warp)
{
    if (b->n_runs > 0)
        long_block_put(b->pieces, warp, b->runs, (uint32_t)b->n_runs, b->words);
    b->n_runs = b->n_words = 0;
    b->first_run[warp] = b->first_word[warp] = 0;
}

/* Makes a block long: packs all that was read, of which `warp` is the last. */
static void make_long(block_reader_t *r, accelsim_block_t *b, unsigned warp)
{
    b->pieces = stream_store_take(r->store, b->pub.n_warps);
    b->warps[warp].n_runs = (uint32_t)(b->n_runs - b->first_run[warp]);
    for (unsigned w = 0; w < b->pub.n_warps; w++)
        if (b->present[w] && b->warps[w].n_runs > 0)
            long_block_put(b->pieces, w, b->runs + b->first_run[w], b->warps[w].n_runs,
                           b->n_words > 0 ? b->words + b->first_word[w] : NULL);
    b->n_runs = b->n_words = 0;
    b->first_run[warp] = b->first_word[warp] = 0;
}

static inline void pack_if_long(block_reader_t *r, accelsim_block_t *b, unsigned warp)
{
    if (r->store == NULL || stream_bytes(b->n_runs, b->n_words) <= r->store->limits.whole_bytes)
        return;
    if (b->pieces == NULL)
        make_long(r, b, warp);
    else
        pack_warp(b, warp);
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Whether lines are the same at each execution, up to their addresses. */
static inline bool has_spans(const block_reader_t *r)
{
    return r->prefix == 0 && !r->header->raw;
}

/* Collects the line at lines.at, of which [at .. p) is the text up to what varies, for a span. */
static inline void collect(block_reader_t *r, uint32_t before, uint32_t number, uint32_t mask,
                           const char *p)
{
    const code_entry_t *e = &r->code.entries[number];

    if (!has_spans(r))
        return;
    if (e->rest == REST_IGNORED)
        accelsim_spans_end(&r->spans);
    else
        accelsim_spans_add(&r->spans, before, number, e->inst, mask, r->lines->at,
                           (size_t)(p - r->lines->at), e->rest == REST_ADDRESSES);
}

/* Reads the complete line at p, an instruction of a warp; *last is the previous entry. */
static inline rb_code_t read_inst(block_reader_t *r, accelsim_block_t *b, unsigned warp,
                                  uint32_t *last, rb_err_t *err)
{
    pack_if_long(r, b, warp);
    const char *p = r->lines->at;
    uint64_t pc;
    uint32_t mask, number = *last + 1;

    if (r->prefix > 0 || r->header->raw)
        RB_TRY(read_prefix(r, &p, err));
    if (!text_hex(&p, 8, &pc) || !text_is_blank(*p))
        return accelsim_lines_fail(r->lines, err,
                                   "an instruction is expected, beginning with its pc");
    p = text_skip_blanks(p + 1);
    if (!read_mask(&p, &mask) || !text_is_blank(*p))
        return accelsim_lines_fail(r->lines, err, "the active mask is missing or malformed");
    p++;
    if (number >= r->code.n || r->code.entries[number].pc != pc ||
        !entry_matches(r, &r->code.entries[number], p)) {
        number = accelsim_code_last(&r->code, (uint32_t)pc);
        if (number == UINT32_MAX || !entry_matches(r, &r->code.entries[number], p)) {
            RB_TRY(accelsim_code_find(&r->code, r->lines, (uint32_t)pc, p, &number, err));
            if (r->code.entries[number].line == CODE_NO_LINE)
                r->code.entries[number].line = r->source_line;
        }
    }
    code_entry_t *e = &r->code.entries[number];

    p += e->len;
    collect(r, *last, number, mask, p);
    *last = number;
    if (e->rest == REST_ADDRESSES)
        RB_TRY(read_addresses(r, b, e, mask, &p, err));
    else if (e->rest == REST_IGNORED)
        p = text_skip_line(p);
    append_insts(b, b->first_run[warp], e->inst, 1, mask);
    r->lines->at = p;
    r->lines->line++;
    return RB_OK;
}

/* Reads the lines of a known span; *last is the previous entry. */
static inline rb_code_t read_span(block_reader_t *r, accelsim_block_t *b, unsigned warp,
                                  const accelsim_span_t *span, uint32_t *last, rb_err_t *err)
{
    pack_if_long(r, b, warp);
    accelsim_spans_end(&r->spans);
    const char *p = r->lines->at + span->len;

    *last = span->number + span->n - 1;
    r->lines->line += span->n - 1;
    if (span->addressed)
        RB_TRY(read_addresses(r, b, &r->code.entries[*last], span->mask, &p, err));
    append_insts(b, b->first_run[warp], span->inst, span->n, span->mask);
    r->lines->at = p;
    r->lines->line++;
    return RB_OK;
}

/* --- warps ----------------------------------------------------------------------------------- */

rb_code_t accelsim_warp_truncated(const block_reader_t *r, const accelsim_block_t *b, rb_err_t *err)
{
    return accelsim_lines_fail(r->lines, err,
                               "the file is truncated: it ends inside thread block %u,%u,%u",
                               b->pub.id[0], b->pub.id[1], b->pub.id[2]);
}

/* Reads "key = number" after the key itself; moves to the next line. */
static rb_code_t read_count(block_reader_t *r, const char *key, uint64_t *value, rb_err_t *err)
{
    const char *p = text_skip_blanks(r->lines->at + strlen(key));

    if (*p != '=')
        return accelsim_lines_fail(r->lines, err, "'%s = number' is expected", key);
    p = text_skip_blanks(p + 1);
    if (!text_u64(&p, value) || !text_ends(p))
        return accelsim_lines_fail(r->lines, err, "'%s = number' is expected", key);
    accelsim_lines_skip(r->lines);
    return RB_OK;
}

static bool begins_instruction(const char *p)
{
    return accelsim_hex[(uint8_t)*p] < 16 && !(*p == 'c' && text_starts(p, "cluster"));
}

static rb_code_t read_counted(block_reader_t *r, accelsim_block_t *b, unsigned warp, rb_err_t *err)
{
    uint32_t last = SPAN_START;
    uint64_t count;

    RB_TRY(accelsim_lines_next(r->lines, err));
    if (accelsim_lines_end(r->lines))
        return accelsim_warp_truncated(r, b, err);
    if (!text_starts(r->lines->at, "insts"))
        return accelsim_lines_fail(r->lines, err, "'insts = number' is expected after 'warp = %u'",
                                   warp);
    RB_TRY(read_count(r, "insts", &count, err));
    if (count >> INSTS_MAX_LOG2 != 0)
        return accelsim_lines_fail(r->lines, err,
                                   "a warp of %" PRIu64 " instructions is impossible", count);
    for (uint64_t i = 0; i < count;) {
        RB_TRY(accelsim_lines_need(r->lines, err));
        const accelsim_span_t *span = accelsim_spans_find(&r->spans, last, r->lines, count - i);

        if (span != NULL) {
            RB_TRY(read_span(r, b, warp, span, &last, err));
            i += span->n;
            continue;
        }
        if (accelsim_lines_end(r->lines))
            return accelsim_warp_truncated(r, b, err);
        if (!begins_instruction(r->lines->at))
            return accelsim_lines_fail(r->lines, err,
                                       "warp %u of thread block %u,%u,%u declares %" PRIu64
                                       " instructions, but only %" PRIu64 " follow",
                                       warp, b->pub.id[0], b->pub.id[1], b->pub.id[2], count, i);
        RB_TRY(read_inst(r, b, warp, &last, err));
        i++;
    }
    accelsim_spans_end(&r->spans);
    b->warps[warp].n_insts = count;
    RB_TRY(accelsim_lines_next(r->lines, err));
    if (!accelsim_lines_end(r->lines) && begins_instruction(r->lines->at))
        return accelsim_lines_fail(r->lines, err,
                                   "more than the %" PRIu64
                                   " instructions that warp %u of thread block %u,%u,%u declares",
                                   count, warp, b->pub.id[0], b->pub.id[1], b->pub.id[2]);
    return RB_OK;
}

static rb_code_t read_uncounted(block_reader_t *r, accelsim_block_t *b, unsigned warp,
                                rb_err_t *err)
{
    uint32_t last = SPAN_START;

    for (;;) {
        RB_TRY(accelsim_lines_need(r->lines, err));
        if (accelsim_lines_end(r->lines) || !begins_instruction(r->lines->at))
            return RB_OK;
        RB_TRY(read_inst(r, b, warp, &last, err));
        b->warps[warp].n_insts++;
    }
}

rb_code_t accelsim_warp_read(block_reader_t *r, accelsim_block_t *b, rb_err_t *err)
{
    uint64_t number;

    RB_TRY(read_count(r, "warp", &number, err));
    if (number >= b->pub.n_warps)
        return accelsim_lines_fail(r->lines, err, "warp %" PRIu64 ": a block has %u warps", number,
                                   b->pub.n_warps);
    unsigned warp = (unsigned)number;

    if (b->present[warp])
        return accelsim_lines_fail(r->lines, err,
                                   "warp %u of thread block %u,%u,%u appears a second time", warp,
                                   b->pub.id[0], b->pub.id[1], b->pub.id[2]);
    b->present[warp] = true;
    b->first_run[warp] = b->n_runs;
    b->first_word[warp] = b->n_words;
    if (r->header->raw)
        RB_TRY(read_uncounted(r, b, warp, err));
    else
        RB_TRY(read_counted(r, b, warp, err));
    if (b->pieces != NULL)
        pack_warp(b, warp);
    size_t runs = b->n_runs - b->first_run[warp], words = b->n_words - b->first_word[warp];

    if (runs > UINT32_MAX || words > UINT32_MAX)
        return accelsim_lines_fail(r->lines, err, "warp %u is too long", warp);
    b->warps[warp].n_runs = (uint32_t)runs;
    b->warps[warp].n_addr_words = (uint32_t)words;
    b->pub.n_insts += b->warps[warp].n_insts;
    return RB_OK;
}
