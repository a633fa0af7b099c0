# The update: a signed bundle of one slot.  The certificate authority is the maker's and kept elsewhere; a throw-away one
# can be made for tests, its folder being given again to sign a further bundle for the same boxes.
# shellcheck shell=bash disable=SC2154

# The folder holds ca.cert.pem (goes into the image), sign.cert.pem and sign.key.pem (sign bundles).
throw_away_ca() {
    local dir=$1
    [ ! -s "$dir/sign.cert.pem" ] || return 0
    install -d -m 700 "$dir"
    openssl req -x509 -newkey rsa:3072 -nodes -keyout "$dir/ca.key.pem" -out "$dir/ca.cert.pem" -days 3650 \
        -subj '/O=Azekura/CN=Throw-away authority' -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
    openssl req -newkey rsa:3072 -nodes -keyout "$dir/sign.key.pem" -out "$dir/sign.csr" -subj '/O=Azekura/CN=Throw-away signer' 2>/dev/null
    printf '%s\n' basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature extendedKeyUsage=emailProtection,codeSigning >"$dir/sign.ext"
    openssl x509 -req -in "$dir/sign.csr" -CA "$dir/ca.cert.pem" -CAkey "$dir/ca.key.pem" -CAcreateserial -days 3650 \
        -extfile "$dir/sign.ext" -out "$dir/sign.cert.pem" 2>/dev/null
}

# make_bundle SLOT FILE
make_bundle() {
    local dir=$work/bundle f
    for f in ca.cert.pem sign.cert.pem sign.key.pem; do [ -r "$ca/$f" ] || die "--ca: $ca/$f is missing"; done
    rm -rf "$dir" "$2"
    install -d "$dir"
    ln "$1" "$dir/rootfs.img"
    printf '%s\n' '[update]' compatible=azekura-amd64 "version=$version" '' '[bundle]' format=verity '' '[image.rootfs]' filename=rootfs.img >"$dir/manifest.raucm"
    rauc bundle --cert="$ca/sign.cert.pem" --key="$ca/sign.key.pem" --keyring="$ca/ca.cert.pem" \
        --mksquashfs-args='-comp zstd -Xcompression-level 6 -b 128K' "$dir" "$2" >"$work/bundle.log" 2>&1 || die "the bundle cannot be made: $(tail -n 3 "$work/bundle.log")"
}
