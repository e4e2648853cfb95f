#include "frontend/tool/report/page_estimates.h"

#include <math.h>

#include "frontend/tool/report/report_page.h"

typedef struct {
    const char *name, *path, *low, *high;
} shown_t;

#define SHOWN_(name, path) {name, path, "interval." path ".low", "interval." path ".high"},
static const shown_t shown[] = {PAGE_ESTIMATES(SHOWN_)};

static double total(const run_data_t *d, const char *path)
{
    return d->totals[run_data_path(d, path)];
}

void page_estimates(FILE *out, const run_data_t *d)
{
    bool first = true;
    page_key(out, "estimates");
    putc('[', out);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const shown_t *s = &shown[i];
        if (!isfinite(total(d, s->low)) || !(total(d, s->path) > 0))
            continue;
        fputs(first ? "{" : ",{", out);
        page_text_member(out, "name", s->name);
        page_number_member(out, "value", total(d, s->path));
        page_number_member(out, "low", total(d, s->low));
        page_key(out, "high");
        page_number(out, total(d, s->high));
        putc('}', out);
        first = false;
    }
    fputs("],\n", out);
}
