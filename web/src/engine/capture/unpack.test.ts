import { gzipSync, strToU8 } from "fflate";
import { expect, test } from "vitest";
import type { CaptureCalls, TraceInfo } from "./answers";
import { Intake } from "./intake";
import { areOfMachine } from "./names";

/** A tar archive of some files. */
function tarOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (const [name, content] of Object.entries(files)) {
    const head = new Uint8Array(512);
    const put = (at: number, text: string) => head.set(strToU8(text), at);
    put(0, name);
    put(124, `${content.length.toString(8).padStart(11, "0")}\0`);
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\0");
    const sum = head.reduce((all, byte) => all + byte, 0);
    put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
    const body = new Uint8Array(Math.ceil(content.length / 512) * 512);
    body.set(content);
    blocks.push(head, body);
  }
  blocks.push(new Uint8Array(1024));
  return Uint8Array.from(blocks.flatMap((block) => [...block]));
}

/** Calls of an engine that keeps what a trace was fed. */
function fakeCalls() {
  const fed: string[] = [];
  const calls: CaptureCalls = {
    newTrace: () => {
      const decoder = new TextDecoder();
      const at = fed.push("") - 1;
      return {
        feed: (chunk) => {
          fed[at] += decoder.decode(chunk, { stream: true });
        },
        finish: () =>
          JSON.stringify({
            lines: fed[at]?.split("\n").length ?? 0,
            refusals: [],
          } as Partial<TraceInfo>),
        rows: () => new Float64Array(),
        samples: () => new Float64Array(),
        free: () => {},
      };
    },
    read_capture: () => "{}",
    explain_machine: () => "{}",
    read_series: () => "{}",
  };
  return { calls, fed };
}

function taken(name: string, bytes: Uint8Array, chunk = 700) {
  const { calls, fed } = fakeCalls();
  const intake = new Intake(calls);
  const sink = intake.take(name);
  for (let at = 0; at < bytes.length; at += chunk) sink.push(bytes.subarray(at, at + chunk));
  sink.end();
  return { intake, fed };
}

const TRACE = `# tracer: nop\n${"  wl-182  [000] .....  8.722207: mm_vmscan_kswapd_sleep: nid=0\n".repeat(400)}`;
const capture = () =>
  tarOf({
    "hog/before.txt": strToU8("=== zoneinfo\n"),
    "hog/trace.txt.gz": gzipSync(strToU8(TRACE)),
    "hog/empty.log": new Uint8Array(),
  });

test("reads texts and compressed traces of a tar.gz in chunks of any size", () => {
  const bytes = gzipSync(capture());
  for (const chunk of [1, 511, 512, 513, bytes.length]) {
    const { intake, fed } = taken("hog.tar.gz", bytes, chunk);
    expect(intake.refusals).toEqual([]);
    expect([...intake.texts]).toEqual([
      ["hog/before.txt", "=== zoneinfo\n"],
      ["hog/empty.log", ""],
    ]);
    expect(fed).toEqual([TRACE]);
    expect(intake.traces.map(({ name }) => name)).toEqual(["hog/trace.txt"]);
  }
});

test("reads a truncated gz up to the damage and names the line", () => {
  const noise = Array.from({ length: 4000 }, (_, i) => `# tracer: ${(i * 7919) % 10007}\n`).join(
    "",
  );
  const packed = gzipSync(strToU8(noise));
  const { intake, fed } = taken("trace.txt.gz", packed.subarray(0, packed.length / 2));
  expect(fed).toHaveLength(1);
  expect(noise.startsWith(fed[0] ?? "-")).toBe(true);
  expect(fed[0]?.length).toBeGreaterThan(1000);
  expect(intake.refusals).toHaveLength(1);
  expect(intake.refusals[0]?.line).toBe(fed[0]?.split("\n").length);
  expect(intake.refusals[0]?.reason).toMatch(/ends too early/);
});

test("refuses a gz of which only the first bytes exist", () => {
  const packed = gzipSync(strToU8("a text"), { mtime: 0 });
  const { intake } = taken("trace.txt.gz", packed.subarray(0, 8));
  expect(intake.refusals.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/ends too early/),
  ]);
});

test("refuses a tar that ends in the middle of a file and keeps the files before it", () => {
  const whole = tarOf({ "a.txt": strToU8("a"), "b.txt": strToU8("b".repeat(600)) });
  const { intake } = taken("x.tar", whole.subarray(0, 1700));
  expect([...intake.texts.keys()]).toEqual(["a.txt"]);
  expect(intake.refusals[0]?.reason).toMatch(/ends in the middle of a file/);
});

test.each([
  ["PK\x03\x04", /zip archive/],
  ["\x17\x08Dtracing6", /trace-cmd report/],
  ["PERFILE2", /perf script/],
  ["\x00\x00\x00\x00\x00\x01", /not a text file/],
])("refuses a foreign file that begins with %j", (begin, reason) => {
  const bytes = Uint8Array.from(begin.padEnd(600, "\x00"), (letter) => letter.charCodeAt(0));
  const { intake } = taken("file.bin", bytes);
  expect(intake.refusals).toHaveLength(1);
  expect(intake.refusals[0]).toMatchObject({
    file: "file.bin",
    reason: expect.stringMatching(reason),
  });
});

test("refuses a text of more than 16 MiB, however small it is when compressed", () => {
  const { intake } = taken(
    "vmstat.txt.gz",
    gzipSync(new Uint8Array(17 * 1024 ** 2).fill(0x61)),
    1 << 16,
  );
  expect(intake.texts.size).toBe(0);
  expect(intake.refusals[0]?.reason).toMatch(/16 MiB/);
});

test("distinguishes files of a machine from moments and lessons by their names", () => {
  expect(areOfMachine(["hog.tar.gz"])).toBe(true);
  expect(areOfMachine(["a/before.txt", "a/shape.json"])).toBe(true);
  expect(areOfMachine(["moment.json"])).toBe(false);
  expect(areOfMachine(["lesson.zip"])).toBe(false);
});
