#!/usr/bin/env bash
# Checks that settings shown in documents can be typed as they stand there: all "-s KEY=VALUE" of a line
# together, and each value of its --vary, on the GPU of its --gpu.
# usage: doc_settings.sh RUBATO
set -u
rubato=$1
cd "$(dirname "$0")/.." || exit 2
documents=(README.md configs/README.md)
wrong=0 tried=0

# Names that a reader of docs/extending.md adds to the program are not there yet.
for document in docs/*.md docs/lab/*.md; do
    [[ $document == docs/extending.md ]] || documents+=("$document")
done

# Prints "document:line gpu word..." for each line with settings, and for each value of an axis.
combinations()
{
    awk '
        function find(expression, skip) {
            if (!match(rest, expression))
                return ""
            word = substr(rest, RSTART + skip, RLENGTH - skip)
            rest = substr(rest, RSTART + RLENGTH)
            return word
        }
        {
            rest = $0
            gpu = find("(-g|--gpu) [a-z0-9_]+", 0)
            sub(/.* /, "", gpu)
            at = FILENAME ":" FNR " " (gpu == "" ? "v100" : gpu)
            rest = $0
            all = ""
            while ((word = find("(^|[ `])-s [a-z0-9_]+[.][A-Za-z0-9_]+=[A-Za-z0-9_.]+", 4)) != "") {
                sub(/^ */, "", word)
                all = all " " word
            }
            if (all != "")
                print at all
            rest = $0
            while ((word = find("--vary [a-z0-9_]+[.][A-Za-z0-9_]+=[A-Za-z0-9_.,]+", 7)) != "") {
                key = value = word
                sub(/=.*/, "", key)
                sub(/.*=/, "", value)
                n = split(value, values, ",")
                for (i = 1; i <= n; i++)
                    if (values[i] != "" && values[i] !~ /[.][.]/)
                        print at " " key "=" values[i]
            }
        }' "${documents[@]}"
}

while read -r at gpu words; do
    options=()
    for word in $words; do
        options+=(-s "$word")
    done
    tried=$((tried + 1))
    if ! said=$("$rubato" config show --gpu "$gpu" "${options[@]}" 2>&1 >/dev/null); then
        echo "$at: $words on $gpu: $said"
        wrong=1
    fi
done < <(combinations)
if ((tried < 20)); then
    echo "tests/doc_settings.sh: only $tried lines with settings were found: is it still right?"
    wrong=1
fi
exit "$wrong"
