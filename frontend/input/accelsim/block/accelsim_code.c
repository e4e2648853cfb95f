#include "frontend/input/accelsim/block/accelsim_code.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/core/log.h"
#include "sim/isa/isa.h"

enum { FIRST_SLOTS = 512, OPCODE_MAX = 127, IMMEDIATES_MAX = 2, VERSION_WITH_VALUES = 6 };

/* --- reading a text -------------------------------------------------------------------------- */

/* The fields of an instruction line after its mask. */
typedef struct {
    inst_t inst;
    const char *opcode; /* not terminated */
    size_t opcode_len;
    uint64_t mem_width;
    code_rest_t rest;
    const char *end; /* after the compared text */
} parsed_t;

/* Parses R4, UR63, P0, UP1, RZ, URZ, PT or UPT. */
static bool parse_register(const char **p, reg_op_t *op)
{
    const char *s = *p;
    bool uniform = *s == 'U';
    bool predicate;
    uint64_t num, max;

    s += uniform;
    if (*s != 'R' && *s != 'P')
        return false;
    predicate = *s++ == 'P';
    max = predicate ? 7 : uniform ? 63 : 255;
    if (*s == (predicate ? 'T' : 'Z')) {
        num = max;
        s++;
    } else if (!text_u64(&s, &num) || num > max) {
        return false;
    }
    *op = (reg_op_t){.file = predicate ? (uniform ? REG_UPRED : REG_PRED)
                                       : (uniform ? REG_UNIFORM : REG_GPR),
                     .num = (uint8_t)num,
                     .count = 1};
    *p = text_skip_blanks(s);
    return text_is_blank(*s) || *s == '\n';
}

static rb_code_t parse_registers(const accelsim_lines_t *lines, const char **p, const char *what,
                                 reg_op_t *ops, unsigned max, uint8_t *n, rb_err_t *err)
{
    uint64_t count;

    if (!text_u64(p, &count))
        return accelsim_lines_fail(lines, err, "the number of %s registers is missing", what);
    if (count > max)
        return accelsim_lines_fail(lines, err, "%llu %s registers: at most %u are possible",
                                   (unsigned long long)count, what, max);
    *p = text_skip_blanks(*p);
    for (*n = 0; *n < count; ++*n) {
        const char *word = *p;

        if (!parse_register(p, &ops[*n]))
            return accelsim_lines_fail(lines, err, "'%.*s' is not a %s register", text_shown(word),
                                       word, what);
    }
    return RB_OK;
}

static bool opcode_contains(const parsed_t *x, const char *part)
{
    return memmem(x->opcode, x->opcode_len, part, strlen(part)) != NULL;
}

/* Bulk copies have fields of their own instead of lane addresses. */
static bool is_bulk_copy(const parsed_t *x)
{
    static const char *const names[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG",
                                        "UBLKCP",  "UBLKPF",  "UBLKRED"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (text_starts(x->opcode, names[i]))
            return true;
    return false;
}

/* Whether text is a capital letter followed by letters, digits, dots and underscores. */
static bool is_opcode(const char *text, size_t len)
{
    if (len == 0 || len > OPCODE_MAX || *text < 'A' || *text > 'Z')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '.' && text[i] != '_')
            return false;
    return true;
}

static rb_code_t parse_opcode(const accelsim_lines_t *lines, const char **p, parsed_t *x,
                              rb_err_t *err)
{
    x->opcode = *p;
    *p = text_skip_word(*p);
    x->opcode_len = (size_t)(*p - x->opcode);
    if (!is_opcode(x->opcode, x->opcode_len))
        return accelsim_lines_fail(lines, err, "'%.*s' is not an opcode", text_shown(x->opcode),
                                   x->opcode);
    *p = text_skip_blanks(*p);
    return RB_OK;
}

/* Parses the immediates of an instruction without addresses, and what may follow them. */
static rb_code_t parse_tail(const accelsim_lines_t *lines, const char *p, parsed_t *x,
                            rb_err_t *err)
{
    for (unsigned i = 0; i < IMMEDIATES_MAX && (*p == '-' || (unsigned)(*p - '0') <= 9); i++) {
        int64_t value;

        if (!text_i64(&p, &value) || (!text_is_blank(*p) && *p != '\n'))
            return accelsim_lines_fail(lines, err, "malformed immediate");
        if (i == 0) {
            x->inst.imm = (int32_t)value;
            x->inst.flags |= INST_IMM;
        }
        p = text_skip_blanks(p);
    }
    if (*p == '\n') {
        x->end = p + 1;
        return RB_OK;
    }
    if (!text_is_values(p))
        return accelsim_lines_fail(lines, err, "unexpected '%.*s' behind the instruction",
                                   text_shown(p), p);
    x->rest = REST_IGNORED;
    x->end = text_skip_word(p);
    return RB_OK;
}

static rb_code_t parse_text(const accelsim_code_t *c, const accelsim_lines_t *lines, const char *p,
                            parsed_t *x, rb_err_t *err)
{
    *x = (parsed_t){.rest = REST_NOTHING};
    p = text_skip_blanks(p);
    RB_TRY(
        parse_registers(lines, &p, "destination", x->inst.dst, INST_MAX_DST, &x->inst.n_dst, err));
    RB_TRY(parse_opcode(lines, &p, x, err));
    RB_TRY(parse_registers(lines, &p, "source", x->inst.src, INST_MAX_SRC, &x->inst.n_src, err));
    if (c->version >= VERSION_WITH_VALUES && opcode_contains(x, "GMMA")) {
        p = text_skip_blanks(text_skip_word(p)); /* flag: ends a group of asynchronous matrix
                                                  * products */
    }
    if (!text_u64(&p, &x->mem_width) || (!text_is_blank(*p) && *p != '\n'))
        return accelsim_lines_fail(lines, err, "the memory width is missing");
    if (x->mem_width > 1024)
        return accelsim_lines_fail(lines, err, "a memory width of %llu bytes is impossible",
                                   (unsigned long long)x->mem_width);
    if (is_bulk_copy(x)) {
        x->rest = REST_IGNORED;
        x->end = p;
        x->mem_width = 0;
        return RB_OK;
    }
    if (x->mem_width == 0)
        return parse_tail(lines, text_skip_blanks(p), x, err);
    p = text_skip_blanks(p);
    if (*p == '\n')
        return accelsim_lines_fail(lines, err, "the addresses are missing");
    x->rest = REST_ADDRESSES;
    x->end = p;
    return RB_OK;
}

/* --- entries --------------------------------------------------------------------------------- */

void accelsim_code_init(accelsim_code_t *c, unsigned arch, unsigned version)
{
    *c = (accelsim_code_t){.arch = arch, .version = version};
}

void accelsim_code_free(accelsim_code_t *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free((char *)c->entries[i].text);
        free((char *)c->entries[i].tail);
        free((char *)c->entries[i].shown);
        free(c->entries[i].memo);
    }
    for (size_t i = 0; i < c->n_pages; i++)
        free(c->pages[i]);
    free(c->entries);
    free(c->pages);
    hash_map_free(&c->by_pc);
    hash_map_free(&c->by_text);
    *c = (accelsim_code_t){0};
}

static uint64_t text_hash(uint32_t pc, const char *text, size_t len)
{
    return fnv_bytes(FNV_START ^ pc, text, len);
}

static void set_last(accelsim_code_t *c, uint32_t pc, uint32_t number)
{
    for (hash_walk_t w = hash_map_walk(&c->by_pc, pc); hash_walk_next(&w);)
        if (c->entries[w.number].pc == pc) {
            w.slot->entry = number + 1;
            return;
        }
    hash_map_add(&c->by_pc, pc, number);
}

static uint32_t find_text(const accelsim_code_t *c, uint32_t pc, const char *text, size_t len)
{
    for (hash_walk_t w = hash_map_walk(&c->by_text, text_hash(pc, text, len));
         hash_walk_next(&w);) {
        const code_entry_t *e = &c->entries[w.number];

        if (e->pc == pc && e->len == len && memcmp(e->text, text, len) == 0)
            return w.number;
    }
    return UINT32_MAX;
}

static inst_t *new_inst(accelsim_code_t *c)
{
    if (c->n % CODE_PAGE == 0) {
        rb_grow(&c->pages, &c->cap_pages, c->n_pages + 1, sizeof(c->pages[0]));
        c->pages[c->n_pages++] = rb_calloc_aligned(CODE_PAGE, sizeof(inst_t));
    }
    return &c->pages[c->n / CODE_PAGE][c->n % CODE_PAGE];
}

static void warn_unknown(const parsed_t *x)
{
    const char *dot = memchr(x->opcode, '.', x->opcode_len);
    size_t len = dot != NULL ? (size_t)(dot - x->opcode) : x->opcode_len;

    rb_warn_once("opcode %.*s is unknown: treated as an integer instruction", (int)len, x->opcode);
}

static rb_code_t complete_inst(const accelsim_code_t *c, const accelsim_lines_t *lines, uint32_t pc,
                               parsed_t *x, rb_err_t *err)
{
    x->inst.pc = pc;
    if (!isa_decode(c->arch, x->opcode, x->opcode_len, (unsigned)x->mem_width, &x->inst))
        warn_unknown(x);
    isa_finish(&x->inst, x->opcode, x->opcode_len);
    if (c->machine != NULL && !c->complete(c->machine, &x->inst))
        return accelsim_lines_fail(lines, err,
                                   "the cubin of this kernel beside the trace has no %.*s at pc "
                                   "%04x: it is of another build; remove it to run without it",
                                   (int)x->opcode_len, x->opcode, pc);
    return RB_OK;
}

static void add_entry(accelsim_code_t *c, uint32_t pc, const char *text, const parsed_t *x)
{
    inst_t *inst = new_inst(c);
    size_t len = (size_t)(x->end - text);
    char *copy = rb_realloc(NULL, len, 1);

    *inst = x->inst;
    isa_link(inst, c->n % CODE_PAGE);
    memcpy(copy, text, len);
    rb_grow(&c->entries, &c->cap, c->n + 1, sizeof(c->entries[0]));
    c->entries[c->n++] = (code_entry_t){
        .text = copy,
        .len = (uint32_t)len,
        .pc = pc,
        .rest = (uint8_t)x->rest,
        .has_record = inst->space != MEM_NONE && inst->width != 0,
        .inst = inst,
        .line = CODE_NO_LINE,
    };
    hash_map_add(&c->by_text, text_hash(pc, copy, len), (uint32_t)(c->n - 1));
}

rb_code_t accelsim_code_find(accelsim_code_t *c, const accelsim_lines_t *lines, uint32_t pc,
                             const char *p, uint32_t *number, rb_err_t *err)
{
    parsed_t x;

    RB_TRY(parse_text(c, lines, p, &x, err));
    *number = find_text(c, pc, p, (size_t)(x.end - p));
    if (*number == UINT32_MAX) {
        if (c->n == CODE_MAX)
            return accelsim_lines_fail(
                lines, err, "more than %d different instructions: this is not one kernel's code",
                CODE_MAX);
        *number = (uint32_t)c->n;
        RB_TRY(complete_inst(c, lines, pc, &x, err));
        add_entry(c, pc, p, &x);
    }
    set_last(c, pc, *number);
    return RB_OK;
}

/* --- the text of an entry -------------------------------------------------------------------- */

void accelsim_code_set_tail(accelsim_code_t *c, uint32_t number, const char *tail)
{
    size_t len = (size_t)(text_skip_line(tail) - tail);
    char *copy = rb_calloc(len + 1, 1);

    memcpy(copy, tail, len);
    c->entries[number].tail = copy;
}

/* Appends the words of text (up to its end or its newline), with a blank before each. */
static char *append_words(char *to, const char *text, const char *end)
{
    for (const char *p = text; p < end && *p != '\n'; p++) {
        if (text_is_blank(*p))
            continue;
        if (p == text || text_is_blank(p[-1]))
            *to++ = ' ';
        *to++ = *p;
    }
    return to;
}

/* Appends NoVal if there are no register values. Values differ between executions, so the static
 * text cannot hold them. */
static char *append_values(char *to, const char *values)
{
    static const char none[] = " NoVal";

    if (text_starts(values, "STORE_DATA"))
        return to;
    memcpy(to, none, sizeof(none) - 1);
    return to + sizeof(none) - 1;
}

/* Appends immediates and what follows them. */
static char *append_tail(char *to, const char *tail)
{
    const char *end = text_skip_blanks(tail);

    while (*end == '-' || (unsigned)(*end - '0') <= 9)
        end = text_skip_blanks(text_skip_word(end));
    to = append_words(to, tail, end);
    return text_is_values(end) ? append_values(to, end) : to;
}

/* Bulk copies are written without their fields: no addresses and two immediates of 0. */
static char *append_bulk(const accelsim_code_t *c, char *to, const code_entry_t *e)
{
    static const char none[] = " 0 0 0 NoVal";
    const char *end = e->text + e->len;

    while (!text_is_blank(end[-1])) /* the width */
        end--;
    to = append_words(to, e->text, end);
    memcpy(to, none, sizeof(none) - 1);
    return to + (c->version >= VERSION_WITH_VALUES ? sizeof(none) - 1 : sizeof(" 0 0") - 1);
}

/* Returns where the register values begin at the end of an entry's compared text; NULL: none. */
static const char *find_values(const code_entry_t *e)
{
    const char *word = e->text + e->len;

    while (word > e->text && !text_is_blank(word[-1]))
        word--;
    size_t len = (size_t)(e->text + e->len - word);

    return len >= 3 && (memcmp(word, "Val", 3) == 0 || memcmp(word, "NoV", 3) == 0 ||
                        memcmp(word, "STO", 3) == 0)
               ? word
               : NULL;
}

static void show(const accelsim_code_t *c, code_entry_t *e)
{
    enum { ADDED = 64 }; /* room for the source line and for the replacement of values */
    size_t tail = e->tail != NULL ? strlen(e->tail) : 0;
    char *text = rb_calloc(e->len + tail + ADDED, 1), *to = text;

    if (e->line != CODE_NO_LINE)
        to += sprintf(to, " L%" PRIu64, e->line);
    if (e->rest == REST_ADDRESSES) {
        to = append_words(to, e->text, e->text + e->len);
        *to++ = ' ';
        *to++ = '@';
        if (tail > 0)
            to = append_tail(to, e->tail);
    } else if (e->rest == REST_NOTHING) {
        to = append_words(to, e->text, e->text + e->len);
    } else if (find_values(e) != NULL) {
        to = append_words(to, e->text, find_values(e));
        to = append_values(to, find_values(e));
    } else {
        to = append_bulk(c, to, e);
    }
    memmove(text, text + 1, (size_t)(to - text) - 1); /* the first blank */
    to[-1] = '\0';
    e->shown = text;
}

const char *accelsim_code_text(accelsim_code_t *c, const inst_t *inst, uint32_t *len)
{
    for (size_t i = 0; i < c->n_pages; i++) {
        uintptr_t offset = (uintptr_t)inst - (uintptr_t)c->pages[i];

        if (offset >= CODE_PAGE * sizeof(*inst))
            continue;
        code_entry_t *e = &c->entries[i * CODE_PAGE + offset / sizeof(*inst)];

        if (e->shown == NULL)
            show(c, e);
        *len = (uint32_t)strlen(e->shown);
        return e->shown;
    }
    return NULL;
}
