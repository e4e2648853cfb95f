/*
 * Pages that stand on their own: one file, no network, light and dark by the reader's setting,
 * readable in print. Tables are sorted by a click on a heading.
 */
#ifndef RUBATO_REPORT_HTML_PAGE_H
#define RUBATO_REPORT_HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

/* Text with what HTML would act on escaped; bytes that are no UTF-8 and control characters become
 * U+FFFD. */
void html_text(FILE *out, const char *text);

void html_heading(FILE *out, const char *text);
void html_paragraph(FILE *out, const char *text);

/* html_table_begin(), rows of html_cell() between html_row_begin() and html_row_end(), end. */
void html_table_begin(FILE *out, const char *const *headings, size_t n);
void html_row_begin(FILE *out);
/* key: what the column is sorted by; NULL: the text itself. */
void html_cell(FILE *out, const char *text, const char *key);
void html_row_end(FILE *out);
void html_table_end(FILE *out);

#endif
