import { expect, test } from "vitest";
import { NO_OPTIONS, readOptions } from "./import-options";

test("leaves empty options to the dump", () => {
  expect(readOptions(NO_OPTIONS)).toEqual({ json: "{}" });
});

test("reads values in the formats that people and sysctl use", () => {
  const { json } = readOptions({
    kernel: "6.1",
    arch: "ppc64",
    listing: "2",
    page_size_kib: "64",
    min_free_kbytes: "vm.min_free_kbytes = 67584",
    watermark_scale_factor: " 10 ",
    lowmem_reserve_ratio: "256\t256, 32 0 0",
  });
  expect(JSON.parse(json ?? "")).toEqual({
    kernel: "6.1",
    arch: "ppc64",
    listing: 2,
    page_size_kib: 64,
    min_free_kbytes: 67584,
    watermark_scale_factor: 10,
    lowmem_reserve_ratio: [256, 256, 32, 0, 0],
  });
  expect(readOptions({ ...NO_OPTIONS, min_free_kbytes: "67,584" }).json).toBe(
    '{"min_free_kbytes":67584}',
  );
});

test("reports each value that is not a number", () => {
  const { faults } = readOptions({
    ...NO_OPTIONS,
    min_free_kbytes: "64 MB",
    watermark_scale_factor: "1.5",
    lowmem_reserve_ratio: "256 many",
  });
  expect(Object.keys(faults ?? {})).toEqual([
    "min_free_kbytes",
    "watermark_scale_factor",
    "lowmem_reserve_ratio",
  ]);
  expect(faults?.lowmem_reserve_ratio).toContain("many");
});
