import { expect, test } from "vitest";
import { decoded } from "./decoded";

const TEXT = '{"title": "höher"}\r\n';

function utf16(text: string, little: boolean, mark: boolean): ArrayBuffer {
  const units = [...(mark ? "\ufeff" : ""), ...text];
  const view = new DataView(new ArrayBuffer(units.length * 2));
  units.forEach((unit, at) => {
    view.setUint16(at * 2, unit.charCodeAt(0), little);
  });
  return view.buffer;
}

test("reads UTF-16 in either byte order with and without a byte order mark", () => {
  for (const little of [true, false]) {
    for (const mark of [true, false]) expect(decoded(utf16(TEXT, little, mark))).toBe(TEXT);
  }
});

test("reads UTF-8 with and without a byte order mark, however short the file is", () => {
  const bytes = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;
  for (const text of ["", "a", "äb", TEXT]) {
    expect(decoded(bytes(text))).toBe(text);
    expect(decoded(bytes(`\ufeff${text}`))).toBe(text);
  }
});
