/* Version of rubato: CMakeLists.txt reads it here; a test compares NEWS.md and CITATION.cff. */
#ifndef RUBATO_IO_VERSION_H
#define RUBATO_IO_VERSION_H

#define RUBATO_VERSION "0.4.0"

/* The first ten digits of the commit that was built, or "unknown". */
extern const char rubato_commit[];

#endif
