/* Opcode numbers of MacSim's NVBit tracer, and the translation of its records to our ISA. */
#ifndef RUBATO_MACSIM_OPCODE_H
#define RUBATO_MACSIM_OPCODE_H

#include "frontend/input/macsim/macsim_record.h"
#include "sim/isa/inst.h"

/* Numbers 0 to MACSIM_OPCODES - 1 have names; those from 163 on are later additions. */
enum { MACSIM_OPCODES = 206, MACSIM_TEXT = 24 };

/* Base mnemonic, or NULL. */
const char *macsim_opcode_name(unsigned opcode);

/* The first architecture that has the opcode, or 0 for a number without a name. */
unsigned macsim_opcode_arch(unsigned opcode);

/* Whether the record has an address: loads and stores do; atomics only if it is not 0. */
bool macsim_has_address(const macsim_record_t *record);

/*
 * Completes *in, whose pc is set, from the static fields of a record. width: bytes per lane, 0
 * without an address. text receives as much of the mnemonic as is known ("LDG.E.64"). RB_TRACE for
 * a register that does not exist. Warns once about an unknown opcode.
 */
RB_CHECKED rb_code_t macsim_decode(const macsim_record_t *record, unsigned arch, unsigned width,
                                   inst_t *in, char text[MACSIM_TEXT], rb_err_t *err);

#endif
