// Packs text for an address and unpacks it. The order when unpacking: check length and alphabet,
// then inflate with a limit on the output. No text is parsed before its size is known to be small.

import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

/** The largest size of a packed document. */
export interface Limits {
  /** The maximum number of packed characters. */
  readonly characters: number;
  /** The maximum number of bytes after inflation. */
  readonly bytes: number;
}

/** The limits for a link from an untrusted source. */
export const LINK_LIMITS: Limits = { characters: 16_384, bytes: 262_144 };
/** The limits for drafts, files and saved moments. An experiment alone may have 1 MiB. */
export const KEPT_LIMITS: Limits = { characters: 2_097_152, bytes: 2_097_152 };

/** The result of unpacking. */
export type Unpacked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: "too-large" | "not-ours"; readonly detail: string };

/**
 * Packs a text into characters that an address may contain. The same text always gives the same
 * result.
 */
export function pack(text: string): string {
  const bytes = deflateSync(strToU8(text), { level: 9 });
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Unpacks the output of {@link pack}; rejects anything else with a reason. */
export function unpack(encoded: string, limits = LINK_LIMITS): Unpacked {
  if (encoded.length > limits.characters) {
    const detail = `It has ${count(encoded.length)} characters; the limit is ${count(limits.characters)}.`;
    return { ok: false, why: "too-large", detail };
  }
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) {
    return notOurs("It contains characters that mmscope never puts into a link.");
  }
  const bytes = fromBase64(encoded);
  return bytes ? inflate(bytes, limits.bytes) : notOurs("Its text is incomplete or was changed.");
}

const count = (value: number) => value.toLocaleString("en-GB");

const notOurs = (detail: string): Unpacked => ({ ok: false, why: "not-ours", detail });

function fromBase64(encoded: string): Uint8Array | null {
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

class TooLarge extends Error {}

/** Inflates in small pieces, so that a hostile input is dropped as soon as it grows too large. */
function inflate(bytes: Uint8Array, most: number): Unpacked {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new Inflate((chunk, isLast) => {
    size += chunk.length;
    isComplete ||= isLast;
    if (size > most) throw new TooLarge();
    chunks.push(chunk);
  });
  try {
    const piece = 256;
    for (let at = 0; at < bytes.length; at += piece) {
      stream.push(bytes.subarray(at, at + piece), at + piece >= bytes.length);
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) return notOurs("Its text is incomplete or was changed.");
    const detail = `It unpacks to more bytes than the limit of ${count(most)}.`;
    return { ok: false, why: "too-large", detail };
  }
  if (!isComplete) return notOurs("Its text is incomplete or was changed.");
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { ok: true, text: strFromU8(whole) };
}
