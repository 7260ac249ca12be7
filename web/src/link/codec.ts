// Text in an address and back. Order on the way in: length, alphabet, inflate with a limit on the
// output. Nothing is parsed before it is known to be small.

import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

/** Most characters of an encoded document; browsers and chat programs cut longer addresses. */
export const MAX_ENCODED_CHARACTERS = 16_384;
/** Most bytes a document may inflate to. */
export const MAX_INFLATED_BYTES = 262_144;

/** The result of unpacking. */
export type Unpacked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: "too-large" | "not-ours"; readonly detail: string };

/** Packs a text into characters an address may hold. The same text always gives the same result. */
export function pack(text: string): string {
  const bytes = deflateSync(strToU8(text), { level: 9 });
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Unpacks what {@link pack} made; anything else is refused with a reason. */
export function unpack(encoded: string): Unpacked {
  if (encoded.length > MAX_ENCODED_CHARACTERS) {
    const detail = `It has ${count(encoded.length)} characters; the limit is ${count(MAX_ENCODED_CHARACTERS)}.`;
    return { ok: false, why: "too-large", detail };
  }
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) {
    return notOurs("It holds characters that no link of mmscope holds.");
  }
  const bytes = fromBase64(encoded);
  return bytes ? inflate(bytes) : notOurs("Its text is cut short or changed.");
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
function inflate(bytes: Uint8Array): Unpacked {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new Inflate((chunk, isLast) => {
    size += chunk.length;
    isComplete ||= isLast;
    if (size > MAX_INFLATED_BYTES) throw new TooLarge();
    chunks.push(chunk);
  });
  try {
    const piece = 256;
    for (let at = 0; at < bytes.length; at += piece) {
      stream.push(bytes.subarray(at, at + piece), at + piece >= bytes.length);
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) return notOurs("Its text is cut short or changed.");
    const detail = `It unfolds to more than ${count(MAX_INFLATED_BYTES)} bytes, the limit.`;
    return { ok: false, why: "too-large", detail };
  }
  if (!isComplete) return notOurs("Its text is cut short or changed.");
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { ok: true, text: strFromU8(whole) };
}
