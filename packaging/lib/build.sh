# Building: the firmware, the web console, and the copy of both that runs.
# shellcheck shell=bash disable=SC2034,SC2154

azk_build=$azk_source/build

# Two instances may be started from one checkout at once; only one of them builds.
with_build_lock() {
    mkdir -p "$azk_build" 2>/dev/null || die "cannot write to $azk_build"
    [ -w "$azk_build" ] || die "cannot write to $azk_build: it belongs to $(stat -c %U "$azk_build")"
    (
        flock 9
        "$@"
    ) 9>"$azk_build/.lock"
}

# Quiet unless it fails.
run_logged() {
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        die "building failed: $* (all of it: $log)"
    fi
}

build_firmware() {
    local fresh=() tests=() home
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$azk_build/CMakeCache.txt" 2>/dev/null || :)
    # a checkout that was moved or copied together with its build folder
    [ -z "$home" ] || [ "$home" = "$azk_source" ] || fresh=(--fresh)
    # tests need more packages; a build folder that has them keeps them
    [ -n "$home" ] && [ ${#fresh[@]} = 0 ] || tests=(-DAZEKURA_TESTS=OFF)
    (
        cd "$azk_source" || exit
        run_logged "$azk_build/configure.log" cmake --preset release "${fresh[@]}" "${tests[@]}"
        run_logged "$azk_build/build.log" cmake --build build --target \
            azekura azekura-receiver azekura-keeper azekura-web azekura-bench azekura-helper pgext
    )
}

# npm needs a folder of its own for its cache, also where HOME is not set.  Node.js knows only its own
# certificate authorities: a company's, which Debian's bundle holds, are told to it.
npm_quiet() {
    env NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" HOME="$(azk_home || printf '%s' "$azk_build")" npm_config_update_notifier=false npm_config_fund=false \
        npm_config_audit=false npm_config_progress=false npm "$@"
}

# The parts fetched by npm stay until the lock file changes, the pages until a source changes; so a
# machine without network can go on once it has been started with one.
install_npm_parts() {
    local web=$azk_source/webui lock
    lock=$(digest_of webui/package.json webui/package-lock.json)
    if [ "$(cat "$web/node_modules/.azekura-lock" 2>/dev/null)" != "$lock" ]; then
        (cd "$web" && run_logged "$azk_build/npm.log" npm_quiet ci)
        printf '%s\n' "$lock" >"$web/node_modules/.azekura-lock"
    fi
}

build_console() {
    local web=$azk_source/webui sources
    sources=$(digest_of webui)
    [ "$(cat "$azk_build/.console" 2>/dev/null)" != "$sources" ] || [ ! -f "$web/dist/index.html" ] || return 0
    install_npm_parts
    rm -f -- "$azk_build/.console" # until the pages are whole
    (cd "$web" && run_logged "$azk_build/console.log" npm_quiet run build)
    # building may write into the folder (generated types): what counts is how it is afterwards
    digest_of webui >"$azk_build/.console"
}

build_all() {
    build_firmware
    build_console
}

# Copy what runs to DIR: the service users need not be able to enter the checkout (/root/…), and a
# build does not change a running program.  Prints "changed" when DIR was not the same already.
install_program() {
    local dir=$1 new=$1.new f
    rm -rf -- "$new"
    install -d -m 755 -- "$new" "$new/bin" "$new/pgext" "$new/sql"
    for f in azekura azekura-receiver azekura-keeper azekura-web azekura-bench; do
        install -m 755 -- "$azk_build/bin/$f" "$new/bin/$f"
    done
    install -m 644 -- "$azk_build/pgext/azekura.so" "$new/pgext/azekura.so"
    install -d -m 755 -- "$new/share/azekura/bench"
    cp -r -- "$azk_source/firmware/bench/profiles" "$azk_source/firmware/bench/targets" "$new/share/azekura/bench/"
    cp -r -- "$azk_source/sql/migrations" "$new/sql/migrations"
    cp -r -- "$azk_source/sql/extension" "$new/sql/extension"
    cp -r -- "$azk_source/webui/dist" "$new/webui"
    install -m 644 -- "$azk_source/rootfs/usr/share/azekura/postgresql.conf" "$new/postgresql.conf"
    install -m 755 -- "$azk_source/packaging/supervise.py" "$new/supervise.py"
    chmod -R a+rX,go-w -- "$new"
    if [ -d "$dir" ] && diff -rq -- "$dir" "$new" >/dev/null 2>&1; then
        rm -rf -- "$new"
        return 0
    fi
    rm -rf -- "$dir.old"
    [ ! -d "$dir" ] || mv -T -- "$dir" "$dir.old"
    mv -T -- "$new" "$dir"
    rm -rf -- "$dir.old"
    printf 'changed\n'
}

# CREATE EXTENSION reads these two from PostgreSQL's own folder; the library it finds in ours.
install_extension() {
    local share f target
    share=$("$AZK_PG_BIN/pg_config" --sharedir)/extension
    for f in "$azk_source"/sql/extension/azekura*; do
        target=$share/${f##*/}
        cmp -s -- "$f" "$target" && continue
        # by rename, so that a server that reads it now sees the old or the new file whole
        as_root "copying ${f##*/} to $share" install -m 644 -- "$f" "$target.new"
        as_root "copying ${f##*/} to $share" mv -T -- "$target.new" "$target"
    done
}
