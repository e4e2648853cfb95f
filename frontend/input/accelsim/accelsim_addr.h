/* Addresses of one memory instruction: from the text of a line to a record (sim/isa/stream.h). */
#ifndef RUBATO_ACCELSIM_ADDR_H
#define RUBATO_ACCELSIM_ADDR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads address mode and addresses at *p for lanes active lanes (0: no record is written) and
 * moves *p behind them. Writes a record of *words words to rec, which has room for
 * ADDR_RECORD_MAX. Returns NULL or what is wrong.
 */
const char *accelsim_addr_read(const char **p, unsigned lanes, uint64_t *rec, size_t *words);

/* Checks what follows the addresses: up to two immediates, register values. NULL or what is wrong.
 */
const char *accelsim_addr_tail(const char *p);

#endif
