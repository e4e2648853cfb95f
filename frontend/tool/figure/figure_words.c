/* The names of figures and themes. */
#include "frontend/tool/figure/figure.h"

#define FIGURE_WORD_(name, help) #name,
const char *const figure_words[FIGURE_COUNT + 1] = {FIGURES(FIGURE_WORD_) NULL};
#define FIGURE_HELP_(name, help) help,
const char *const figure_help[FIGURE_COUNT] = {FIGURES(FIGURE_HELP_)};
const char *const figure_theme_words[] = {"light", "dark", NULL};
