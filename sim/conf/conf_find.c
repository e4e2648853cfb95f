#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/conf/conf_internal.h"

static size_t add_folder(char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX], size_t n, const char *base,
                         const char *below)
{
    int length = snprintf(folder[n], CONF_PATH_MAX, "%s%s", base, below);
    return n + (length > 0 && length < CONF_PATH_MAX);
}

size_t conf_folders(char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX])
{
    size_t n = 0;
    const char *env = getenv("RUBATO_CONFIGS");
    if (env && *env)
        n = add_folder(folder, n, env, "");
    char exe[CONF_PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (length > 0) {
        exe[length] = '\0';
        char *slash = strrchr(exe, '/');
        if (slash) {
            *slash = '\0';
            n = add_folder(folder, n, exe, "/../configs");
            n = add_folder(folder, n, exe, "/../share/rubato/configs");
        }
    }
#ifdef RUBATO_CONFIG_DIR
    n = add_folder(folder, n, RUBATO_CONFIG_DIR, "");
#endif
    return add_folder(folder, n, "/usr/share/rubato/configs", "");
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
