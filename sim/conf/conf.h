/*
 * Configurations: layers of settings (files that inherit files, then -s key=value), applied to the
 * spec structs that parameter tables describe. A setting that no table declares is an error,
 * reported with the file, the line and the nearest known name. Every value remembers where it came
 * from.
 *
 *   conf_t *c = conf_create();
 *   conf_load_gpu(c, "v100", &err);
 *   conf_set(c, "l2.size=3MiB", &err);
 *   conf_apply(c, groups, n, &err);
 *   conf_write_resolved(c, out);
 *   conf_destroy(c);
 *
 * A file is libconfig text: groups of settings, and at most one `inherit = "FILE";`. The inherited
 * file is searched beside the file and then in the config folders. A file overrides what it
 * inherits; a later layer overrides an earlier one.
 */
#ifndef RUBATO_CONF_CONF_H
#define RUBATO_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/conf/param_value.h"
#include "sim/core/err.h"
#include "sim/core/files/sha256.h"

typedef struct conf conf_t;

/* A parameter table and the struct that it fills. */
typedef struct {
    const param_group_t *group;
    void *dest;
} conf_group_t;

conf_t *conf_create(void);
void conf_destroy(conf_t *c);

/* Adds a file, and below it the files that it inherits. RB_IO: a file cannot be read; RB_CONFIG:
 * its text is wrong. Whether the settings exist is checked by conf_apply(). */
RB_CHECKED rb_code_t conf_load_file(conf_t *c, const char *path, rb_err_t *err);

/* The same for text; messages call it name. Inherited files are searched in the config folders
 * only. */
RB_CHECKED rb_code_t conf_load_text(conf_t *c, const char *name, const char *text, size_t n,
                                    rb_err_t *err);

/* Adds the config of a GPU by name ("v100"). If name contains a '/', or is an existing file that
 * ends in ".cfg", adds that file. Folders: $RUBATO_CONFIGS, then share/rubato/configs near the
 * program (sim/core/files/data_folder.h). RB_USAGE for an unknown name, with a list of the known ones. */
RB_CHECKED rb_code_t conf_load_gpu(conf_t *c, const char *name, rb_err_t *err);

/* Adds one setting, "group.name=value", as on a command line. RB_USAGE if it has another form. */
RB_CHECKED rb_code_t conf_set(conf_t *c, const char *assignment, rb_err_t *err);

/* A mark of what was added so far. conf_rewind() removes everything added after it. */
typedef struct {
    size_t n_layers, n_entries, n_sets;
} conf_mark_t;

conf_mark_t conf_mark(const conf_t *c);
void conf_rewind(conf_t *c, conf_mark_t mark);

/* Number of settings added with conf_set() so far. */
size_t conf_overrides(const conf_t *c);

/* Adds a group that conf_apply() fills in addition to those of its caller, such as the options of a
 * sampler. c owns the values. The group must live as long as c. */
void conf_add_group(conf_t *c, const param_group_t *group);

/* The values of an added group, after conf_apply(); NULL if it was not added. */
const void *conf_group_values(const conf_t *c, const param_group_t *group);

/* Which parameters of a group conf_set() has set, or a file to another value than the default, by
 * number, after conf_apply(); free with free(). */
bool *conf_group_given(const conf_t *c, const param_group_t *group);

/*
 * Fills the structs: defaults, then the layers in the order in which they were added. groups is
 * copied; group tables and structs must live as long as c is written or hashed. RB_CONFIG, or
 * RB_USAGE for a mistake in conf_set(), for the first mistake in layer order.
 */
RB_CHECKED rb_code_t conf_apply(conf_t *c, const conf_group_t *groups, size_t n, rb_err_t *err);

/* Where the value of "group.name" came from: "v100.cfg:12", "command line" or "default"; NULL if
 * there is no such setting. Valid until the next call. Only after conf_apply(). */
const char *conf_origin(conf_t *c, const char *key);

/* The file and line that set "group.name", for callers that read the comment beside it; NULL if no
 * file set it. Only after conf_apply(). */
const char *conf_source_file(const conf_t *c, const char *key, int *line);

/* The value of "group.name" as a file would write it, text in quotes; false if there is no such
 * setting. Only after conf_apply(). */
bool conf_value(const conf_t *c, const char *key, char text[PARAM_VALUE_TEXT]);

/* Writes every value with its unit and origin, as a file that gives the same values when loaded.
 * only: the name of one group, or NULL for all. Only after conf_apply(). */
void conf_write_resolved(conf_t *c, const char *only, FILE *out);

/* SHA-256 of all values (not of origins or layout). Only after conf_apply(). */
void conf_hash(const conf_t *c, char text[SHA256_TEXT]);

/* Calls visit for every GPU config that conf_load_gpu() finds, in alphabetical order. */
void conf_visit_gpus(void (*visit)(void *ctx, const char *name, const char *path), void *ctx);

#endif
