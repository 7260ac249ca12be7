// Formats numbers for the whole page. Page counts are exact and sizes are binary. Virtual time is
// in ns and shown in ms and µs.

const NARROW = "\u202f";
const THIN = "\u2009";
const MINUS = "\u2212";
/** Separates milliseconds and microseconds of the clock. */
export const CLOCK_GAP = THIN;

/** A count with a thousands separator: 431,904. */
export function count(value: number): string {
  const text = Math.abs(Math.round(value))
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
  return value < 0 ? `${MINUS}${text}` : text;
}

/** A count with its noun: "1 node", "2 nodes", "431,904 pages". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** The virtual clock in s, as "0.012 480" followed by digits for ms and µs. */
export function clock(time_ns: number): string {
  const us = Math.floor(time_ns / 1000);
  const whole = Math.floor(us / 1_000_000);
  const digits = String(us % 1_000_000).padStart(6, "0");
  return `${count(whole)}.${digits.slice(0, 3)}${THIN}${digits.slice(3)}`;
}

/** A duration with three significant figures: 312 ms, 4.1 µs. */
export function duration(time_ns: number): string {
  const steps: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ];
  const [unit, name] = steps.find(([size]) => Math.abs(time_ns) >= size) ?? [1, "ns"];
  const value = time_ns / unit;
  const digits = value >= 100 || unit === 1 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))}${NARROW}${name}`;
}

/** The size of `pages` pages of `page_bytes` bytes: 16 MiB, 2.0 GiB. */
export function size(pages: number, page_bytes: number): string {
  const kib = (pages * page_bytes) / 1024;
  const mib = kib / 1024;
  if (mib >= 1000) return `${(mib / 1024).toFixed(1)}${NARROW}GiB`;
  if (kib >= 10240 || (kib >= 1024 && Number.isInteger(mib))) return `${count(mib)}${NARROW}MiB`;
  return kib >= 1024 && !Number.isInteger(kib)
    ? `${mib.toFixed(1)}${NARROW}MiB`
    : `${count(kib)}${NARROW}KiB`;
}

/** A page frame number or address: 0x52fcb. */
export const hex = (value: number): string => `0x${value.toString(16)}`;

/** An order with its size: order 9 (2 MiB). */
export const orderWords = (order: number, page_bytes: number): string =>
  `order ${order} (${size(2 ** order, page_bytes)})`;

/** A share with two significant figures: 3.2 %. */
export function percent(share: number): string {
  const value = share * 100;
  const digits = value >= 10 || value === 0 ? 0 : value >= 1 ? 1 : 2;
  return `${value.toFixed(digits)}${NARROW}%`;
}

/** A zone's key as text of a sentence: "DMA32 on node 0". */
export function zoneWords(key: string): string {
  const [node = "", name = ""] = key.split("/");
  return `${name} on node ${node}`;
}
