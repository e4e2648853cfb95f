/* Formats numbers and names for people. */
#ifndef RUBATO_IO_TEXT_FORMAT_H
#define RUBATO_IO_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORMAT_MAX = 32 };

/* Each function writes to text and returns it. */

/* "1.83 M", "412 k", "37": three significant digits and a decimal prefix. */
const char *format_si(char text[FORMAT_MAX], double v);

/* "1,234,567". */
const char *format_grouped(char text[FORMAT_MAX], uint64_t v);

/* "9.63 us", "2.90 s". */
const char *format_seconds(char text[FORMAT_MAX], double seconds);

/* "16 KiB", "6 MiB", "300 B". */
const char *format_bytes(char text[FORMAT_MAX], uint64_t bytes);

/* "1,234,567", "0.1234"; "-" if v is not finite. */
const char *format_number(char text[FORMAT_MAX], double v);

/* An error: "12.3 %", "+12.3 %" with sign, of shares "12.3 pp"; "-" if it is not finite. */
const char *format_error(char text[FORMAT_MAX], double error, bool share, bool sign);

/* "61.0 %"; "-" if v is not finite. */
const char *format_share(char text[FORMAT_MAX], double v);

/* "1:02:03", "02:03" for a number of seconds. */
const char *format_clock(char text[FORMAT_MAX], double seconds);

/*
 * A kernel's name in its source: "bfs_kernel" for "_Z10bfs_kernelPiS_", "at::native::add" for
 * "_ZN2at6native3addE..."; other names are unchanged. Control bytes become '?'; at most n - 1
 * bytes, truncated with "..." at the end.
 */
const char *format_kernel(char *text, size_t n, const char *mangled);

#endif
