const KEPT_MS = 60_000;

/** As a download of the browser. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  saveAddress(url, name);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** A name from the server takes precedence. */
export function saveAddress(address: string, name = ""): void {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
}
