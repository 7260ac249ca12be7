// Saves text to a file or the clipboard without a server.

const quoted = (value: string | number | boolean | null): string => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows of cells as a table (RFC 4180). */
export const csvText = (rows: readonly (readonly (string | number | boolean | null)[])[]): string =>
  rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("");

/** Saves a text as a downloaded file. */
export function saveText(text: string, name: string, type: string): void {
  saveBlob(new Blob([text], { type }), name);
}

/** Saves a blob as a downloaded file. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser starts to read the blob after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
