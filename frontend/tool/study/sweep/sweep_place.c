#include "frontend/tool/study/sweep/sweep_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/folder_remove.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

rb_code_t sweep_place_open(sweep_place_t *p, const char *folder, const char *tmpdir, rb_err_t *err)
{
    *p = (sweep_place_t){.temporary = folder == NULL};
    if (folder != NULL) {
        p->folder = rb_strdup(folder);
        return RB_OK;
    }
    p->folder = out_path(tmpdir, "rubato-XXXXXX");
    if (mkdtemp(p->folder) != NULL) {
        out_guard(p->folder);
        return RB_OK;
    }
    free(p->folder);
    p->folder = NULL;
    return rb_fail(err, RB_IO,
                   "%s: no temporary folder: %s; choose another with --tmpdir, or a "
                   "permanent one with -o",
                   tmpdir, strerror(errno));
}

void sweep_place_say(sweep_place_t *p, const char *results)
{
    if (p->temporary)
        out_unguard(p->folder); /* a signal must not remove results */
    if (p->temporary && !p->said)
        rb_info("using the temporary folder %s; -o DIR keeps %s", p->folder, results);
    p->said = true;
}

void sweep_place_close(sweep_place_t *p, const sweep_t *s, bool complete)
{
    size_t count[SWEEP_STATES];
    if (p->temporary && p->folder != NULL) {
        out_unguard(p->folder);
        sweep_count(s, count);
        if (!complete && count[SWEEP_DONE] + count[SWEEP_STOPPED] > 0)
            rb_info("%s has the finished jobs; the same command with -o %s continues", p->folder,
                    p->folder);
        else if (!folder_remove(p->folder))
            rb_warn("%s: cannot be removed: %s", p->folder, strerror(errno));
    }
    free(p->folder);
    *p = (sweep_place_t){0};
}
