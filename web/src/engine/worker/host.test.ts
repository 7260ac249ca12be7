import { describe, expect, test } from "vitest";
import { presetJson, TestBench } from "../loaded.test-support";

const PRESET = "first-touch.teach";

function opened(): TestBench {
  const bench = new TestBench();
  bench.openPreset(PRESET);
  return bench;
}

describe("the host", () => {
  test("surveys a small run to its end and then shows its start", () => {
    const { frame } = opened();
    expect(frame.view.position.step).toBe(0);
    expect(frame.furthest.ended).toBe(true);
    expect(frame.timeline?.length).toBeGreaterThan(100);
    expect(frame.mode).toEqual({ kind: "paused" });
  });

  test("refuses an impossible experiment by field and keeps the open one", () => {
    const bench = opened();
    const json = JSON.stringify({
      ...JSON.parse(presetJson(PRESET)),
      kernel: "9.9",
    });
    bench.send({ kind: "open", json, goal: { kind: "start" } });
    const last = bench.events.at(-1);
    expect(last?.kind === "refused" && last.refusals.map(({ path }) => path)).toEqual(["kernel"]);
    bench.send({ kind: "step", how: "into", followed: null });
    expect(bench.frame.view.position.step).toBeGreaterThan(0);
  });

  test("a step forward and a step back restore the state and the view", () => {
    const bench = opened();
    bench.send({ kind: "go", goal: { kind: "step", step: 5000 } });
    const before = bench.frame;
    const hash = bench.engine.hash(0);
    bench.send({ kind: "step", how: "into", followed: null });
    expect(bench.engine.hash(0)).not.toBe(hash);
    bench.send({ kind: "back", how: "step", followed: null });
    expect(bench.engine.hash(0)).toBe(hash);
    expect(bench.frame.view).toEqual(before.view);
    expect(bench.frame.maps).toEqual(before.maps);
  });

  test("opens at the first refusal on request", () => {
    const bench = new TestBench();
    const json = presetJson(PRESET);
    bench.send({ kind: "open", json, goal: { kind: "first-refusal" } });
    const { why, route } = bench.frame.view;
    expect(why?.compare?.passed).toBe(false);
    expect(route?.stops.length).toBeGreaterThan(1);
  });

  test("runs to a time and waits there for the next request", () => {
    const bench = opened();
    const half_ns = Math.floor(bench.frame.furthest.time_ns / 2);
    bench.send({ kind: "advance-time", time_ns: half_ns }, 40);
    expect(bench.frame.mode.kind).toBe("playing");
    expect(bench.frame.view.position.time_ns).toBeGreaterThanOrEqual(half_ns);
    const { step } = bench.frame.view.position;
    const hash = bench.engine.hash(0);
    bench.send({ kind: "go", goal: { kind: "time", time_ns: half_ns } });
    expect(bench.frame.view.position.step).toBe(step);
    expect(bench.engine.hash(0)).toBe(hash);
    expect(bench.frame.mode.kind).toBe("paused");
  });

  test("plays virtual time at the requested speed and pauses with a reason", () => {
    const bench = opened();
    bench.send({ kind: "play", pace: { kind: "time", ns_per_s: 1_000_000 } }, 40);
    expect(bench.frame.mode.kind).toBe("playing");
    const { time_ns } = bench.frame.view.position;
    expect(time_ns).toBeGreaterThan(0);
    bench.send({ kind: "pause" });
    expect(bench.frame.mode.kind).toBe("paused");
    expect(bench.frame.view.position.time_ns).toBeGreaterThanOrEqual(time_ns);
  });

  test("plays single steps, a few per second", () => {
    const bench = opened();
    bench.send({ kind: "play", pace: { kind: "steps", steps_per_s: 1000 } }, 10);
    const { step } = bench.frame.view.position;
    expect(step).toBeGreaterThan(0);
    expect(step).toBeLessThan(100);
  });

  test("never sends a second frame before the page has painted the first", () => {
    const bench = new TestBench();
    const json = presetJson(PRESET);
    bench.send({ kind: "open", json, goal: { kind: "start" } });
    bench.events.length = 0;
    const handle = (how: "into") => bench.send({ kind: "step", how, followed: null }, 0);
    handle("into");
    handle("into");
    // Each send above paints once, so at most one frame a request may have come.
    expect(bench.events.filter(({ kind }) => kind === "frame").length).toBeLessThanOrEqual(2);
  });

  test("answers every question", async () => {
    const bench = opened();
    bench.events.length = 0;
    bench.send({ kind: "ask", id: 7, question: { kind: "hash" } });
    bench.send({ kind: "ask", id: 8, question: { kind: "procfs", file: "buddyinfo" } });
    bench.send({ kind: "ask", id: 10, question: { kind: "import", text: "", options_json: "" } });
    await expect.poll(() => bench.answers.size).toBe(3);
    expect([...bench.answers].map(([id, { kind }]) => [id, kind])).toEqual([
      [7, "hash"],
      [8, "procfs"],
      [10, "import"],
    ]);
  });

  test("prints the files of /proc for the step of the request", async () => {
    const bench = opened();
    const ask = (id: number) =>
      bench.send({ kind: "ask", id, question: { kind: "procfs", file: "vmstat" } });
    const printed = async (id: number) => {
      await expect.poll(() => bench.answers.has(id)).toBe(true);
      const answer = bench.answers.get(id);
      return answer?.kind === "procfs" ? answer.text : "";
    };
    bench.send({ kind: "go", goal: { kind: "step", step: 5000 } });
    ask(1);
    bench.send({ kind: "go", goal: { kind: "start" } });
    ask(2);
    bench.send({ kind: "go", goal: { kind: "step", step: 5000 } });
    ask(3);
    expect(await printed(1)).toMatch(/^nr_free_pages \d+\n/);
    expect(await printed(2)).not.toBe(await printed(1));
    expect(await printed(3)).toBe(await printed(1));
  });

  test("reports a failed reader and uses a new reader for the next text", async () => {
    const bench = opened();
    const { call } = bench;
    bench.call = () => Promise.reject(new Error("unreachable"));
    const question = { kind: "import", text: "", options_json: "{}" } as const;
    bench.send({ kind: "ask", id: 1, question });
    await expect.poll(() => bench.answers.size).toBe(1);
    expect(bench.answers.get(1)).toEqual({ kind: "failed", message: "unreachable" });
    bench.call = call;
    bench.send({ kind: "ask", id: 2, question });
    await expect.poll(() => bench.answers.size).toBe(2);
    expect(bench.answers.get(2)?.kind).toBe("import");
  });
});

test("checkpoints stay within their budget and report their size", () => {
  const bench = new TestBench();
  for (const id of ["anon-hog.teach", "first-touch"]) {
    bench.openPreset(id);
    bench.send({ kind: "go", goal: { kind: "step", step: 1_000_000 } });
    bench.send({ kind: "ask", id: 77, question: { kind: "memory" } });
    const answer = bench.answers.get(77);
    if (answer?.kind !== "memory") throw new Error("no answer");
    expect(answer.checkpoint_bytes).toBeGreaterThan(0);
    // The bench's engine has 64 MiB; a machine too large for two copies has one.
    if (id.endsWith("teach")) expect(answer.checkpoint_bytes).toBeLessThanOrEqual(64 << 20);
  }
});
