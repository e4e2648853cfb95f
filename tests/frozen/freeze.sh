#!/usr/bin/env bash
# usage: freeze.sh RUBATO
# Makes the files of this version that later versions must read, or refuse by name: tests/frozen/VERSION.
# What a release has frozen is never made again.
set -euo pipefail

rubato=$(realpath "$1")
cd "$(dirname "$0")"
version=$("$rubato" --version | cut -d ' ' -f 2)
[[ ! -e $version ]] || {
    echo "tests/frozen/$version is there already; the files of a version do not change" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/made"
cd "$work/made"

# Small enough that a checkpoint is, too.
cat >small.cfg <<'TEXT'
inherit = "v100.cfg";
gpu : { name = "small"; };
sm : { count = 4; };
mem : { partitions = 1; };
l2 : { slices = 2; size = "48KiB"; };
TEXT
"$rubato" gen stencil --size 34 -p steps=40 -o trace.rbt
"$rubato" convert --to accelsim trace.rbt "$work/text"
(cd "$work/text" && sha256sum ./*) >trace.sha256
"$rubato" run trace.rbt -g small.cfg --launches 1-3 -o results >/dev/null
"$rubato" plan trace.rbt --sample random:count=3 -o plan.json >/dev/null
"$rubato" run trace.rbt -g small.cfg --plan plan.json -o "$work/planned" >/dev/null
cut -d , -f 1 "$work/planned/launches.csv" >plan.launches

# A run that was killed after its second checkpoint.
for ((tries = 0; tries < 20; tries++)); do
    rm -rf interrupted
    "$rubato" run trace.rbt -g small.cfg -o interrupted --checkpoint-interval 0 >/dev/null 2>&1 &
    until [[ -f interrupted/checkpoint.previous || -f interrupted/run.json ]]; do sleep 0.001; done
    kill -KILL $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    [[ ! -f interrupted/checkpoint || ! -f interrupted/checkpoint.previous ]] || break
done
[[ -f interrupted/journal && -f interrupted/checkpoint && -f interrupted/checkpoint.previous ]]
rm -f interrupted/status

(($(du -sb . | cut -f 1) < 200 * 1024)) || {
    echo "the files are larger than 200 KiB together" >&2
    exit 1
}
cp -r "$work/made" "$OLDPWD/$version"
du -sh "$OLDPWD/$version"
