/* Addresses of one memory instruction: from the text of a line to a record (sim/isa/stream.h). */
#ifndef RUBATO_ACCELSIM_ADDR_H
#define RUBATO_ACCELSIM_ADDR_H

#include <stddef.h>
#include <stdint.h>

/* The longest record: a header and 32 addresses. */
enum { ADDR_RECORD_MAX = 33 };

/*
 * Reads address mode and addresses at *p for lanes active lanes (0: no record is written) and
 * moves *p behind them. Writes a record of *words words to rec, which has room for
 * ADDR_RECORD_MAX. Returns NULL or what is wrong.
 */
const char *accelsim_addr_read(const char **p, unsigned lanes, uint64_t *rec, size_t *words);

/* Writes the shortest record of n (1 .. 32) addresses and returns its length in words. */
size_t accelsim_addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec);

/* Checks what follows the addresses: up to two immediates, register values. NULL or what is wrong.
 */
const char *accelsim_addr_tail(const char *p);

#endif
