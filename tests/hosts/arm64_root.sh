#!/usr/bin/env bash
# usage: arm64_root.sh FOLDER
# Debian's headers and libraries for 64-bit ARM, unpacked into FOLDER for the cross compiler and qemu.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/hosts/debian_apt.sh disable=SC1091
. "$here/debian_apt.sh"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[[ ! -f $folder/complete ]] || exit 0
state=$folder.apt

debian_apt "$state" arm64 update
debian_apt "$state" arm64 install --yes --no-install-recommends --download-only libc6-dev \
    libgcc-s1 libconfig-dev libzstd-dev liblzma-dev zlib1g-dev libsqlite3-dev libcmocka-dev
for package in "$state"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
# Links to /lib/... are meant within the folder.
find "$folder" -type l -lname '/*' | while IFS= read -r link; do
    ln -sfn "$folder$(readlink "$link")" "$link"
done
touch "$folder/complete"
