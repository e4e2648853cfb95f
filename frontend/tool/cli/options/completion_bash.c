/* Bash completion, from the option tables. */
#include "frontend/tool/cli/options/completion_words.h"

/* Prints how words of one kind are completed, as shell commands. */
static void print_values(FILE *out, const char *values)
{
    static const char *const code[] = {
        [COMPLETION_FILE] = "_rubato_files",
        [COMPLETION_FOLDER] = "_rubato_files -d",
        [COMPLETION_GPU] = "_rubato_gpus",
        [COMPLETION_SETTING] = "_rubato_setting",
        [COMPLETION_KEY] = "_rubato_words \"${settings//=/}\"",
        [COMPLETION_SAMPLER] = "_rubato_list \"$samplers\"",
        [COMPLETION_WORKLOAD] = "_rubato_words \"$workloads\"",
        [COMPLETION_COMMAND] = "_rubato_words \"$commands\"",
        [COMPLETION_STAT] = "_rubato_words \"$stats\"",
        [COMPLETION_STATS] = "_rubato_stats",
        [COMPLETION_SWEEP] = "_rubato_sweep",
        [COMPLETION_CONFIG] = "_rubato_config",
        [COMPLETION_NOTHING] = ":",
    };
    completion_kind_t kind = completion_kind(values);
    if (kind == COMPLETION_WORDS)
        fprintf(out, "_rubato_words '%s'\n", values);
    else
        fprintf(out, "%s\n", code[kind]);
}

static void print_option_cases(FILE *out, const cli_command_t *c)
{
    fputs("        case $prev in\n", out);
    for (size_t i = 0; i < c->n_options; i++) {
        const cli_option_t *o = &c->options[i];
        if (o->hidden || o->arg == NULL)
            continue;
        if (o->letter != 0)
            fprintf(out, "        -%c | --%s) ", o->letter, o->name);
        else
            fprintf(out, "        --%s) ", o->name);
        print_values(out, o->values);
        fputs("            return ;;\n", out);
    }
    fputs("        esac\n", out);
}

static void print_command(FILE *out, const cli_command_t *c)
{
    fprintf(out, "    %s)\n", c->name);
    print_option_cases(out, c);
    fputs("        if [[ $cur == -* ]]; then\n            _rubato_words '", out);
    for (size_t i = 0; i < c->n_options; i++)
        if (!c->options[i].hidden)
            fprintf(out, "%s--%s", i > 0 ? " " : "", c->options[i].name);
    fputs("'\n            return\n        fi\n", out);
    if (c->actions != NULL)
        fprintf(out,
                "        if ((COMP_CWORD == 2)); then\n            %s '%s'\n"
                "            return\n        fi\n",
                completion_kind(c->complete) == COMPLETION_SWEEP ? "_rubato_files -W"
                                                                 : "_rubato_words",
                c->actions);
    fputs("        ", out);
    print_values(out, c->complete);
    fputs("        ;;\n", out);
}

static void print_list(FILE *out, const char *name, completion_kind_t kind)
{
    fprintf(out, "    local %s='", name);
    completion_print_words(out, kind);
    fputs("'\n", out);
}

static void print_choices(void *ctx, const param_group_t *g, const param_t *p)
{
    FILE *out = ctx;
    if (p->type != PARAM_TYPE_BOOL && p->choices == NULL)
        return;
    fprintf(out, "    %s.%s) _rubato_list '", g->name, p->name);
    completion_print_choices(out, p);
    fputs("' ;;\n", out);
}

/* The functions share "cur", the word to complete, and "key", the text before its '='. */
static const char functions[] =
    "_rubato_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
    "_rubato_files()\n{\n"
    "    [[ ${1-} == -d ]] || set -- -f \"$@\"\n"
    "    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
    "    compopt -o filenames 2>/dev/null\n}\n"
    "_rubato_gpus() # names of GPUs, \"$1\", configuration files, folders\n{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$gpus ${1-}\" -- \"$cur\"\n"
    "                             compgen -f -X '!*.cfg' -- \"$cur\"; compgen -d -- \"$cur\")\n"
    "    compopt -o filenames 2>/dev/null\n}\n"
    "_rubato_list() # the item after the last comma\n{\n"
    "    local before=\n"
    "    [[ $cur == *,* ]] && before=${cur%,*},\n"
    "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n}\n"
    "_rubato_setting()\n{\n"
    "    if [[ -n $key ]]; then\n        _rubato_value \"$key\"\n        return\n    fi\n"
    "    _rubato_words \"$settings\"\n"
    "    compopt -o nospace 2>/dev/null\n}\n"
    "_rubato_config()\n{\n"
    "    case ${COMP_WORDS[2]} in\n"
    "    explain) _rubato_words \"$groups ${settings//=/}\" ;;\n"
    "    list) : ;;\n"
    "    show) _rubato_gpus \"$groups\" ;;\n"
    "    check) _rubato_gpus ;;\n"
    "    *) _rubato_files ;;\n    esac\n}\n"
    "_rubato_stats()\n{\n"
    "    if [[ ${COMP_WORDS[2]} == explain ]]; then\n        _rubato_words \"$stats\"\n"
    "    else\n        _rubato_files\n    fi\n}\n"
    "_rubato_sweep()\n{\n"
    "    case ${COMP_WORDS[2]} in\n"
    "    status | collect | table | job) _rubato_files -d ;;\n"
    "    *) _rubato_files ;;\n    esac\n}\n"
    "_rubato_after_dashes() # whether the word belongs to a program\n{\n"
    "    local i\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} == -- ]] && return\n    done\n    return 1\n}\n";

/* bash splits words at '=': "-s l2.ways=3" becomes four words, "--gpu=v1" three. */
static const char split_words[] =
    "    local cur=${COMP_WORDS[COMP_CWORD]} key= at=$((COMP_CWORD - 1))\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur= key=${COMP_WORDS[at]} at=$((at - 1))\n"
    "    elif [[ ${COMP_WORDS[at]} == '=' ]]; then\n"
    "        key=${COMP_WORDS[at-1]} at=$((at - 2))\n"
    "    fi\n"
    "    local prev=${COMP_WORDS[at]}\n"
    "    [[ $key == --* ]] && prev=$key key=\n";

void completion_bash(FILE *out)
{
    fputs("# bash completion of rubato, generated by 'rubato completion bash'\n", out);
    fputs(functions, out);
    fputs("_rubato_value()\n{\n    case $1 in\n", out);
    completion_visit_settings(print_choices, out);
    fputs("    esac\n}\n_rubato()\n{\n", out);
    fputs(split_words, out);
    print_list(out, "commands", COMPLETION_COMMAND);
    print_list(out, "gpus", COMPLETION_GPU);
    print_list(out, "samplers", COMPLETION_SAMPLER);
    print_list(out, "workloads", COMPLETION_WORKLOAD);
    print_list(out, "settings", COMPLETION_SETTING);
    print_list(out, "stats", COMPLETION_STAT);
    fputs("    local groups='", out);
    completion_print_groups(out);
    fputs("'\n    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n"
          "        _rubato_words \"$commands --help --version\"\n"
          "        return\n    fi\n"
          "    if _rubato_after_dashes; then\n        _rubato_files\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (const cli_command_t *const *c = cli_commands; *c != NULL; c++)
        print_command(out, *c);
    fputs("    esac\n}\ncomplete -F _rubato rubato\n", out);
}
