#include "frontend/input/accelsim/write/accelsim_line.h"

#include <stdio.h>
#include <stdlib.h>

#include "frontend/input/accelsim/text/accelsim_text.h"
#include "frontend/input/accelsim/write/accelsim_synthesis.h"
#include "sim/core/alloc.h"

enum {
    VERSION = 5,
    VERSION_WITH_VALUES = 6,
    FIRST_SLOTS = 1024,
    LANES = 32,
    PC_DIGITS = 4,
    MASK_DIGITS = 8,
    ADDRESS_DIGITS = 16,
};

/*
 * The text of an instruction, zero-terminated; "" if the source has none or if it contains a
 * newline (damaged file). The caller frees it.
 */
static char *copy_text(trace_source_t *source, trace_launch_t *launch, const inst_t *inst)
{
    uint32_t len = 0;
    const char *text =
        source->ops->inst_text != NULL ? source->ops->inst_text(launch, inst, &len) : NULL;
    bool one_line = text != NULL && memchr(text, '\n', len) == NULL;
    char *copy = rb_calloc((one_line ? len : 0) + 1, 1);

    if (one_line)
        memcpy(copy, text, len);
    return copy;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), e = strlen(ending);

    return n >= e && strcmp(text + n - e, ending) == 0;
}

void line_writer_init(line_writer_t *w, trace_source_t *source, trace_launch_t *launch,
                      const inst_t *first, bool list_addresses)
{
    *w = (line_writer_t){
        .source = source, .launch = launch, .version = VERSION, .list_addresses = list_addresses};
    if (first == NULL)
        return;
    char *text = copy_text(source, launch, first);

    w->source_lines = text[0] == 'L' && text[1] >= '0' && text[1] <= '9';
    if (ends_with(text, " NoVal"))
        w->version = VERSION_WITH_VALUES;
    free(text);
}

void line_writer_free(line_writer_t *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free(w->lines[i].source_line);
        free(w->lines[i].head);
        free(w->lines[i].tail);
    }
    free(w->lines);
    hash_map_free(&w->map);
    *w = (line_writer_t){0};
}

/* --- static text ------------------------------------------------------------------------------ */

/* Copies text[0 .. n) and appends a blank. The caller frees the copy. */
static char *with_blank(const char *text, size_t n, uint32_t *len)
{
    char *copy = rb_calloc(n + 2, 1);

    memcpy(copy, text, n);
    if (n > 0)
        copy[n++] = ' ';
    *len = (uint32_t)n;
    return copy;
}

/* Whether blocks have an address record for each execution of the instruction. */
static bool has_record(const inst_t *inst)
{
    return inst->space != MEM_NONE && inst->width != 0;
}

/* Finds where addresses belong in "... mem_width @ immediates"; NULL if there is no place. */
static const char *find_addresses(const char *fields)
{
    const char *at = strstr(fields, " @");

    return at != NULL && (at[2] == ' ' || at[2] == '\0') ? at : NULL;
}

/* Splits fields of a traced line. If the source has no addresses, the width is missing, too. */
static void split_fields(line_text_t *l, const char *fields)
{
    const char *at = find_addresses(fields);

    l->has_addresses = at != NULL && has_record(l->inst);
    if (at == NULL) {
        l->head = with_blank(fields, strlen(fields), &l->head_len);
        l->tail = with_blank("", 0, &l->tail_len);
        return;
    }
    const char *rest = text_skip_blanks(at + 2), *end = at;

    if (!l->has_addresses)
        while (end > fields && end[-1] != ' ')
            end--;
    char *head = rb_calloc((size_t)(end - fields) + 2, 1);

    memcpy(head, fields, (size_t)(end - fields));
    if (!l->has_addresses)
        strcat(head, "0");
    l->head = with_blank(head, strlen(head), &l->head_len);
    l->tail = with_blank(rest, strlen(rest), &l->tail_len);
    free(head);
}

/* A text that begins with a digit (after an optional L<source line>) holds the fields of a traced
 * line; other texts begin with a mnemonic. */
static void compose(const line_writer_t *w, line_text_t *l)
{
    char *text = copy_text(w->source, w->launch, l->inst);
    const char *fields = text;
    bool traced_line = text[0] == 'L' && text[1] >= '0' && text[1] <= '9';
    char made[ACCELSIM_SYNTHESIS_MAX];

    if (traced_line) {
        fields += strcspn(fields, " ");
        if (w->source_lines)
            l->source_line = with_blank(text + 1, (size_t)(fields - text) - 1, &l->source_line_len);
        fields += strspn(fields, " ");
    } else if (w->source_lines) {
        l->source_line = with_blank("0", 1, &l->source_line_len);
    }
    if (*fields < '0' || *fields > '9') {
        accelsim_synthesise(l->inst, fields, w->version >= VERSION_WITH_VALUES, made);
        fields = made;
    }
    split_fields(l, fields);
    free(text);
}

static const line_text_t *find_line(line_writer_t *w, const inst_t *inst)
{
    for (hash_walk_t at = hash_map_walk(&w->map, (uintptr_t)inst); hash_walk_next(&at);)
        if (w->lines[at.number].inst == inst)
            return &w->lines[at.number];
    rb_grow(&w->lines, &w->cap, w->n + 1, sizeof(w->lines[0]));
    line_text_t *l = &w->lines[w->n];
    *l = (line_text_t){.inst = inst};
    compose(w, l);
    hash_map_add(&w->map, (uintptr_t)inst, (uint32_t)w->n++);
    return l;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Whether the active lanes are contiguous, and at least two. */
static bool is_run(uint32_t mask)
{
    uint32_t low = mask >> __builtin_ctz(mask);

    return low != 1 && (low & (low + 1)) == 0;
}

static bool is_regular(const uint64_t *addr, unsigned n)
{
    uint64_t stride = addr[1] - addr[0];

    for (unsigned k = 2; k < n; k++)
        if (addr[k] - addr[k - 1] != stride)
            return false;
    return (int64_t)stride == (int32_t)stride;
}

/* Writes 32 addresses or differences of up to 21 characters each: well below ACCELSIM_ROOM. */
static char *put_list(char *to, const uint64_t *addr, unsigned n)
{
    to = put_text(to, "0 ", 2);
    for (unsigned k = 0; k < n; k++) {
        to = put_text(to, "0x", 2);
        to = put_hex(to, addr[k], ADDRESS_DIGITS);
        *to++ = ' ';
    }
    return to;
}

static char *put_addresses(const line_writer_t *w, char *to, uint32_t mask, const uint64_t *rec)
{
    uint64_t addr[LANES];
    unsigned n = addr_unpack(rec, addr);

    if (w->list_addresses)
        return put_list(to, addr, n);
    bool regular = is_run(mask) && is_regular(addr, n);

    to = put_text(to, regular ? "1 0x" : "2 0x", 4);
    to = put_hex(to, addr[0], 1);
    *to++ = ' ';
    for (unsigned k = 1; k < (regular ? 2 : n); k++) {
        to = put_decimal(to, (int64_t)(addr[k] - addr[k - 1]));
        *to++ = ' ';
    }
    return to;
}

/* Writes what the tracer writes if no lane is active. */
static char *put_no_addresses(const line_writer_t *w, char *to)
{
    static const char none[] = "1 0x0 0 ";

    return w->list_addresses ? put_text(to, "0 ", 2) : put_text(to, none, sizeof(none) - 1);
}

void line_writer_put(line_writer_t *w, accelsim_out_t *out, const inst_t *inst, uint32_t mask,
                     const uint64_t **addrs)
{
    const line_text_t *l = find_line(w, inst);
    char *to;

    accelsim_out_text(out, l->source_line, l->source_line_len);
    to = accelsim_out_room(out);
    to = put_hex(to, inst->pc, PC_DIGITS);
    *to++ = ' ';
    to = put_hex(to, mask, MASK_DIGITS);
    *to++ = ' ';
    accelsim_out_put(out, to);
    accelsim_out_text(out, l->head, l->head_len);
    to = accelsim_out_room(out);
    if (l->has_addresses)
        to = mask != 0 ? put_addresses(w, to, mask, *addrs) : put_no_addresses(w, to);
    accelsim_out_put(out, to);
    if (has_record(inst) && mask != 0)
        *addrs += addr_words(*addrs);
    accelsim_out_text(out, l->tail, l->tail_len);
    accelsim_out_text(out, "\n", 1);
}
