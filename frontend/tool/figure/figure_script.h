/* The formats of figures, and what the scripts of all figures have. */
#ifndef RUBATO_FIGURE_SCRIPT_H
#define RUBATO_FIGURE_SCRIPT_H

#include <stdbool.h>

typedef enum { FIGURE_SVG, FIGURE_PDF, FIGURE_PNG, FIGURE_TEX } figure_format_t;

/* The format of a name's ending ("svg"); false: there is none. */
bool figure_format(const char *ending, figure_format_t *format);

#endif
