#!/usr/bin/env bash
# Checks that the commit that is checked out can be released, makes the tarball of its sources and says
# what remains to be done.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^#define RUBATO_VERSION "\(.*\)"$/\1/p' frontend/tool/io/version.h)

refuse()
{
    echo "version $version cannot be released: $1" >&2
    exit 1
}

[[ -z $(git status --porcelain) ]] || refuse 'there are changes that are not committed'
[[ -z $(git tag --list "v$version") ]] ||
    refuse "the tag v$version exists: set the next version in frontend/tool/io/version.h"
[[ $(sed -n '3p' NEWS.md) == "## $version" ]] || refuse "NEWS.md does not begin with '## $version'"
grep -qx "version: $version" CITATION.cff || refuse 'CITATION.cff has another version'
[[ -d tests/frozen/$version ]] || refuse "tests/frozen/$version is missing: ./do freeze"
tests/release/reproducible.sh "$PWD"
tarball=$(tests/release/tarball.sh build)
sha256sum "$tarball"
echo "next: ./do test in the unpacked tarball; git tag -a v$version -m 'rubato $version'"
