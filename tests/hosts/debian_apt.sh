# shellcheck shell=bash
# Debian's packages for another architecture, and their sources, in a folder: apt-get with a state of
# its own, so that nothing is installed and the machine's architectures stay as they are. Sourced.

# debian_apt FOLDER ARCHITECTURE ARGUMENT...: apt-get with the state in FOLDER.
debian_apt()
{
    local state=$1 arch=$2 release keys=/usr/share/keyrings/debian-archive-keyring.gpg
    local mirror=${RUBATO_HOSTS_MIRROR:-http://deb.debian.org/debian}
    shift 2
    if [[ ! -f $state/sources.list ]]; then
        # shellcheck disable=SC1091 # a file of the system
        release=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
        mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
        : >"$state/status"
        printf "%s [signed-by=$keys] $mirror $release main\n" deb deb-src >"$state/sources.list"
    fi
    LC_ALL=C apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state/cache" -o Dir::Etc::sourcelist="$state/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User="$(id -un)" \
        -o Debug::NoLocking=1 "$@"
}
