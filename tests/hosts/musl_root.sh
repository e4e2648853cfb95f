#!/usr/bin/env bash
# usage: musl_root.sh FOLDER
# The libraries that rubato needs, built for musl from Debian's source packages and put into FOLDER:
# Debian has musl and its compiler, but no library for it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/hosts/debian_apt.sh disable=SC1091
. "$here/debian_apt.sh"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[[ ! -f $folder/complete ]] || exit 0
state=$folder.apt
export CC=musl-gcc CFLAGS='-O2 -fPIC'
jobs=$(nproc)

# configured OPTION...: the usual three steps, static.
configured()
{
    ./configure --host=x86_64-linux-musl --disable-shared --prefix="$folder" "$@"
}

build_zlib()
{
    ./configure --static --prefix="$folder" && make -j"$jobs" install
}

build_libzstd()
{
    make -C lib -j"$jobs" libzstd.a &&
        make -C lib PREFIX="$folder" install-static install-includes install-pc
}

build_xz_utils()
{
    configured --disable-{xz,xzdec,lzmadec,lzmainfo,scripts,doc,nls} && make -j"$jobs" install
}

build_libconfig()
{
    configured --disable-cxx --disable-examples && make -C lib -j"$jobs" install
}

build_sqlite3()
{
    configured --disable-{tcl,readline,editline,load-extension} &&
        make -j"$jobs" libsqlite3.la sqlite3.h sqlite3.pc &&
        install -D -m 644 -t "$folder/lib" .libs/libsqlite3.a &&
        install -D -m 644 -t "$folder/include" sqlite3.h &&
        install -D -m 644 -t "$folder/lib/pkgconfig" sqlite3.pc
}

build_cmocka()
{
    cmake -S . -B made -DCMAKE_INSTALL_PREFIX="$folder" -DUNIT_TESTING=OFF -DWITH_EXAMPLES=OFF &&
        cmake --build made --parallel "$jobs" --target install
}

debian_apt "$state" amd64 update
mkdir -p "$state/source"
cd "$state/source"
for source in zlib libzstd xz-utils libconfig sqlite3 cmocka; do
    rm -rf "$source" "$source"-[0-9]*/
    debian_apt "$state" amd64 source "$source"
    mv "$source"-[0-9]*/ "$source"
    (cd "$source" && "build_${source//-/_}")
done
touch "$folder/complete"
