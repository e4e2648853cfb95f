/* Names of kernels, as traces and profiles spell them. */
#ifndef RUBATO_CLI_KERNEL_NAME_H
#define RUBATO_CLI_KERNEL_NAME_H

#include <stdbool.h>

/*
 * Whether two spellings of a kernel's name, mangled or not, with template arguments and parameters
 * or without, cannot be of one kernel.
 */
bool kernel_names_differ(const char *a, const char *b);

#endif
