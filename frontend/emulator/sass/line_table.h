/*
 * Source lines of machine code: the section .debug_line of a cubin, which nvcc writes with -lineinfo
 * or -G. Format: DWARF 2 to 4, section 6.2 of that standard; the addresses are relocations against
 * code sections. nvcc 11.8 and 13 write version 2. Their extended opcodes 0x90 and 0x91 (the call
 * that an instruction was inlined at, and the name of its function) are skipped: an instruction
 * belongs to the innermost function's line, as nvdisasm -g shows it.
 */
#ifndef RUBATO_SASS_LINE_TABLE_H
#define RUBATO_SASS_LINE_TABLE_H

#include "frontend/emulator/sass/elf64.h"

/* From this instruction on, up to the next row of the section, code belongs to the line. */
typedef struct {
    uint32_t section, pc; /* pc: byte offset in the section */
    uint32_t file;        /* index */
    uint32_t line;        /* 0: unknown */
} line_row_t;

typedef struct {
    char **files; /* owned; paths */
    uint64_t *hashes;
    size_t n_files, cap_files;
    line_row_t *rows; /* owned; by section, then pc */
    size_t n_rows, cap_rows;
    bool damaged; /* the table made no sense: there are no rows */
} line_table_t;

/*
 * Reads the table of a cubin; without one it is empty. A damaged table is empty, too: lines are only
 * shown, so code runs without them. Memory stays below a multiple of the size of the code.
 */
void line_table_read(line_table_t *t, const elf_file_t *elf);
void line_table_free(line_table_t *t);

/* The row of the instruction at pc of a section; NULL: its line is unknown. */
const line_row_t *line_table_at(const line_table_t *t, uint32_t section, uint32_t pc);

#endif
