/* Names of kernels in the spellings of traces and profiles. */
#ifndef RUBATO_IO_KERNEL_NAME_H
#define RUBATO_IO_KERNEL_NAME_H

#include <stdbool.h>

enum { KERNEL_IDENTIFIER = 512 };

/*
 * The identifier of a kernel: "add" of "_ZN2at6native3addE...", of "void at::native::add<int>(int)"
 * and of "add". Empty if there is none.
 */
void kernel_identifier(const char *name, char text[KERNEL_IDENTIFIER]);

/*
 * Whether two names, mangled or not, with or without template arguments and parameters, certainly
 * belong to different kernels.
 */
bool kernel_names_differ(const char *a, const char *b);

#endif
