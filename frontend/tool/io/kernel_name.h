/* Names of kernels, as traces and profiles spell them. */
#ifndef RUBATO_IO_KERNEL_NAME_H
#define RUBATO_IO_KERNEL_NAME_H

#include <stdbool.h>

enum { KERNEL_IDENTIFIER = 512 };

/*
 * The identifier of a kernel: "add" of "_ZN2at6native3addE...", of "void at::native::add<int>(int)"
 * and of "add". Empty where there is none.
 */
void kernel_identifier(const char *name, char text[KERNEL_IDENTIFIER]);

/*
 * Whether two spellings of a kernel's name, mangled or not, with template arguments and parameters
 * or without, cannot be of one kernel.
 */
bool kernel_names_differ(const char *a, const char *b);

#endif
