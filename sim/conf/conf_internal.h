/*
 * What the files of sim/conf share.
 */
#ifndef RUBATO_CONF_CONF_INTERNAL_H
#define RUBATO_CONF_CONF_INTERNAL_H

#include "sim/conf/conf.h"
#include "sim/conf/param_value.h"
#include "sim/core/data_folder.h"

enum { CONF_KEY_MAX = 64, CONF_MAX_INHERIT = 16, CONF_PATH_MAX = DATA_PATH_MAX };
enum { CONF_FOLDERS_MAX = DATA_FOLDERS_MAX + 1 };

/* Where settings come from. */
typedef struct {
    char *name; /* owned: path of the file, or the assignment of a command line */
    bool command_line;
} conf_layer_t;

/* One setting as it was said. */
typedef struct {
    char *group, *key; /* owned; key "" where a group was given a plain value */
    value_t value;     /* owned */
    size_t layer;
    int line;
} conf_entry_t;

struct conf {
    conf_layer_t *layer; /* owned */
    size_t n_layers, cap_layers;
    conf_entry_t *entry; /* owned */
    size_t n_entries, cap_entries;
    size_t n_sets;

    conf_group_t *added; /* owned, with what is filled: of conf_add_group() */
    size_t n_added, cap_added;
    conf_group_t *group; /* owned: of conf_apply(), and those added */
    size_t n_groups;
    size_t **origin; /* owned; per group and parameter: entry + 1, 0: default */
    char origin_text[CONF_PATH_MAX + 16];
};

/* Adds a layer or a setting; takes ownership of value. key: "group.name" parts are copied. */
size_t conf_add_layer(conf_t *c, const char *name, bool command_line);
void conf_add_entry(conf_t *c, const char *group, const char *key, value_t *value, size_t layer,
                    int line);

/* Folders that hold shipped configs, in order of precedence. Returns how many. */
size_t conf_folders(char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX]);

/* The first folder's file of that name. false: none has it. */
bool conf_find(const char *file, char path[CONF_PATH_MAX]);

#endif
