/* Converts the addresses of one memory instruction from text to a record (sim/isa/stream.h). */
#ifndef RUBATO_ACCELSIM_ADDR_H
#define RUBATO_ACCELSIM_ADDR_H

#include <stddef.h>
#include <stdint.h>

#include "sim/isa/stream.h"

/* The differences of addresses that an instruction had last, as text and as a record: mostly it has the
 * same ones again, from another base. */
enum { ADDR_MEMO_TEXT = 256, ADDR_MEMO_RETRY = 4 };
typedef struct {
    uint8_t lanes;  /* 0: empty */
    uint8_t missed; /* how often other differences came since they were kept or seen last */
    uint16_t len;   /* of the text, with the blank behind it */
    uint32_t words; /* of the record */
    uint64_t rec[ADDR_RECORD_MAX];
    char text[ADDR_MEMO_TEXT];
} addr_memo_t;

/*
 * Reads address mode and addresses at *p for lanes active lanes and moves *p past them. Writes a
 * record of *words words to rec, which has room for ADDR_RECORD_MAX; no record for 0 lanes. limit: end of
 * the text that may be read. *memo: of the instruction; owned by the caller. Returns NULL, or what is
 * wrong.
 */
const char *accelsim_addr_read(const char **p, const char *limit, unsigned lanes,
                               addr_memo_t **memo, uint64_t *rec, size_t *words);

/* Checks the text after the addresses: up to two immediates, register values. Returns NULL, or what
 * is wrong. */
const char *accelsim_addr_tail(const char *p);

#endif
