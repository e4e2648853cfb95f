/* CSV rows (RFC 4180, lines end in LF); fields are quoted if necessary. */
#ifndef RUBATO_IO_CSV_WRITER_H
#define RUBATO_IO_CSV_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *out;
    bool used; /* the row has a field */
} csv_t;

void csv_text(csv_t *c, const char *v); /* NULL: an empty field */
void csv_u64(csv_t *c, uint64_t v);
void csv_f64(csv_t *c, double v); /* 17 digits; empty if not finite */
void csv_end_row(csv_t *c);

#endif
