#!/usr/bin/env bash
# Checks that everything that documents name exists: relative links in *.md, and paths and names of
# source files in backticks. A file that the reader is told to write is announced as `new file` before
# its name on the same line, and must not exist. Documents named in comments and help texts must exist.
set -u
cd "$(dirname "$0")/.." || exit 2
declare -A new=()
wrong=0 links=0 paths=0

report()
{
    echo "$1: $2"
    wrong=1
}

# Prints "document kind target": links, paths in backticks, and those of new files.
references()
{
    awk '
        FNR == 1 { fenced = 0 }
        /^ *```/ { fenced = !fenced }
        fenced { next }
        {
            rest = $0
            while (match(rest, /\]\([^) ]+\)/)) {
                target = substr(rest, RSTART + 2, RLENGTH - 3)
                rest = substr(rest, RSTART + RLENGTH)
                sub(/#.*/, "", target)
                if (target != "" && target !~ /^[a-z]+:/)
                    print FILENAME, "link", target
            }
            rest = $0
            while (match(rest, /`[^`]+`/)) {
                before = substr(rest, 1, RSTART - 1)
                token = substr(rest, RSTART + 1, RLENGTH - 2)
                rest = substr(rest, RSTART + RLENGTH)
                kind = before ~ /[Nn]ew file $/ ? "new" : "path"
                if (token !~ /^[A-Za-z0-9_.\/{},*-]+$/ || token ~ /[A-Z][A-Z]/ && token !~ /README/)
                    continue # not a name of one file: options, commands, placeholders (NAME)
                if (token ~ /^(sim|frontend|sampling|configs|traces|tests|bench|docs)\// ||
                    token ~ /\.[ch]$/ && token !~ /^\./)
                    print FILENAME, kind, token
            }
        }' "$@"
}

# Whether a path exists, relative to the root or to the folder of the document; a bare name, anywhere.
exists()
{
    local folder=$1 token=$2 name
    for name in $(eval "printf '%s\n' $token"); do
        [[ -e $name || -e $folder/$name || -n ${new[$name]:-} ]] && continue
        [[ $name != */* ]] || return 1
        name=${name//./\\.}
        grep -qE "/${name//\*/[^/]*}$" <<<"$sources" || return 1
    done
}

sources=$(find . -path './build*' -prune -o -path ./.git -prune -o -type f -print)
mapfile -t documents < <(grep '\.md$' <<<"$sources" | sed 's|^\./||')
while read -r document kind target; do
    folder=$(dirname "$document")
    case $kind in
    link)
        links=$((links + 1))
        [[ -e $folder/$target ]] || report "$document" "the link to $target leads nowhere"
        ;;
    path)
        paths=$((paths + 1))
        exists "$folder" "$target" || report "$document" "there is no $target"
        ;;
    new)
        new[$target]=1 new[$(basename "$target")]=1
        [[ ! -e $target ]] || report "$document" "$target is called a new file, but exists"
        ;;
    esac
done < <(references "${documents[@]}")

while IFS=: read -r file document; do
    [[ -e $document ]] || report "$file" "there is no $document"
done < <(grep -rnoE --include='*.[ch]' --include='*.sil' --include='*.cfg' --include='*.1' \
    'docs/[a-z_/]+\.md' sim frontend sampling tests bench configs docs | sed 's/:[0-9]*:/:/')

if ((links < 20 || paths < 50)); then
    report tests/documents.sh "only $links links and $paths paths were found: is it still right?"
fi
exit "$wrong"
