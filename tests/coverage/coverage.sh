#!/usr/bin/env bash
# Line coverage of each folder of sim, sampling and frontend, from a build with RUBATO_COVERAGE whose
# tests have run; fails where it is below the folder's floor (floors.txt).
#   coverage.sh BUILD           a line for each folder
#   coverage.sh BUILD FOLDER    the lines of it that nothing has executed
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD build=$1 folder=${2:-}

# Each line of the sources as gcov prints it, "COUNT:LINE:TEXT" below "-:0:Source:FILE"; a file that
# is compiled several times comes as often.
lines()
{
    local list
    list=$(mktemp)
    (cd "$build" && find . -name '*.c.gcno' -path './CMakeFiles/*') >"$list"
    (cd "$build" && tr '\n' '\0' <"$list" | xargs -0 -n 40 gcov -t -r -s "$root" 2>/dev/null)
    rm -f "$list"
}

lines | awk -v wanted="$folder" -v floors=tests/coverage/floors.txt -f tests/coverage/coverage.awk
