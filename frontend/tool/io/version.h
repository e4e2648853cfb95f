/* Version of rubato: CMakeLists.txt reads it here; a test compares NEWS.md and CITATION.cff. */
#ifndef RUBATO_IO_VERSION_H
#define RUBATO_IO_VERSION_H

#define RUBATO_VERSION "0.3.0"

/* Set by the build if the commit is known. */
#ifndef RUBATO_COMMIT
#define RUBATO_COMMIT "unknown"
#endif

#endif
