#include "frontend/cli/kernel_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cli/text_format.h"

enum { NAME_MAX_BYTES = 512 };

/*
 * The identifier of a kernel: "add" of "_ZN2at6native3addE...", of "void at::native::add<int>(int)"
 * and of "add". Empty where there is none.
 */
static void identifier(const char *name, char text[NAME_MAX_BYTES])
{
    static const char anonymous[] = "(anonymous namespace)::";
    char plain[NAME_MAX_BYTES];
    format_kernel(plain, sizeof(plain), name);
    const char *s = plain, *from;
    for (const char *a; (a = strstr(s, anonymous)) != NULL;)
        s = a + strlen(anonymous);
    size_t end = strcspn(s, "<(");
    for (from = s + end; from > s && (isalnum((unsigned char)from[-1]) || from[-1] == '_'); from--)
        ;
    snprintf(text, NAME_MAX_BYTES, "%.*s", (int)(s + end - from), from);
}

bool kernel_names_differ(const char *a, const char *b)
{
    char x[NAME_MAX_BYTES], y[NAME_MAX_BYTES];
    identifier(a, x);
    identifier(b, y);
    return x[0] != '\0' && y[0] != '\0' && strcmp(x, y) != 0;
}
