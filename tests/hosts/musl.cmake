# musl by Debian's musl-gcc, for this machine. RUBATO_HOST_ROOT: see musl_root.sh.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath,$ENV{RUBATO_HOST_ROOT}/lib)
set(ENV{PKG_CONFIG_LIBDIR} $ENV{RUBATO_HOST_ROOT}/lib/pkgconfig)
