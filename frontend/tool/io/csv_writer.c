#include "frontend/tool/io/csv_writer.h"

#include <math.h>
#include <string.h>

static void separate(csv_t *c)
{
    if (c->used)
        fputc(',', c->out);
    c->used = true;
}

void csv_text(csv_t *c, const char *v)
{
    separate(c);
    if (v == NULL)
        return;
    if (strpbrk(v, ",\"\r\n") == NULL) {
        fputs(v, c->out);
        return;
    }
    fputc('"', c->out);
    for (; *v != '\0'; v++) {
        if (*v == '"')
            fputc('"', c->out);
        fputc(*v, c->out);
    }
    fputc('"', c->out);
}

void csv_u64(csv_t *c, uint64_t v)
{
    separate(c);
    fprintf(c->out, "%llu", (unsigned long long)v);
}

void csv_f64(csv_t *c, double v)
{
    separate(c);
    if (isfinite(v))
        fprintf(c->out, "%.17g", v);
}

void csv_end_row(csv_t *c)
{
    fputc('\n', c->out);
    c->used = false;
}
