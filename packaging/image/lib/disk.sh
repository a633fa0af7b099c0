# The disk: GPT, boot loader for BIOS and UEFI, the slots, the data partition.  No loop device, no mount.
# shellcheck shell=bash disable=SC2154

azk_slot_mib=1536
azk_esp_mib=64
azk_data_mib=512
azk_modules='part_gpt fat ext2 normal linux loadenv test echo serial terminal regexp configfile minicmd reboot halt sleep gzio xzio boot all_video'

# slot_image TREE FILE: the root as ext4 without journal (it is never written to), as small as it can be.
# GRUB 2.06 cannot read metadata_csum_seed and orphan_file.
slot_image() {
    local mib
    mib=$(($(du -sm "$1" | cut -f1) * 108 / 100 + 40))
    [ $mib -le $azk_slot_mib ] || die "the root tree needs $mib MiB, a slot has $azk_slot_mib"
    rm -f "$2"
    truncate -s ${mib}M "$2"
    E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH mke2fs -q -t ext4 -L azekura -U "$azk_slot_uuid" -E "hash_seed=$azk_slot_uuid" -O '^has_journal,^metadata_csum_seed,^orphan_file,^resize_inode' \
        -m 0 -d "$1" "$2" || die "cannot make $2"
}

esp_image() {
    local file=$1
    grub-script-check "$here/grub.cfg" || die 'grub.cfg is not understood by GRUB'
    # shellcheck disable=SC2086
    grub-mkimage -O x86_64-efi -p /grub -o "$work/BOOTX64.EFI" $azk_modules
    # shellcheck disable=SC2086
    grub-mkimage -O i386-pc -p '(,gpt2)/grub' -o "$work/core.img" biosdisk $azk_modules
    rm -f "$work/grubenv"
    grub-editenv "$work/grubenv" create
    grub-editenv "$work/grubenv" set 'ORDER=A B' A_OK=1 B_OK=0 A_TRY=0 B_TRY=0
    rm -f "$file"
    truncate -s ${azk_esp_mib}M "$file"
    mkfs.vfat -F 32 -n AZEKURA -i 415A4B55 "$file" >/dev/null
    mmd -i "$file" ::/EFI ::/EFI/BOOT ::/grub
    mcopy -i "$file" "$work/BOOTX64.EFI" ::/EFI/BOOT/BOOTX64.EFI
    mcopy -i "$file" "$here/grub.cfg" ::/grub/grub.cfg
    mcopy -i "$file" "$work/grubenv" ::/grub/grubenv
}

# disk_image SLOT FILE
disk_image() {
    local slot=$1 file=$2 esp=$work/esp.img data=$work/data.img first=2 a b d
    esp_image "$esp"
    rm -f "$data" "$file"
    truncate -s ${azk_data_mib}M "$data"
    mke2fs -q -t ext4 -L data "$data"
    a=$((first + azk_esp_mib)) b=$((first + azk_esp_mib + azk_slot_mib)) d=$((first + azk_esp_mib + 2 * azk_slot_mib))
    truncate -s $((d + azk_data_mib + 1))M "$file"
    sfdisk -q "$file" <<END
label: gpt
start=1MiB, size=1MiB, type=21686148-6449-6E6F-744E-656564454649, name=bios
start=${first}MiB, size=${azk_esp_mib}MiB, type=uefi, name=esp
start=${a}MiB, size=${azk_slot_mib}MiB, type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709, name=rootfs-a
start=${b}MiB, size=${azk_slot_mib}MiB, type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709, name=rootfs-b
start=${d}MiB, size=${azk_data_mib}MiB, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4, name=data
END
    dd if="$esp" of="$file" bs=1M seek=$first conv=notrunc,sparse status=none
    dd if="$slot" of="$file" bs=1M seek=$a conv=notrunc,sparse status=none
    dd if="$data" of="$file" bs=1M seek=$d conv=notrunc,sparse status=none
    python3 "$here/mbr.py" "$file" "$work/core.img"
}
