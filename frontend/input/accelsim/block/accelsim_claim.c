#include "frontend/input/accelsim/block/accelsim_claim.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    CLAIM_TEXT = 256 << 10,     /* a claim ends at the block that reaches this many bytes */
    CLAIM_BLOCKS_MAX = 256,     /* or after this many blocks */
    BLOCK_TEXT_MAX = 32 << 20,  /* a longer block is parsed where it is cut */
    CLAIMS_TEXT_MAX = 64 << 20, /* no more is cut while claims hold this much */
    KEPT_TEXT_MAX = 32 << 20,   /* unused parsers keep buffers of this much */
};

/* A block of a claim: text[from .. end), of which the first line has this number. */
typedef struct {
    block_head_t head;
    size_t from, end;
    uint64_t line;
} part_t;

struct trace_claim {
    accelsim_parser_t *parser; /* taken */
    char *text;                /* owned; from the parser */
    size_t n_text, cap_text;
    part_t part[CLAIM_BLOCKS_MAX];
    uint64_t n;
    trace_block_t *whole; /* the only block, if it was parsed already */
};

struct accelsim_parser {
    block_reader_t reader;
    accelsim_lines_t lines;
    char *text; /* owned; room for the next claim: new pages take the host longer than parsing */
    size_t cap_text;
    accelsim_parser_t *next, *next_made;
};

void accelsim_claims_init(accelsim_claims_t *c, block_reader_t *main,
                          const accelsim_machine_t *machine)
{
    *c = (accelsim_claims_t){.main = main, .machine = machine};
    pthread_mutex_init(&c->lock, NULL);
}

void accelsim_claims_free(accelsim_claims_t *c)
{
    if (c->main == NULL)
        return;
    while (c->made != NULL) {
        accelsim_parser_t *p = c->made;

        c->made = p->next_made;
        block_reader_free(&p->reader);
        free(p->text);
        free(p);
    }
    pthread_mutex_destroy(&c->lock);
}

const char *accelsim_claims_text(accelsim_claims_t *c, const inst_t *inst, uint32_t *len)
{
    const char *text = NULL;

    for (accelsim_parser_t *p = c->made; p != NULL && text == NULL; p = p->next_made)
        text = accelsim_code_text(&p->reader.code, inst, len);
    return text;
}

static accelsim_parser_t *take_parser(accelsim_claims_t *c)
{
    pthread_mutex_lock(&c->lock);
    accelsim_parser_t *p = c->unused;

    if (p != NULL) {
        c->unused = p->next;
        c->kept -= p->cap_text;
    } else {
        p = rb_calloc(1, sizeof(*p));
        block_reader_init(&p->reader, &p->lines, c->main->header);
        block_reader_start(&p->reader, c->machine);
        p->next_made = c->made;
        c->made = p;
    }
    pthread_mutex_unlock(&c->lock);
    p->reader.store = c->main->store;
    return p;
}

/* --- cutting --------------------------------------------------------------------------------- */

/* Cuts the text of a block out of lines, in parts. */
typedef struct {
    accelsim_lines_t *lines; /* borrowed */
    bool ended;              /* with the line that begins with '#', or the end of the text */
    bool inside_line;        /* the last part ended inside a line ... */
    bool in_mark;            /* ... which begins with '#' */
} cut_t;

/* The first '#' in p[0 .. end) that begins a line, or NULL. */
static const char *find_mark(const char *p, const char *end, bool inside_line)
{
    for (const char *at = p; (at = memchr(at, '#', (size_t)(end - at))) != NULL; at++)
        if (at > p ? at[-1] == '\n' : !inside_line)
            return at;
    return NULL;
}

/* As accelsim_read_fn. */
static rb_code_t read_cut(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    cut_t *c = ctx;
    accelsim_lines_t *l = c->lines;

    *got = 0;
    if (c->ended)
        return RB_OK;
    RB_TRY(accelsim_lines_need(l, err));
    c->ended = accelsim_lines_end(l);
    if (c->ended)
        return RB_OK;
    const char *mark = c->in_mark ? l->at : find_mark(l->at, l->limit, c->inside_line);
    const char *to = mark == NULL ? l->limit : (const char *)rawmemchr(mark, '\n') + 1;

    c->ended = mark != NULL;
    RB_INVARIANT(l->at != NULL && to > l->at, "no text, but not at the end of the file");
    if ((size_t)(to - l->at) > cap) {
        to = l->at + cap;
        c->ended = false;
        c->in_mark = mark != NULL && mark < to;
    }
    *got = (size_t)(to - l->at);
    memcpy(buf, l->at, *got);
    l->line += accelsim_lines_count(l->at, to);
    l->at = to;
    c->inside_line = to[-1] != '\n';
    return RB_OK;
}

/* Appends the text of a block to the claim, as far as it is not too long. */
static rb_code_t cut_block(trace_claim_t *claim, cut_t *cut, rb_err_t *err)
{
    enum { PART = 256 << 10 };
    const size_t from = claim->n_text;
    size_t got = 1;

    while (got > 0 && !cut->ended && claim->n_text - from < BLOCK_TEXT_MAX) {
        rb_grow(&claim->text, &claim->cap_text, claim->n_text + PART + LINES_PADDING, 1);
        RB_TRY(read_cut(cut, claim->text + claim->n_text, PART, &got, err));
        claim->n_text += got;
    }
    return RB_OK;
}

/* Where a block that is too long is read from: its text in the claim, then the rest of it. */
typedef struct {
    const char *text;
    size_t left;
    cut_t *cut;
} rest_t;

static rb_code_t read_rest(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    rest_t *r = ctx;

    if (r->left == 0)
        return read_cut(r->cut, buf, cap, got, err);
    *got = r->left < cap ? r->left : cap;
    memcpy(buf, r->text, *got);
    r->text += *got;
    r->left -= *got;
    return RB_OK;
}

/* Parses a block that is too long to be cut out whole. */
static rb_code_t parse_now(accelsim_claims_t *c, trace_claim_t *claim, const part_t *part,
                           cut_t *cut, rb_err_t *err)
{
    accelsim_parser_t *p = claim->parser;
    rest_t rest = {.text = claim->text + part->from, .left = part->end - part->from, .cut = cut};

    accelsim_lines_init(&p->lines, c->main->lines->path, read_rest, &rest);
    p->lines.line = part->line;
    const rb_code_t code = block_reader_rest(&p->reader, c->main, &part->head, &claim->whole, err);

    accelsim_lines_free(&p->lines);
    return code;
}

/* Takes the next block into the claim. *more: whether the claim may go on. */
static rb_code_t add_block(accelsim_claims_t *c, trace_claim_t *claim, uint64_t index, bool *more,
                           rb_err_t *err)
{
    part_t *part = &claim->part[claim->n];
    cut_t cut = {.lines = c->main->lines};
    bool found;

    *more = false;
    RB_TRY(block_reader_seek(c->main, index, &part->head, &found, err));
    if (!found)
        return RB_OK;
    part->line = cut.lines->line;
    part->from = claim->n_text;
    RB_TRY(cut_block(claim, &cut, err));
    part->end = claim->n_text;
    if (!cut.ended)
        RB_TRY(parse_now(c, claim, part, &cut, err));
    claim->n++;
    *more = claim->n_text < CLAIM_TEXT;
    return RB_OK;
}

static void free_claim(accelsim_claims_t *c, trace_claim_t *claim)
{
    accelsim_parser_t *p = claim->parser;

    pthread_mutex_lock(&c->lock);
    if (c->kept + claim->cap_text <= KEPT_TEXT_MAX) {
        p->text = claim->text;
        p->cap_text = claim->cap_text;
        c->kept += claim->cap_text;
        claim->text = NULL;
    }
    p->next = c->unused;
    c->unused = p;
    c->cut -= claim->cap_text;
    pthread_mutex_unlock(&c->lock);
    free(claim->text);
    free(claim);
}

static bool is_full(accelsim_claims_t *c)
{
    pthread_mutex_lock(&c->lock);
    const bool full = c->cut > CLAIMS_TEXT_MAX;

    pthread_mutex_unlock(&c->lock);
    return full;
}

static void note_text(accelsim_claims_t *c, const trace_claim_t *claim)
{
    pthread_mutex_lock(&c->lock);
    c->cut += claim->cap_text;
    pthread_mutex_unlock(&c->lock);
}

rb_code_t accelsim_claim(accelsim_claims_t *c, uint64_t index, uint64_t max, claim_status_t *status,
                         trace_claim_t **out, uint64_t *n, rb_err_t *err)
{
    rb_err_t *failed = &c->main->failed;
    bool more = failed->code == RB_OK;

    *status = CLAIM_WAIT;
    if (more && is_full(c))
        return RB_OK;
    trace_claim_t *claim = rb_calloc(1, sizeof(*claim));

    claim->parser = take_parser(c);
    claim->text = claim->parser->text;
    claim->cap_text = claim->parser->cap_text;
    claim->parser->text = NULL;
    claim->parser->cap_text = 0;
    while (more && claim->n < max && claim->n < CLAIM_BLOCKS_MAX)
        if (add_block(c, claim, index + claim->n, &more, failed) != RB_OK)
            more = false;
    note_text(c, claim);
    if (claim->n > 0) { /* an error is reported by the next call */
        *status = CLAIM_MADE;
        *out = claim;
        *n = claim->n;
        return RB_OK;
    }
    free_claim(c, claim);
    *status = CLAIM_END;
    return failed->code == RB_OK ? RB_OK : rb_fail(err, failed->code, "%s", failed->text);
}

/* --- parsing --------------------------------------------------------------------------------- */

static rb_code_t parse(accelsim_claims_t *c, const trace_claim_t *claim, const part_t *part,
                       trace_block_t **out, rb_err_t *err)
{
    accelsim_parser_t *p = claim->parser;
    char *end = claim->text + part->end;

    p->lines = (accelsim_lines_t){.path = c->main->lines->path,
                                  .line = part->line,
                                  .at = claim->text + part->from,
                                  .limit = end,
                                  .end = end,
                                  .text_end = true};
    return block_reader_rest(&p->reader, c->main, &part->head, out, err);
}

rb_code_t accelsim_decode(accelsim_claims_t *c, trace_claim_t *claim, trace_block_t **out,
                          uint64_t *n, rb_err_t *err)
{
    rb_code_t code = RB_OK;

    for (*n = 0; *n < claim->n && code == RB_OK; *n += code == RB_OK) {
        if (claim->whole != NULL && *n + 1 == claim->n)
            out[*n] = claim->whole;
        else
            code = parse(c, claim, &claim->part[*n], &out[*n], err);
    }
    free_claim(c, claim);
    return code;
}
