/* Version of rubato; the same number as project(VERSION) in CMakeLists.txt (a test compares them).
 */
#ifndef RUBATO_IO_VERSION_H
#define RUBATO_IO_VERSION_H

#define RUBATO_VERSION "0.1.0"

/* Set by the build if the commit is known. */
#ifndef RUBATO_COMMIT
#define RUBATO_COMMIT "unknown"
#endif

#endif
