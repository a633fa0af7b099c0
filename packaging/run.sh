#!/bin/bash
# Starts Azekura from this checkout: installs what is missing, builds, makes the database, starts all.
# shellcheck disable=SC2034,SC2154
set -euo pipefail
shopt -s inherit_errexit
azk_name=run.sh
azk_source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC1090
for part in common packages build state; do . "$azk_source/packaging/lib/$part.sh"; done

usage() {
    cat <<'END'
usage: packaging/run.sh [--state DIR] [--http ADDR:PORT] [--syslog ADDR:PORT] [--syslog-tls ADDR:PORT]
                        [--detach | --stop | --status]

Starts the log appliance and stays until Ctrl-C. As root, or as a user with sudo.

  --state DIR          where its data is       (/var/lib/azekura as root, else ~/.local/state/azekura)
  --http ADDR:PORT     the web console         (127.0.0.1:8080)
  --syslog ADDR:PORT   syslog by UDP and TCP   (0.0.0.0:5514)
  --syslog-tls ADDR:PORT
                       syslog by TLS, with a certificate of its own until another is installed in the
                       console; none: not any more  (none)
  --detach             start in the background; it stays when you log out
  --stop               stop what was started with this state folder, and nothing else
  --status             what runs; exit code 0: all of it, 3: not
Run again it goes on with its data and, unless told otherwise, its addresses.
END
}

parse_options() {
    state='' http='' syslog='' syslog_tls='' action=foreground
    local chosen=''
    while [ $# -gt 0 ]; do
        case $1 in
        --state | --http | --syslog | --syslog-tls)
            [ -n "${2:-}" ] || die "$1 needs a value; see --help" 2
            local name=${1#--}
            printf -v "${name//-/_}" %s "$2"
            shift 2
            ;;
        --state=?* | --http=?* | --syslog=?* | --syslog-tls=?*)
            set -- "${1%%=*}" "${1#*=}" "${@:2}"
            ;;
        --detach | --stop | --status)
            [ -z "$chosen" ] || [ "$chosen" = "$1" ] || die "$chosen and $1 do not go together; see --help" 2
            chosen=$1 action=${1#--}
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) die "unknown option $1; see --help" 2 ;;
        esac
    done
    if [ -z "$state" ]; then
        if is_root; then
            state=/var/lib/azekura
        else
            state=$(azk_home)/.local/state/azekura || die 'there is no home folder; choose --state'
        fi
    fi
    check_state_path
}

supervise() { "$state/program/supervise.py" "$1" "$state"; }
supervisor_runs() { # also while it is starting or something is down
    [ -e "$state/run/supervisor.pid" ] && ! flock -n -s "$state/run/supervisor.pid" true
}

stop_all() {
    if [ ! -x "$state/program/supervise.py" ]; then
        say "not running: $state"
    else
        supervise stop
    fi
}

show_status() {
    if [ ! -x "$state/program/supervise.py" ]; then
        say "not running: $state"
        exit 3
    fi
    supervise status
}

check_addresses() {
    local out protocol
    http=${http:-$(configured 'listen\.http' 127.0.0.1:8080)}
    syslog=${syslog:-$(configured 'listen\.udp' 0.0.0.0:5514)}
    syslog_tls=${syslog_tls:-$(configured 'listen\.tls' none)}
    [ "$syslog_tls" != "$syslog" ] || die "--syslog-tls: $syslog_tls is already that of syslog by TCP; choose another port, as 6514" 2
    # what runs already holds its own ports; what a killed supervisor left still does for a moment
    supervisor_runs && return 0
    [ ! -e "$state/run/children" ] || "$azk_source/packaging/supervise.py" settle "$state" || exit
    out=$("$azk_source/packaging/address.py" check http "$http") || die "--http: $out" $?
    for protocol in udp tcp; do
        out=$("$azk_source/packaging/address.py" check $protocol "$syslog") || die "--syslog: $out" $?
    done
    [ "$syslog_tls" = none ] && return 0
    out=$("$azk_source/packaging/address.py" check tcp "$syslog_tls") || die "--syslog-tls: $out" $?
}

# As the receiver says it: settings changed in the console win over ours.
where_it_listens() {
    local listener address list=''
    while read -r listener address; do
        list+="${list:+, }$address (${listener^^})"
    done 2>/dev/null <"$state/receiver/listeners" || :
    printf '%s\n' "${list:-nowhere; see $state/log/receiver.log}"
}

describe() {
    local shown=${http/#0.0.0.0:/127.0.0.1:} code
    shown=${shown/#'[::]:'/'[::1]:'}
    say "  console  http://$shown/"
    say "  syslog   $(where_it_listens)"
    if [ -r "$state/setup-code" ]; then
        code=$(cat "$state/setup-code")
        say "  setup    open the console and make the first administrator with this code: $code"
    fi
    say "  search   $(printf '%q ' "$azk_build/bin/azekura" --state "$state")search QUERY"
    say "  stop     $(printf '%q ' "$azk_source/packaging/run.sh" --state "$state")--stop"
}

phase() { sed -n 's/^{"phase": "\([a-z]*\)".*/\1/p' "$state/run/status" 2>/dev/null || :; }
fault() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["fault"])' "$state/run/status"; }

# In a session of its own, so that it outlives the terminal; under systemd in a unit of its own, so that
# it outlives the log-in too.
launch() {
    local unit
    if [ "$action" = detach ] && [ -d /run/systemd/system ] && { is_root || command -v sudo >/dev/null; }; then
        unit=azekura-$(printf '%s' "$state" | sha256sum | cut -c1-8)
        as_root 'starting the unit' systemd-run --quiet --collect --unit="$unit" --description="Azekura in $state" \
            --uid="$(id -u)" --gid="$(id -g)" -p KillMode=mixed -p TimeoutStopSec=150 -p Restart=on-failure \
            -p RestartPreventExitStatus=3 -p RestartSec=5 -- "$state/program/supervise.py" run "$state"
        launched=
    else
        setsid "$state/program/supervise.py" run "$state" </dev/null >>"$state/log/supervisor.log" 2>&1 8>&- 9>&- &
        launched=$!
    fi
}

wait_until_ready() {
    local n=0 now rounds=0
    while :; do
        rounds=$((rounds + 1))
        [ $rounds != 150 ] || note "it takes longer than usual; what it does is in $state/log"
        now=$(phase)
        case $now in
        ready) return 0 ;;
        failed) die "$(fault) (more in $state/log)" ;;
        esac
        if supervisor_runs; then n=0; else n=$((n + 1)); fi
        [ $n -lt 50 ] || die "the supervisor ended; the last of $state/log/supervisor.log: $(tail -n 1 "$state/log/supervisor.log")"
        sleep 0.1
    done
}

# Foreground: Ctrl-C or a closed terminal stops everything.
stay() {
    trap 'kill -TERM $launched 2>/dev/null || :' INT TERM HUP
    trap - EXIT
    say 'Ctrl-C stops it.'
    local code=0
    while kill -0 "$launched" 2>/dev/null; do
        code=0
        wait "$launched" || code=$?
    done
    [ "$code" = 0 ] || die "it ended by itself; see $state/log/supervisor.log" "$code"
    say 'stopped.'
}

prepare() {
    # what was there before goes on also where a new one could not begin
    require_space "$state" "$([ -f "$state/postgresql/PG_VERSION" ] && echo 64 || echo 512)" 'the state folder'
    if [ -f "$azk_build/bin/azekura-web" ]; then
        require_space "$azk_source" 64 'building'
        note 'building what changed'
    else
        require_space "$azk_source" 512 'building'
        note 'building; this takes some minutes'
    fi
    with_build_lock build_all
    with_build_lock install_extension
    make_users
    make_folders
}

# Of two starts of one folder the second waits, also for an initdb that a killed one left running.
begin_alone() {
    exec 8>>"$state/.starting"
    flock -n 8 && return 0
    note 'another start in this folder is not finished: waiting for it'
    flock 8
}

start_all() {
    local changed
    check_addresses
    prepare
    begin_alone
    changed=$(install_program "$state/program")
    changed+=$(write_config)
    if supervisor_runs; then
        if [ -z "$changed" ]; then
            wait_until_ready
            exec 8>&-
            say "Azekura is already running in $state:"
            describe
            return 0
        fi
        note 'the checkout or the addresses have changed: starting it again'
        supervise stop >/dev/null
        check_addresses
    fi
    raise_receive_buffer
    make_cluster
    write_cluster_config
    rm -f -- "$state/run/status"
    launch
    trap '[ -z "$launched" ] || kill -TERM "$launched" 2>/dev/null || :' EXIT
    trap 'exit 130' INT TERM HUP
    wait_until_ready
    exec 8>&-
    # in the foreground it ends with us at every moment
    [ "$action" != detach ] || trap - EXIT INT TERM HUP
    say "Azekura is running in $state:"
    describe
    [ "$action" = detach ] || stay
}

main() {
    parse_options "$@"
    case $action in
    stop) stop_all ;;
    status) show_status ;;
    *)
        require_debian_12
        install_packages run
        start_all
        ;;
    esac
}

main "$@"
