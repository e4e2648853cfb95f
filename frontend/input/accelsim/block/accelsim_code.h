/*
 * The static code of an open launch, learnt from its trace. The text between the mask and the
 * addresses of an instruction is the same at each execution: it is parsed once per pc and
 * afterwards only compared. A pc with several texts (functions whose pcs count from 0) has one
 * entry for each.
 *
 * Entries are numbered in the order of their first appearance. The inst_t of consecutive entries
 * are adjacent in memory, except across pages, and never move.
 */
#ifndef RUBATO_ACCELSIM_CODE_H
#define RUBATO_ACCELSIM_CODE_H

#include "frontend/input/accelsim/text/accelsim_addr.h"
#include "frontend/input/accelsim/text/accelsim_lines.h"
#include "sim/core/hash_map.h"
#include "sim/isa/inst.h"

/* What follows the compared text in a line. */
typedef enum {
    REST_NOTHING,   /* the text includes the newline */
    REST_ADDRESSES, /* address mode, addresses, immediates */
    REST_IGNORED,   /* register values, fields of bulk copies: up to the newline */
} code_rest_t;

typedef struct {
    const char *text; /* owned; the text after the mask and one blank */
    uint32_t len;
    uint32_t pc;
    uint8_t rest;       /* code_rest_t */
    bool has_record;    /* its addresses are kept (stream.h) */
    const inst_t *inst; /* into a page */
    uint64_t line;      /* of the source file; CODE_NO_LINE: unknown */
    const char *tail;   /* owned; the text after the addresses at first sight, or NULL */
    const char *shown;  /* owned: for accelsim_code_text(), or NULL */
    addr_memo_t *memo;  /* owned; NULL: none yet */
} code_entry_t;

static const uint64_t CODE_NO_LINE = UINT64_MAX;

enum { CODE_PAGE = 256, CODE_MAX = 1 << 20 };

typedef struct {
    unsigned arch, version;
    const void *machine; /* borrowed; machine code of the kernel, NULL: unknown */
    bool (*complete)(const void *machine, inst_t *in);
    code_entry_t *entries; /* owned */
    size_t n, cap;
    inst_t **pages; /* owned, of CODE_PAGE each */
    size_t n_pages, cap_pages;
    hash_map_t by_pc;   /* the entry last used for each pc */
    hash_map_t by_text; /* all entries */
} accelsim_code_t;

void accelsim_code_init(accelsim_code_t *c, unsigned arch, unsigned version);
void accelsim_code_free(accelsim_code_t *c);

/*
 * Finds the entry of an instruction at pc whose text begins at p (after the mask and one blank);
 * parses the text and adds an entry if there is none. Returns its number in *number. RB_TRACE with
 * the position of lines if the text is malformed. accelsim_code_last() finds this entry next.
 */
RB_CHECKED rb_code_t accelsim_code_find(accelsim_code_t *c, const accelsim_lines_t *lines,
                                        uint32_t pc, const char *p, uint32_t *number,
                                        rb_err_t *err);

/* Keeps the text after the addresses of an entry, up to the newline. */
void accelsim_code_set_tail(accelsim_code_t *c, uint32_t number, const char *tail);

/* The static fields of an instruction in the format of trace_source.h; NULL if inst is not from
 * here. */
const char *accelsim_code_text(accelsim_code_t *c, const inst_t *inst, uint32_t *len);

/* The entry last used with this pc, or UINT32_MAX. */
static inline uint32_t accelsim_code_last(const accelsim_code_t *c, uint32_t pc)
{
    for (hash_walk_t w = hash_map_walk(&c->by_pc, pc); hash_walk_next(&w);)
        if (c->entries[w.number].pc == pc)
            return w.number;
    return UINT32_MAX;
}

#endif
