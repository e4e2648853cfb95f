#include "frontend/tool/run/run_inside.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/journal.h"
#include "sampling/launch/sample_syntax.h"

rb_code_t run_inside_divide(run_inside_t *r, const char *sample, uint64_t seed, rb_err_t *err)
{
    sample_list_t list;
    rb_code_t rc = RB_OK;
    RB_TRY(sample_list_parse(&list, sample, err));
    for (size_t i = 0; i < list.n && rc == RB_OK; i++) {
        bool inside;
        rc = inside_list_take(&r->list, list.items[i], seed, &inside, err);
        if (rc == RB_OK && !inside)
            text_join(&r->launch, list.items[i]);
    }
    sample_list_free(&list);
    return rc;
}

void run_inside_free(run_inside_t *r)
{
    inside_list_free(&r->list);
    free(r->launch);
    r->launch = NULL;
}

uint64_t run_inside_fingerprint(const run_inside_t *r, uint64_t seed)
{
    uint64_t h = 0;
    for (size_t i = 0; i < r->list.n; i++) {
        const uint64_t digest = inside_list_digest(&r->list, i);
        h = journal_checksum(h ^ seed, r->list.texts[i], strlen(r->list.texts[i]));
        if (digest != 0)
            h = journal_checksum(h, &digest, sizeof(digest));
    }
    return h;
}
