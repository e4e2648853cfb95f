#include "frontend/emulator/sass/sass_line.h"

#include <stdarg.h>
#include <stdio.h>

#include "frontend/emulator/sass/sass_inst.h"

void sass_line_put(sass_line_t *l, const char *format, ...)
{
    va_list ap;
    size_t room = SASS_TEXT_MAX - l->n;

    va_start(ap, format);
    int n = vsnprintf(l->text + l->n, room, format, ap);
    va_end(ap);
    if (n > 0)
        l->n += (size_t)n < room ? (size_t)n : room - 1;
}
