#include "sim/gpu/source/inst_listing.h"

#include <stdio.h>
#include <string.h>

/* The text of an instruction; not terminated. */
typedef struct {
    const char *at, *end;
} words_t;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static words_t raw_text(const trace_source_t *s, trace_launch_t *l, const inst_t *inst)
{
    uint32_t len = 0;
    const char *text = s->ops->inst_text != NULL ? s->ops->inst_text(l, inst, &len) : NULL;

    return text != NULL ? (words_t){text, text + len} : (words_t){"", ""};
}

/* The next word; empty at the end. */
static words_t next_word(words_t *t)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
    words_t w = {t->at, t->at};
    while (w.end < t->end && *w.end != ' ')
        w.end++;
    t->at = w.end;
    return w;
}

/* The number of the word, up to limit. */
static uint32_t number_of(words_t w, uint32_t limit)
{
    uint64_t n = 0;

    for (; w.at < w.end && is_digit(*w.at) && n <= limit; w.at++)
        n = 10 * n + (uint64_t)(*w.at - '0');
    return n <= limit ? (uint32_t)n : limit;
}

/* Takes "L57 " away from the beginning; 0: there is none. */
static uint32_t take_line(words_t *t)
{
    words_t rest = *t, word = next_word(&rest);

    if (word.end - word.at < 2 || word.at[0] != 'L' || !is_digit(word.at[1]))
        return 0;
    word.at++;
    while (rest.at < rest.end && *rest.at == ' ')
        rest.at++;
    *t = rest;
    return number_of(word, INT32_MAX);
}

/* The mnemonic in the fields of a traced line, "dest_num [dests] opcode ...", or the first word. */
static words_t take_mnemonic(words_t *t)
{
    words_t word = next_word(t);

    if (word.at == word.end || !is_digit(*word.at))
        return word;
    for (uint32_t n = number_of(word, INST_MAX_DST + 1u) + 1; n > 0; n--)
        word = next_word(t);
    return word;
}

static void put(char *out, const char *what, size_t n)
{
    size_t used = strlen(out), room = INST_LISTING_MAX - 1 - used;

    n = n < room ? n : room;
    memcpy(out + used, what, n);
    out[used + n] = '\0';
}

static void put_register(char *out, const reg_op_t *r, bool first)
{
    static const char *const files[] = {"R", "P", "UR", "UP"};
    char text[24];

    snprintf(text, sizeof(text), "%s%s%u", first ? " " : ", ", files[r->file & 3], r->num);
    put(out, text, strlen(text));
}

static void put_operands(char *out, const inst_t *inst)
{
    bool first = true;
    char text[40];

    for (unsigned i = 0; i < inst->n_dst; i++, first = false)
        put_register(out, &inst->dst[i], first);
    for (unsigned i = 0; i < inst->n_src; i++, first = false)
        put_register(out, &inst->src[i], first);
    if ((inst->flags & INST_CONST_ADDR) == 0)
        return;
    snprintf(text, sizeof(text), "%sc[0x%x][0x%x]", first ? " " : ", ", inst->const_bank,
             inst->const_offset);
    put(out, text, strlen(text));
}

void inst_listing_text(const trace_source_t *s, trace_launch_t *l, const inst_t *inst,
                       char out[INST_LISTING_MAX])
{
    words_t text = raw_text(s, l, inst);

    out[0] = '\0';
    take_line(&text);
    bool traced = text.at < text.end && is_digit(*text.at);
    words_t word = take_mnemonic(&text), rest = text;

    if (word.at == word.end)
        put(out, isa_opcode(inst->opcode)->mnemonic, strlen(isa_opcode(inst->opcode)->mnemonic));
    put(out, word.at, (size_t)(word.end - word.at));
    word = next_word(&rest);
    if (traced || word.at == word.end)
        put_operands(out, inst);
    else
        put(out, text.at, (size_t)(text.end - text.at));
}

bool inst_listing_line(const trace_source_t *s, trace_launch_t *l, const inst_t *inst,
                       source_line_t *out)
{
    if (s->ops->inst_line != NULL && s->ops->inst_line(l, inst, out))
        return true;
    words_t text = raw_text(s, l, inst);
    *out = (source_line_t){.file = "", .line = take_line(&text)};
    return out->line != 0;
}
