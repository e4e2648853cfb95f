#include "frontend/tool/io/version.h"

/* Only this file is compiled again after a commit. */
#ifndef RUBATO_COMMIT
#define RUBATO_COMMIT "unknown"
#endif

const char rubato_commit[] = RUBATO_COMMIT;
