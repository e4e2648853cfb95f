#include "frontend/input/profile/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_builder.h"

/* Kind of a file, from its first bytes. */
typedef enum { KIND_TABLE, KIND_JSON, KIND_SQLITE, KIND_BINARY } kind_t;

static kind_t kind_of(const char *head, size_t n, size_t *at)
{
    static const char sqlite[] = "SQLite format 3";
    enum { LOOK = 4096 };
    if (n >= sizeof(sqlite) && memcmp(head, sqlite, sizeof(sqlite)) == 0)
        return KIND_SQLITE;
    for (*at = 0; *at < n && *at < LOOK; (*at)++) {
        unsigned char c = (unsigned char)head[*at];
        if ((c < ' ' && !isspace(c)) || c == 0x7f)
            return KIND_BINARY;
    }
    for (*at = 0; *at < n && isspace((unsigned char)head[*at]); (*at)++)
        ;
    return *at < n && (head[*at] == '{' || head[*at] == '[') ? KIND_JSON : KIND_TABLE;
}

rb_code_t profile_read(profile_t **out, const char *path, rb_err_t *err)
{
    profile_input_t *in;
    size_t n, at = 0;
    rb_code_t rc;
    RB_TRY(profile_input_open(&in, path, err));
    const char *head = profile_input_head(in, &n);
    switch (kind_of(head, n, &at)) {
    case KIND_SQLITE:
        profile_input_close(in);
        return profile_read_nsys_sqlite(out, path, err);
    case KIND_JSON:
        rc = profile_read_pytorch(out, in, err);
        break;
    case KIND_TABLE:
        rc = profile_read_table(out, in, err);
        break;
    default:
        rc = rb_fail(err, RB_TRACE,
                     "%s: byte 0x%02x at offset %zu: neither text nor an Nsight Systems sqlite "
                     "export (of .nsys-rep and .ncu-rep files, export CSV or sqlite)",
                     path, (unsigned char)head[at], at);
    }
    profile_input_close(in);
    return rc;
}
