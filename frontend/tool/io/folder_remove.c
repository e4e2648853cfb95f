#include "frontend/tool/io/folder_remove.h"

#include <ftw.h>
#include <stdio.h>

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

bool folder_remove(const char *folder)
{
    enum { OPEN_FOLDERS = 8 };
    return nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0;
}
