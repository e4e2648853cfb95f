/* Lines of source files for a page. */
#ifndef RUBATO_REPORT_PAGE_SOURCE_H
#define RUBATO_REPORT_PAGE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes an array of [number, "text"] with the wanted lines of a file (n, ascending) and those near
 * them; null if the file cannot be read or is no source file: a trace must not make a page show any
 * other file. *room: bytes that the page still has for source, reduced.
 */
void page_source_lines(FILE *out, const char *path, const uint32_t *wanted, size_t n, size_t *room);

#endif
