#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/conf/conf_internal.h"

size_t conf_folders(char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX])
{
    const char *env = getenv("RUBATO_CONFIGS");
    size_t n = 0;
    if (env && *env && strlen(env) < CONF_PATH_MAX)
        strcpy(folder[n++], env);
    return n + data_folders("share/rubato/configs", folder + n);
}

bool conf_find(const char *file, char path[CONF_PATH_MAX])
{
    char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX];
    size_t n = conf_folders(folder);
    for (size_t i = 0; i < n; i++) {
        int length = snprintf(path, CONF_PATH_MAX, "%s/%s", folder[i], file);
        if (length < CONF_PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    return false;
}
