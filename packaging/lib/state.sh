# The state folder: users, folders with the right owners, configuration, the database's cluster.
# Expects $state, $http, $syslog, $syslog_tls (the last three may be empty: as configured before, else the defaults).
# shellcheck shell=bash disable=SC2034,SC2154

azk_daemons=(receiver keeper web)

check_state_path() {
    case $state in
    /*) ;;
    *) state=$PWD/$state ;;
    esac
    case $state in
    *[\'\"\\[:cntrl:]]*) die "--state: the folder's name may hold no quotes, backslashes or control characters: $state" 2 ;;
    *:* | *,*) die "--state: the folder's name may hold no colon or comma: $state" 2 ;;
    *' ') die "--state: the folder's name may not end with a blank: '$state'" 2 ;;
    esac
    while [ "$state" != / ] && [ "${state%/}" != "$state" ]; do state=${state%/}; done
    [ "$state" != / ] || die '--state: / cannot be the state folder' 2
    # a Unix socket's path has at most 107 bytes, and ours is DIR/run/.s.PGSQL.5432
    local bytes
    bytes=$(printf '%s' "$state" | LC_ALL=C wc -c)
    [ "$bytes" -le 85 ] || die "--state: the folder's path has $bytes bytes, at most 85 are possible (it holds a Unix socket)" 2
}

make_users() {
    local kind name _
    is_root || return 0
    while read -r kind name _; do
        [ "$kind" = u ] || continue
        getent passwd "$name" >/dev/null ||
            useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$name" ||
            die "cannot make the system user $name"
    done <"$azk_source/rootfs/usr/lib/sysusers.d/azekura.conf"
}

user_of() { # the system user that runs a part
    if ! is_root; then
        id -un
    elif [ "$1" = postgresql ]; then
        printf 'postgres\n'
    else
        printf 'azekura-%s\n' "$1"
    fi
}

# The service users must be able to reach the state folder.  A temporary folder made for us (mktemp -d)
# is opened for passing through, with a note; any other is left alone and named.
check_reachable() {
    local dir
    is_root || return 0
    dir=$(dirname -- "$state")
    while [ "$dir" != / ]; do
        if ! setpriv --reuid=azekura-web --regid=azekura-web --clear-groups test -x "$dir"; then
            case $(stat -c '%U %h' "$dir") in root\ *) ;; *) die "the service users cannot enter $dir, above the state folder; choose another --state" ;; esac
            case $(dirname -- "$dir") in
            /tmp | /var/tmp)
                chmod o+x -- "$dir"
                note "let the service users pass through $dir (it was closed to all but root)"
                ;;
            *) die "the service users cannot enter $dir (mode $(stat -c %a "$dir")), above the state folder; choose another --state" ;;
            esac
        fi
        dir=$(dirname -- "$dir")
    done
}

# own DIR MODE OWNER[:GROUP]
own() {
    install -d -m "$2" -- "$1" || die "cannot make the folder $1"
    chmod "$2" -- "$1"
    is_root || return 0
    chown "$3" -- "$1"
}

# Files of another owner (a daemon that was run by hand as root, a backup brought back) would lock a service
# out of its own folder.  Not while it runs, and not where a service could have linked a file of root there.
repair_owners() {
    local d user
    is_root && ! supervisor_runs && [ "$(cat /proc/sys/fs/protected_hardlinks 2>/dev/null)" = 1 ] || return 0
    for d in postgresql spool "${azk_daemons[@]}"; do
        user=$(user_of "${d/spool/receiver}")
        [ -n "$(find "$state/$d" ! -user "$user" -print -quit)" ] || continue
        note "giving the files in $state/$d back to $user"
        chown -R -h "$user:" -- "$state/$d"
    done
}

make_folders() {
    local d me
    me=$(id -un)
    [ ! -e "$state" ] || [ -d "$state" ] || die "--state: $state is not a folder"
    mkdir -p -- "$state" 2>/dev/null || die "cannot make the folder $state: $(mkdir -p -- "$state" 2>&1 | sed 's/.*: //')"
    if is_root && [ -f "$state/azekura.conf" ] && [ "$(stat -c %u "$state")" != 0 ]; then
        die "$state belongs to $(stat -c %U "$state"); run this as that user, or choose another --state"
    fi
    check_reachable
    [ -w "$state" ] || die "cannot write to $state: it belongs to $(stat -c %U "$state")"
    if ! is_root && [ "$(stat -c %u "$state")" != "$(id -u)" ]; then
        die "$state belongs to $(stat -c %U "$state"); choose another --state, or run as that user"
    fi
    own "$state" 755 "$me"
    # the server makes its socket here; sticky, so that it cannot replace the files of root
    if is_root; then own "$state/run" 1775 root:postgres; else own "$state/run" 755 "$me"; fi
    own "$state/log" 750 "$me"
    own "$state/postgresql" 700 "$(user_of postgresql)"
    for d in keeper web; do own "$state/$d" 750 "$(user_of "$d"):"; done
    # the keeper and the console count what the receiver has on disk; what is in its files it protects itself
    for d in receiver spool; do own "$state/$d" 755 "$(user_of receiver):"; done
    repair_owners
}

# The value of a setting in the configuration file, or $2.
configured() {
    local value=
    [ ! -r "$state/azekura.conf" ] || value=$(sed -n "s/^$1 *= *//p" "$state/azekura.conf" | tail -n 1)
    printf '%s\n' "${value:-$2}"
}

box_time_zone() {
    local zone
    zone=$(readlink -f /etc/localtime 2>/dev/null | sed -n 's:^/usr/share/zoneinfo/::p')
    case $zone in '' | Etc/*) zone=UTC ;; esac
    [ -f "/usr/share/zoneinfo/$zone" ] || zone=UTC
    printf '%s\n' "$zone"
}

# Our lines of the configuration file are written anew; the administrator's are kept.  Prints "changed".
write_config() {
    local file=$state/azekura.conf new=$state/azekura.conf.new ours
    ours='state\.dir|database|listen\.udp|listen\.tcp|listen\.tls|listen\.http|web\.root|database\.sql_dir'
    {
        say '# Written by packaging/run.sh, which keeps lines of yours for other settings.'
        say "state.dir = $state"
        say "database = host='$state/run' dbname=azekura"
        say "listen.udp = $syslog"
        say "listen.tcp = $syslog"
        [ "$syslog_tls" = none ] || say "listen.tls = $syslog_tls"
        say "listen.http = $http"
        say "web.root = $state/program/webui"
        say "database.sql_dir = $state/program/sql/migrations"
        if [ -f "$file" ]; then
            grep -vE "^(($ours) *=|# Written by packaging/run.sh)" "$file" || :
        else
            say "time.zone = $(box_time_zone)"
        fi
    } >"$new"
    chmod 644 -- "$new"
    if cmp -s -- "$new" "$file"; then
        rm -f -- "$new"
        return 0
    fi
    mv -T -- "$new" "$file"
    printf 'changed\n'
}

as_database_user() {
    if is_root; then
        setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
    else
        "$@"
    fi
}

# The server's files are made in a folder beside and put in place by a rename when they are whole: a start
# that was cut off leaves nothing that looks like a database, and nothing that may be data is ever deleted.
make_cluster() {
    local data=$state/postgresql new=$state/postgresql.new out
    rm -rf -- "$new"
    if [ -n "$(ls -A -- "$data")" ]; then
        [ -f "$data/PG_VERSION" ] || die "$data is damaged: it holds files, but PG_VERSION is missing; bring it back from a backup, or move the folder away to begin without data"
        [ "$(cat "$data/PG_VERSION")" = 15 ] || die "$data is of PostgreSQL $(cat "$data/PG_VERSION"); this needs 15"
        return 0
    fi
    own "$new" 700 "$(user_of postgresql)"
    out=$(cd / && as_database_user "$AZK_PG_BIN/initdb" -D "$new" -U postgres --data-checksums --encoding=UTF8 \
        --locale=C.UTF-8 --auth-local=peer --auth-host=reject --no-instructions 2>&1) ||
        die "cannot make the database in $data: $out"
    mv -T -- "$new" "$data"
}

# Settings of the server: rewritten at each start, since memory or folders may have changed.
write_cluster_config() {
    local data=$state/postgresql ram shared me
    ram=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
    shared=$((ram / 8))
    [ $shared -ge 64 ] || shared=64
    [ $shared -le 2048 ] || shared=2048
    me=$(id -un)
    {
        say '# Written by packaging/run.sh at each start; changes of yours go into postgresql.conf below the include.'
        say "include '$state/program/postgresql.conf'"
        say "unix_socket_directories = '\"$state/run\"'"
        say "dynamic_library_path = '$state/program/pgext:\$libdir'"
        say "shared_buffers = ${shared}MB"
        say "effective_cache_size = $((ram / 2 > 128 ? ram / 2 : 128))MB"
    } | write_as_database_user "$data/azekura.conf"
    grep -qsF "include 'azekura.conf'" "$data/postgresql.conf" ||
        say "include 'azekura.conf'" | as_database_user tee -a "$data/postgresql.conf" >/dev/null
    say 'local all all peer map=azekura' | write_as_database_user "$data/pg_hba.conf"
    {
        say '# MAP OS-USER ROLE: who may come in as whom'
        if is_root; then
            local os role
            for os in root postgres; do
                for role in postgres azekura azekura_receiver azekura_keeper azekura_web; do say "azekura $os $role"; done
            done
            say 'azekura azekura-receiver azekura_receiver'
            say 'azekura azekura-keeper azekura_keeper'
            say 'azekura azekura-web azekura_web'
        else
            # one user runs everything
            for role in postgres azekura azekura_receiver azekura_keeper azekura_web; do say "azekura \"$me\" $role"; done
        fi
    } | write_as_database_user "$data/pg_ident.conf"
}

write_as_database_user() {
    # shellcheck disable=SC2016
    as_database_user sh -c 'umask 077 && cat >"$1.new" && mv -T -- "$1.new" "$1"' sh "$1" || die "cannot write $1"
}

# The kernel must allow the receive buffer that the receiver asks for.
raise_receive_buffer() {
    local wanted have
    wanted=$(sed -n 's/^net.core.rmem_max *= *//p' "$azk_source/rootfs/usr/lib/sysctl.d/60-azekura.conf")
    have=$(cat /proc/sys/net/core/rmem_max 2>/dev/null) || return 0
    [ "$have" -lt "$wanted" ] || return 0
    if ! is_root; then
        note "UDP bursts wait in at most $have bytes; more is possible with: sudo sysctl -w net.core.rmem_max=$wanted"
    elif (printf '%s\n' "$wanted" >/proc/sys/net/core/rmem_max) 2>/dev/null; then
        note "raised net.core.rmem_max from $have to $wanted bytes, so that bursts by UDP are kept"
    else
        note "UDP bursts wait in at most $have bytes: net.core.rmem_max cannot be changed here"
    fi
}
