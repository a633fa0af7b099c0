/** Hand a file made in this page to the browser's downloads. */
export function saveBlob(blob: Blob, name: string): void {
    const url = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    // the download has begun when the click returns; the bytes are read soon after
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
