/*
 * Translates GPGPU-Sim and Accel-Sim configurations (gpgpusim.config, trace.config) to rubato's.
 *
 *   import_t *im = import_create();
 *   import_read(im, "gpgpusim.config", &err);
 *   import_map(im, &err);
 *   import_write_config(im, out);
 *   import_destroy(im);
 */
#ifndef RUBATO_GPGPUSIM_CONFIG_IMPORT_H
#define RUBATO_GPGPUSIM_CONFIG_IMPORT_H

#include <stdio.h>

#include "sim/core/err.h"

typedef struct import import_t;

import_t *import_create(void);
void import_destroy(import_t *im);

/* Adds the options of a file; the last occurrence of an option overrides earlier ones. */
RB_CHECKED rb_code_t import_read(import_t *im, const char *path, rb_err_t *err);

/* Translates the options. RB_CONFIG if the result is not a consistent GPU. */
RB_CHECKED rb_code_t import_map(import_t *im, rb_err_t *err);

/* Writes the rubato configuration, with a list of all keys as comments. */
void import_write_config(const import_t *im, FILE *out);

/* Writes every key as same, approximated, lost (it changes results, and rubato cannot do it) or without
 * effect, with the reason; each line begins with prefix. */
void import_write_report(const import_t *im, const char *prefix, FILE *out);

/* Writes the lost keys only. Returns how many. */
size_t import_write_lost(const import_t *im, FILE *out);

#endif
