// Bytes of a file as text.

/**
 * The text of a file. It is UTF-16 if the file begins with the byte order mark, or with two-byte
 * ASCII letters, as some editors and shells save it; otherwise UTF-8.
 */
export function decoded(bytes: ArrayBuffer): string {
  return new TextDecoder(
    encodingOf(new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength))),
  ).decode(bytes);
}

function encodingOf([a, b, c, d]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a && b === 0 && c !== undefined && d === 0) return "utf-16le";
  if (a === 0 && b && c === 0 && d) return "utf-16be";
  return "utf-8";
}
