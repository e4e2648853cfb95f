/* The opcode table, for the files of this folder. Others use isa_opcode() and isa_find(). */
#ifndef RUBATO_ISA_TABLE_H
#define RUBATO_ISA_TABLE_H

#include "sim/isa/isa.h"

extern const isa_opcode_t isa_table[]; /* in strcmp order of the mnemonics */
extern const unsigned isa_table_size;

#endif
