#include "frontend/tool/io/kernel_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "frontend/tool/io/text_format.h"

void kernel_identifier(const char *name, char text[KERNEL_IDENTIFIER])
{
    static const char anonymous[] = "(anonymous namespace)::";
    char plain[KERNEL_IDENTIFIER];
    format_kernel(plain, sizeof(plain), name);
    const char *s = plain, *from;
    for (const char *a; (a = strstr(s, anonymous)) != NULL;)
        s = a + strlen(anonymous);
    size_t end = strcspn(s, "<(");
    for (from = s + end; from > s && (isalnum((unsigned char)from[-1]) || from[-1] == '_'); from--)
        ;
    snprintf(text, KERNEL_IDENTIFIER, "%.*s", (int)(s + end - from), from);
}

bool kernel_names_differ(const char *a, const char *b)
{
    char x[KERNEL_IDENTIFIER], y[KERNEL_IDENTIFIER];
    kernel_identifier(a, x);
    kernel_identifier(b, y);
    return x[0] != '\0' && y[0] != '\0' && strcmp(x, y) != 0;
}
