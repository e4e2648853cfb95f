/*
 * What the files of sim/conf share.
 */
#ifndef RUBATO_CONF_CONF_INTERNAL_H
#define RUBATO_CONF_CONF_INTERNAL_H

#include "sim/conf/conf.h"
#include "sim/conf/param_value.h"
#include "sim/core/files/data_folder.h"

enum { CONF_KEY_MAX = 64, CONF_MAX_INHERIT = 16, CONF_PATH_MAX = DATA_PATH_MAX };
enum { CONF_FOLDERS_MAX = DATA_FOLDERS_MAX + 1 };

/* A source of settings: a file or an assignment on the command line. */
typedef struct {
    char *name; /* owned: path of the file, or the assignment of a command line */
    bool command_line;
} conf_layer_t;

/* One setting as it was written. */
typedef struct {
    char *group, *key; /* owned; key is "" if a plain value was given where a group belongs */
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

    conf_group_t *added; /* owned, with the values: groups of conf_add_group() */
    size_t n_added, cap_added;
    conf_group_t *group; /* owned: groups of conf_apply(), then the added ones */
    size_t n_groups;
    size_t **origin; /* owned; per group and parameter: index of its entry + 1; 0: default */
    char origin_text[CONF_PATH_MAX + 16];
};

/* Add a layer or a setting. group and key are copied; *value is taken over. */
size_t conf_add_layer(conf_t *c, const char *name, bool command_line);
void conf_add_entry(conf_t *c, const char *group, const char *key, value_t *value, size_t layer,
                    int line);

/* Lists the folders with shipped configs, in order of precedence. Returns how many. */
size_t conf_folders(char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX]);

/* The file of that name in the first folder that has it. false: none has it. */
bool conf_find(const char *file, char path[CONF_PATH_MAX]);

#endif
