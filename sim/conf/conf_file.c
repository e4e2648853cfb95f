#include <libconfig.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/conf/conf_internal.h"
#include "sim/conf/conf_scan.h"
#include "sim/conf/conf_text.h"
#include "sim/core/alloc.h"

/* A file being loaded; `by` leads to the file that inherits it, up to the first. */
typedef struct inherit {
    const struct inherit *by; /* borrowed: the file that inherits this one; NULL for the first */
    const char *path;
    dev_t device;
    ino_t inode;
    int depth;
} inherit_t;

static rb_code_t load_path(conf_t *c, const char *path, const inherit_t *by, rb_err_t *err);

/* A scalar or a list of scalars as a value. false: something else. */
static bool take_value(const config_setting_t *s, value_t *v)
{
    *v = (value_t){0};
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
        v->kind = VALUE_INT;
        v->i = config_setting_get_int(s);
        return true;
    case CONFIG_TYPE_INT64:
        v->kind = VALUE_INT;
        v->i = config_setting_get_int64(s);
        return true;
    case CONFIG_TYPE_FLOAT:
        v->kind = VALUE_FLOAT;
        v->f = config_setting_get_float(s);
        return true;
    case CONFIG_TYPE_BOOL:
        v->kind = VALUE_BOOL;
        v->b = config_setting_get_bool(s) != 0;
        return true;
    case CONFIG_TYPE_STRING:
        v->kind = VALUE_STRING;
        v->s = rb_strdup(config_setting_get_string(s));
        return true;
    case CONFIG_TYPE_ARRAY:
    case CONFIG_TYPE_LIST: {
        v->kind = VALUE_LIST;
        size_t n = (size_t)config_setting_length(s);
        v->item = n ? rb_calloc(n, sizeof(*v->item)) : NULL;
        for (; v->n < n; v->n++) {
            const config_setting_t *item = config_setting_get_elem(s, (unsigned)v->n);
            // One level only: conf_scan() bounds the depth, tables know no deeper list.
            if (!take_value(item, &v->item[v->n]) || v->item[v->n].kind == VALUE_LIST) {
                v->n++;
                value_free(v);
                return false;
            }
        }
        return true;
    }
    default:
        return false;
    }
}

static rb_code_t take_setting(conf_t *c, const char *group, const config_setting_t *s, size_t layer,
                              const char *name, rb_err_t *err)
{
    value_t v;
    int line = (int)config_setting_source_line(s);
    const char *key = config_setting_name(s);
    if (!take_value(s, &v))
        return rb_fail(err, RB_CONFIG, "%.500s:%d: '%.60s%s%.60s' must be a value, not a group",
                       name, line, group ? group : "", group ? "." : "", key);
    conf_add_entry(c, group ? group : key, group ? key : "", &v, layer, line);
    return RB_OK;
}

/* Adds the settings of a parsed file as one layer. */
static rb_code_t take_tree(conf_t *c, const config_t *tree, const char *name, rb_err_t *err)
{
    const config_setting_t *root = config_root_setting(tree);
    size_t layer = conf_add_layer(c, name, false);
    int n = config_setting_length(root);
    for (int i = 0; i < n; i++) {
        const config_setting_t *s = config_setting_get_elem(root, (unsigned)i);
        const char *group = config_setting_name(s);
        if (!strcmp(group, "inherit"))
            continue;
        if (!config_setting_is_group(s)) {
            RB_TRY(take_setting(c, NULL, s, layer, name, err));
            continue;
        }
        int m = config_setting_length(s);
        for (int j = 0; j < m; j++)
            RB_TRY(
                take_setting(c, group, config_setting_get_elem(s, (unsigned)j), layer, name, err));
    }
    return RB_OK;
}

/* Finds the file that `inherit` names: beside path (NULL: no file), then in the config folders. */
static bool find_inherited(const char *path, const char *file, char out[CONF_PATH_MAX])
{
    if (*file == '/') {
        int n = snprintf(out, CONF_PATH_MAX, "%s", file);
        return n < CONF_PATH_MAX && access(out, F_OK) == 0;
    }
    if (path) {
        const char *slash = strrchr(path, '/');
        int folder = slash ? (int)(slash - path) + 1 : 0;
        int n = snprintf(out, CONF_PATH_MAX, "%.*s%s", folder, path, file);
        if (n < CONF_PATH_MAX && access(out, F_OK) == 0)
            return true;
    }
    return conf_find(file, out);
}

static rb_code_t load_inherited(conf_t *c, const config_t *tree, const char *name,
                                const inherit_t *self, rb_err_t *err)
{
    const config_setting_t *s = config_setting_get_member(config_root_setting(tree), "inherit");
    if (!s)
        return RB_OK;
    int line = (int)config_setting_source_line(s);
    const char *file = config_setting_get_string(s);
    if (!file || !*file)
        return rb_fail(err, RB_CONFIG, "%.500s:%d: inherit needs one file name in quotes", name,
                       line);
    char found[CONF_PATH_MAX];
    if (!find_inherited(self->path, file, found))
        return rb_fail(err, RB_CONFIG,
                       "%.400s:%d: inherit: '%.200s' is neither beside this file nor in the config "
                       "folders",
                       name, line, file);
    return load_path(c, found, self, err);
}

/* config_read_string() resets the thread's locale to that of the process; this restores it. */
static bool read_tree(config_t *tree, const char *text)
{
    const locale_t own = uselocale((locale_t)0);
    const bool good = config_read_string(tree, text) == CONFIG_TRUE;
    uselocale(own);
    return good;
}

static rb_code_t load_tree(conf_t *c, const char *name, const char *text, const inherit_t *self,
                           rb_err_t *err)
{
    config_t tree;
    config_init(&tree);
    rb_code_t code;
    if (!read_tree(&tree, text)) {
        code =
            rb_fail(err, RB_CONFIG, "%.500s:%d: %s", name,
                    conf_text_error_line(text, config_error_line(&tree)), config_error_text(&tree));
    } else {
        code = load_inherited(c, &tree, name, self, err);
        if (code == RB_OK)
            code = take_tree(c, &tree, name, err);
    }
    config_destroy(&tree);
    return code;
}

/* text ends in "\n\0"; n does not count the NUL. */
static rb_code_t load_checked(conf_t *c, const char *name, const char *text, size_t n,
                              const inherit_t *self, rb_err_t *err)
{
    RB_TRY(conf_text_check(name, text, n, err));
    return load_tree(c, name, text, self, err);
}

static rb_code_t load_path(conf_t *c, const char *path, const inherit_t *by, rb_err_t *err)
{
    inherit_t self = {.by = by, .path = path, .depth = by ? by->depth + 1 : 0};
    char *text = NULL;
    size_t n = 0;
    if (self.depth > CONF_MAX_INHERIT)
        return rb_fail(err, RB_CONFIG, "%.500s: inherited through more than %d files", path,
                       CONF_MAX_INHERIT);
    struct stat st;
    RB_TRY(conf_text_read(path, &st, &text, &n, err));
    self.device = st.st_dev;
    self.inode = st.st_ino;
    for (const inherit_t *i = by; i; i = i->by)
        if (i->path && i->device == self.device && i->inode == self.inode) {
            free(text);
            return rb_fail(err, RB_CONFIG, "%.400s: inherits itself (through %.400s)", path,
                           by->path);
        }
    rb_code_t code = load_checked(c, path, text, n, &self, err);
    free(text);
    return code;
}

rb_code_t conf_load_file(conf_t *c, const char *path, rb_err_t *err)
{
    return load_path(c, path, NULL, err);
}

rb_code_t conf_load_text(conf_t *c, const char *name, const char *text, size_t n, rb_err_t *err)
{
    inherit_t self = {0};
    if (n > CONF_MAX_BYTES)
        return rb_fail(err, RB_CONFIG, "%.500s: larger than %d bytes: this is not a configuration",
                       name, CONF_MAX_BYTES);
    char *copy = rb_calloc(n + 2, 1);
    if (n)
        memcpy(copy, text, n);
    copy[n] = '\n';
    rb_code_t code = load_checked(c, name, copy, n + 1, &self, err);
    free(copy);
    return code;
}
