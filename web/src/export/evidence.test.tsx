import { expect, test } from "vitest";
import { type Proof, proofHtml, proofJson } from "./evidence";

const PROOF: Proof = {
  title: "Out of </script> memory & <b>time</b>",
  version: "0.4.0",
  build: "mmscope_bg-abc.wasm",
  link: "https://example.org/#/workbench?x=abc",
  experiment: '{"id":"small","title":"</script><script>alert(1)</script>"}',
  evidence: {
    position: { step: 12, time_ns: 3400, ended: true },
    hash: "0123456789abcdef",
    panic: null,
    counters: [
      ["pgfault", 5],
      ["pswpin", 0],
    ],
    report: { rows: [{ metric: "Elapsed time", unit: "s", value: 1.5 }], delays: [] },
  },
  foundations: {
    functions: [
      {
        name: "rmqueue",
        file: "mm/page_alloc.c",
        fidelity: "simplified",
        calls: 3,
        note: "a note",
      },
    ],
    absent: [{ name: "compaction", note: "not here" }],
    costs: [{ name: "touch", ns: 90, about: "Touching a page." }],
  },
};

test("writes the layout that mmscope verify reads", () => {
  expect(JSON.parse(proofJson([PROOF]))).toMatchObject({
    format: "mmscope result",
    version: "0.4.0",
    position: { step: 12, time_ns: 3400, ended: true },
    panic: null,
    hash: "0123456789abcdef",
    counters: { pgfault: 5, pswpin: 0 },
    rows: [{ metric: "Elapsed time", unit: "s", value: 1.5 }],
    rests_on: { costs: [{ name: "touch", ns: 90 }] },
  });
  expect(JSON.parse(proofJson([PROOF, PROOF]))).toHaveLength(2);
});

test("the page contains the same JSON and no script of the experiment", () => {
  const html = proofHtml(PROOF.title, [PROOF]);
  const page = new DOMParser().parseFromString(html, "text/html");
  const scripts = page.querySelectorAll("script");
  expect(scripts).toHaveLength(1);
  expect(JSON.parse(scripts[0]?.textContent ?? "")).toEqual(JSON.parse(proofJson([PROOF])));
  expect(page.querySelector("h1")?.textContent).toBe(PROOF.title);
  expect(page.querySelector("h1 b")).toBeNull();
  expect(page.body.textContent).toContain("rmqueue");
  // Counters that stayed at 0 are in the JSON, not in the table.
  expect([...page.querySelectorAll("th")].map((cell) => cell.textContent)).not.toContain("pswpin");
});
