#!/usr/bin/env bash
# The tarball of the sources is the same, byte for byte, from two clones in different folders, made at
# different times by people with other settings; what is unpacked says version and commit without git.
#   reproducible.sh REPOSITORY
set -euo pipefail
[[ -e $1/.git ]] || {
    echo 'skipped: the sources are not a git clone'
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git -C "$1" rev-parse HEAD)

# make_in FOLDER: prints the tarball's name.
make_in()
{
    git clone -q "$1" "$work/$2"
    git -C "$work/$2" checkout -q "$commit"
    echo 'not of the release' >"$work/$2/leftover"
    "$work/$2/tests/release/tarball.sh" "$work/$2/out"
}

one=$(umask 022 && TZ=UTC make_in "$1" first)
sleep 2
two=$(umask 077 && TZ=Asia/Tokyo LC_ALL=C make_in "$1" a/second/one)
cmp "$one" "$two"

mkdir "$work/unpacked"
tar -xzf "$one" -C "$work/unpacked"
cd "$work"/unpacked/rubato-*
[[ ! -e leftover && ! -e .git && $(<COMMIT) == "$commit" ]]
diff <(git -C "$1" ls-tree -r --name-only "$commit" | sort) \
    <(find . -not -type d -not -path ./COMMIT -printf '%P\n' | sort)
cmake -S . -B built >cmake.log 2>&1 || { cat cmake.log; exit 1; }
grep -rqE "RUBATO_COMMIT=.*${commit:0:10}" built --include=build.ninja --include=flags.make
grep -q "^CMAKE_PROJECT_VERSION:STATIC=${PWD##*/rubato-}$" built/CMakeCache.txt
