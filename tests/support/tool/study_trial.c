#include "tests/support/tool/study_trial.h"

#include <stdlib.h>

#include "frontend/tool/study/study.h"
#include "tests/support/temp_folder.h"

static void check(const study_t *s)
{
    enum { POINTS = 100 };

    RB_INVARIANT(s->n_points > 0, "a study without points");
    for (size_t i = 0; i < s->n_points && i < POINTS; i++) {
        char *text = study_point_text(s, i);

        RB_INVARIANT(text != NULL && text[0] != '\0', "point %zu has no text", i);
        free(text);
        for (const char *const *word = study_words; *word != NULL; word++)
            (void)study_word(s, i, *word);
    }
}

rb_code_t study_trial(const void *data, size_t n)
{
    rb_err_t err = {0};
    study_t *s = study_create();

    temp_write_bytes("study.cfg", data, n);
    rb_code_t rc = study_read_file(s, temp_path("study.cfg"), &err);
    if (rc == RB_OK)
        rc = study_finish(s, &err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    if (rc == RB_OK)
        check(s);
    study_destroy(s);
    return rc;
}
