import jsQR from "jsqr";
import { expect, test } from "vitest";
import { qrOf } from "./qr";

/**
 * Draws a code's path with this many pixels a module, and lets another library read the picture.
 */
function read({ size, path }: ReturnType<typeof qrOf>, scale = 4): string | undefined {
  const width = size * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, wide] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let py = Number(y) * scale; py < (Number(y) + 1) * scale; py += 1) {
      for (let px = Number(x) * scale; px < (Number(x) + Number(wide)) * scale; px += 1) {
        pixels.fill(0, (py * width + px) * 4, (py * width + px) * 4 + 3);
      }
    }
  }
  return jsQR(pixels, width, width)?.data;
}

test.each([
  "https://example.org/mmscope/#/lesson/watermarks-and-kswapd",
  "http://127.0.0.1:4319/some/where/#/lesson/when-kswapd-shrinks-a-zone-that-was-fine",
])("another library reads the address %s from the code", (address) => {
  expect(read(qrOf(address))).toBe(address);
});

test("a quiet zone of four modules surrounds the code", () => {
  const { size, path } = qrOf("https://example.org/");
  const dark = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, width]) => [
    Number(x),
    Number(x) + Number(width),
    Number(y),
  ]);
  expect(Math.min(...dark.flatMap(([x = 0, , y = 0]) => [x, y]))).toBe(4);
  expect(Math.max(...dark.flatMap(([, end = 0, y = 0]) => [end, y + 1]))).toBe(size - 4);
});
