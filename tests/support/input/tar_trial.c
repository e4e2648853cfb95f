#include "tests/support/input/tar_trial.h"

#include <string.h>

#include "frontend/input/archive/archive_list.h"
#include "frontend/input/archive/tar_reader.h"
#include "tests/support/temp_folder.h"

static void check_name(const char *name)
{
    RB_INVARIANT(name[0] != '/' && strncmp(name, "../", 3) != 0 && strstr(name, "/../") == NULL &&
                     strcmp(name, "..") != 0,
                 "'%s' leaves the folder", name);
}

static rb_code_t read_all(const char *path, rb_err_t *err)
{
    tar_reader_t *tar = tar_open(path, err);
    tar_member_t m;
    bool more = true;
    char buf[1000];
    size_t got = 1;
    rb_code_t rc = tar != NULL ? RB_OK : err->code;
    while (rc == RB_OK && (rc = tar_next(tar, &m, &more, err)) == RB_OK && more) {
        check_name(m.name);
        /* Half of the contents are skipped. */
        for (got = m.bytes % 2; rc == RB_OK && got > 0;)
            rc = tar_read(tar, buf, sizeof(buf), &got, err);
    }
    tar_close(tar);
    return rc;
}

rb_code_t tar_trial(const void *data, size_t n)
{
    rb_err_t err = {0}, err_list = {0};
    archive_list_t list = {0};
    temp_write_bytes("archive.tgz", data, n);
    const char *path = temp_path("archive.tgz");
    const rb_code_t listed = archive_list_read(&list, path, &err_list);
    const rb_code_t read = read_all(path, &err);
    archive_list_free(&list);
    RB_INVARIANT(listed == read && read == err.code, "%d and %d: '%s', '%s'", (int)listed,
                 (int)read, err_list.text, err.text);
    RB_INVARIANT(read == RB_OK || strncmp(err.text, path, strlen(path)) == 0,
                 "'%s' does not begin with the file's name", err.text);
    return read;
}
