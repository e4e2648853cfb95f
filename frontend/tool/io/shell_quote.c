#include "frontend/tool/io/shell_quote.h"

#include <string.h>

#include "sim/core/alloc.h"

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                            "_./=,:+@%-";

char *shell_quote(const char *program, int argc, char **argv)
{
    size_t n = strlen(program) + 1;
    for (int i = 0; i < argc; i++)
        n += 4 * strlen(argv[i]) + 3; /* the worst case: every byte is a quote */
    char *text = rb_calloc(n, 1);
    char *s = text + strlen(strcpy(text, program));
    for (int i = 0; i < argc; i++) {
        *s++ = ' ';
        if (argv[i][0] != '\0' && argv[i][strspn(argv[i], plain)] == '\0') {
            s += strlen(strcpy(s, argv[i]));
            continue;
        }
        *s++ = '\'';
        for (const char *a = argv[i]; *a != '\0'; a++) {
            if (*a == '\'')
                s += strlen(strcpy(s, "'\\''"));
            else
                *s++ = *a;
        }
        *s++ = '\'';
    }
    *s = '\0';
    return text;
}
