/*
 * The static code of an open launch, learnt from its records: the fields that are the same in all
 * records of a pc. Entries are numbered in the order of their first appearance. The inst_t of
 * consecutive entries are adjacent in memory, except across pages, and never move.
 */
#ifndef RUBATO_MACSIM_CODE_H
#define RUBATO_MACSIM_CODE_H

#include "frontend/input/macsim/macsim_opcode.h"
#include "sim/core/hash_map.h"

/* The compared fields, as bytes: zero the struct before filling it. */
typedef struct {
    uint64_t pc; /* absolute */
    uint16_t src[MACSIM_REGS];
    uint16_t dst;
    uint8_t opcode, num_read_regs, num_dest_regs;
    uint8_t width; /* bytes per lane, 0 without an address */
    uint8_t unused[2];
} macsim_key_t;

_Static_assert(sizeof(macsim_key_t) == 24, "no padding: keys are compared as bytes");

typedef struct {
    macsim_key_t key;
    const inst_t *inst; /* into a page */
} macsim_entry_t;

enum { MACSIM_PAGE = 256 };

typedef struct {
    inst_t inst[MACSIM_PAGE];
    char text[MACSIM_PAGE][MACSIM_TEXT]; /* mnemonics */
} macsim_page_t;

typedef struct {
    uint64_t base; /* pc of the kernel's first instruction; pcs are relative to it */
    unsigned arch;
    macsim_entry_t *entries; /* owned */
    size_t n, cap;
    macsim_page_t **pages; /* owned */
    size_t n_pages, cap_pages;
    hash_map_t map; /* entries by key */
} macsim_code_t;

void macsim_code_init(macsim_code_t *c, uint64_t base, unsigned arch);
void macsim_code_free(macsim_code_t *c);

/*
 * Number of the entry for a record with width bytes per lane; guess is a number to try first.
 * RB_TRACE for a malformed record.
 */
RB_CHECKED rb_code_t macsim_code_find(macsim_code_t *c, const macsim_record_t *record,
                                      unsigned width, uint32_t guess, uint32_t *number,
                                      rb_err_t *err);

/* Mnemonic of an instruction, valid as long as c; NULL if inst does not belong to c. */
const char *macsim_code_text(const macsim_code_t *c, const inst_t *inst);

#endif
