#!/usr/bin/env bash
# usage: tarball.sh FOLDER
# Writes the sources of the commit that is checked out to FOLDER/rubato-VERSION.tar.gz and prints that
# name. The same commit gives the same bytes in every clone: names are sorted, times are the commit's,
# owners are 0. The file COMMIT in it says which commit that was.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p "$1"
version=$(sed -n 's/^#define RUBATO_VERSION "\(.*\)"$/\1/p' frontend/tool/io/version.h)
name=rubato-$version
commit=$(git rev-parse HEAD)
git -c tar.umask=0022 -c core.autocrlf=false -c core.attributesFile=/dev/null archive --format=tar \
    --prefix="$name/" --add-virtual-file="$name/COMMIT:$commit" HEAD |
    gzip -n -9 >"$1/$name.tar.gz.part"
mv "$1/$name.tar.gz.part" "$1/$name.tar.gz"
echo "$1/$name.tar.gz"
