/* Converts the addresses of one memory instruction from text to a record (sim/isa/stream.h). */
#ifndef RUBATO_ACCELSIM_ADDR_H
#define RUBATO_ACCELSIM_ADDR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads address mode and addresses at *p for lanes active lanes and moves *p past them. Writes a
 * record of *words words to rec, which has room for ADDR_RECORD_MAX; no record for 0 lanes. Returns
 * NULL, or what is wrong.
 */
const char *accelsim_addr_read(const char **p, unsigned lanes, uint64_t *rec, size_t *words);

/* Checks the text after the addresses: up to two immediates, register values. Returns NULL, or what
 * is wrong. */
const char *accelsim_addr_tail(const char *p);

#endif
