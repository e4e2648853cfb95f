#include "sampling/plugin/plugin_options.h"

#include <stdlib.h>
#include <string.h>

#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"

enum { OPTIONS_MAX = 64, OPTION_NAME_MAX = 32 };
static const double integer_max = 0x1p53;

/* Room for one option of any kind; a path is the largest. */
typedef union {
    uint64_t u64;
    double f64;
    bool truth;
    uint32_t word;
    param_path_t text;
} slot_t;

bool plugin_name_valid(const char *name, size_t max)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", others[] = "0123456789_";
    char all[sizeof(letters) + sizeof(others)];
    snprintf(all, sizeof(all), "%s%s", letters, others);
    if (name == NULL || name[0] == '\0' || strchr(letters, name[0]) == NULL)
        return false;
    const size_t n = strspn(name, all);
    return n <= max && name[n] == '\0';
}

static rb_code_t refuse(const plugin_t *p, uint32_t i, const char *what, rb_err_t *err)
{
    const char *name = p->sampler->options[i].name;
    return rb_fail(err, RB_USAGE, "--sample %s: its table of options, row %u (%.40s): %s", p->item,
                   i, name == NULL ? "no name" : name, what);
}

/* The parameter type of a kind; false if there is no such kind. */
static bool type_of(rubato_option_kind_t kind, param_type_t *type)
{
    switch (kind) {
    case RUBATO_INTEGER:
        *type = PARAM_TYPE_U64;
        return true;
    case RUBATO_REAL:
        *type = PARAM_TYPE_F64;
        return true;
    case RUBATO_TRUTH:
        *type = PARAM_TYPE_BOOL;
        return true;
    case RUBATO_WORD:
        *type = PARAM_TYPE_ENUM;
        return true;
    case RUBATO_TEXT:
        *type = PARAM_TYPE_PATH;
        return true;
    }
    return false;
}

static param_choice_t *copy_words(const char *const *words)
{
    size_t n = 0;
    while (words[n] != NULL)
        n++;
    param_choice_t *choices = rb_calloc(n + 1, sizeof(*choices));
    for (size_t i = 0; i < n; i++)
        choices[i].name = words[i];
    return choices;
}

/* What is wrong with a row; NULL if nothing is. */
static const char *row_trouble(const plugin_t *p, uint32_t i)
{
    const rubato_option_t *o = &p->sampler->options[i];
    param_type_t type;
    if (!plugin_name_valid(o->name, OPTION_NAME_MAX))
        return "a name must be 1 to 32 lower-case letters, digits and '_' (a letter first)";
    for (uint32_t k = 0; k < i; k++) {
        if (strcmp(p->sampler->options[k].name, o->name) == 0)
            return "the name is used twice";
    }
    if (!type_of(o->kind, &type) || o->initial == NULL || o->help == NULL)
        return "kind, initial value or help is missing";
    if (o->kind == RUBATO_WORD && (o->words == NULL || o->words[0] == NULL))
        return "words are missing";
    if (o->kind == RUBATO_INTEGER && !(o->min >= 0 && o->max <= integer_max))
        return "an integer must be from 0 to 2^53";
    if ((o->kind == RUBATO_INTEGER || o->kind == RUBATO_REAL) && !(o->min <= o->max))
        return "min is greater than max";
    return NULL;
}

/* Whether the option may have its initial value. */
static bool initial_valid(const param_t *p)
{
    slot_t slot;
    char why[PARAM_VALUE_TEXT * 2], *word = rb_strdup(p->def);
    param_t alone = *p;
    alone.offset = 0;
    const value_t v = {.kind = VALUE_WORD, .s = word};
    const bool valid = param_assign(&alone, &v, &slot, why, sizeof(why));
    free(word);
    return valid;
}

static const char *word_of_truth(const char *initial)
{
    return strcmp(initial, "on") == 0 ? "true" : strcmp(initial, "off") == 0 ? "false" : initial;
}

rb_code_t plugin_options_make(plugin_t *p, rb_err_t *err)
{
    const uint32_t n = p->sampler->n_options;
    if (n > OPTIONS_MAX || (n > 0 && p->sampler->options == NULL))
        return rb_fail(err, RB_USAGE, "--sample %s: a table of options must have 0 to %d rows",
                       p->item, OPTIONS_MAX);
    param_t *rows = rb_calloc(n + 1, sizeof(*rows));
    p->options = (param_group_t){
        .name = p->name, .help = p->sampler->help, .spec_size = (n + 1) * sizeof(slot_t)};
    p->options.params = rows;
    for (uint32_t i = 0; i < n; i++) {
        const rubato_option_t *o = &p->sampler->options[i];
        const char *trouble = row_trouble(p, i);
        if (trouble != NULL)
            return refuse(p, i, trouble, err);
        rows[i] = (param_t){.name = o->name,
                            .offset = i * sizeof(slot_t),
                            .def = o->kind == RUBATO_TRUTH ? word_of_truth(o->initial) : o->initial,
                            .min = o->min,
                            .max = o->max,
                            .unit = "",
                            .help = o->help};
        type_of(o->kind, &rows[i].type);
        if (o->kind == RUBATO_WORD)
            rows[i].choices = copy_words(o->words);
        p->options.n_params = i + 1;
        if (!initial_valid(&rows[i]))
            return refuse(p, i, "the initial value is not allowed", err);
    }
    return RB_OK;
}

void plugin_options_free(plugin_t *p)
{
    for (size_t i = 0; i < p->options.n_params; i++)
        free((void *)p->options.params[i].choices);
    free((void *)p->options.params);
}

rubato_value_t *plugin_values(const plugin_t *p, const void *options)
{
    const slot_t *slots = options;
    rubato_value_t *values = rb_calloc(p->options.n_params + 1, sizeof(*values));
    for (size_t i = 0; i < p->options.n_params; i++) {
        const slot_t *slot = &slots[i];
        switch (p->sampler->options[i].kind) {
        case RUBATO_INTEGER:
            values[i].integer = slot->u64;
            break;
        case RUBATO_REAL:
            values[i].real = slot->f64;
            break;
        case RUBATO_TRUTH:
            values[i].truth = slot->truth;
            break;
        case RUBATO_WORD:
            values[i].word = slot->word;
            break;
        case RUBATO_TEXT:
            values[i].text = slot->text.text;
            break;
        }
    }
    return values;
}
