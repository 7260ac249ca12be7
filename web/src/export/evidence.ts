// The result of a run as a file that others can check: JSON in the layout of `run --report json`, or
// a page that contains the same JSON. `mmscope verify FILE` repeats the run and compares.

import { count } from "../engine/format";
import type { Evidence } from "../engine/protocol";
import type { Foundations } from "../engine/rests-on";
import { EVIDENCE_PAGE as WORDS } from "./result-words";

/** The first field of the file. */
const FORMAT = "mmscope result";
/** The element of the HTML page that contains the results as JSON. */
const DATA_ID = "mmscope-result";

/** One result of a run, and everything needed to repeat it. */
export interface Proof {
  readonly title: string;
  /** Version and build of the engine. */
  readonly version: string;
  readonly build: string;
  /** The address that opens the moment; null if it would be too long. */
  readonly link: string | null;
  /** The experiment as JSON text. */
  readonly experiment: string;
  readonly evidence: Omit<Evidence, "restsOn">;
  /** Absent for a result for which this was not recorded. */
  readonly foundations?: Foundations | undefined;
}

type Document = Readonly<Record<string, unknown>>;

/** A result in the layout that `mmscope verify` reads. */
function proofDocument(proof: Proof): Document {
  const { title, version, build, link, experiment, evidence, foundations } = proof;
  const { position, panic, hash, counters, report } = evidence;
  return {
    format: FORMAT,
    title,
    version,
    build,
    ...(link !== null && { link }),
    experiment: JSON.parse(experiment),
    position,
    panic,
    hash,
    counters: Object.fromEntries(counters),
    rows: report.rows,
    ...(foundations && { rests_on: foundations }),
  };
}

/** Results as JSON: one as an object, several as a list. */
export function proofJson(proofs: readonly Proof[]): string {
  const documents = proofs.map(proofDocument);
  return `${JSON.stringify(documents.length === 1 ? documents[0] : documents, null, 2)}\n`;
}

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** The results as a page without scripts; the JSON is inside it. */
export function proofHtml(title: string, proofs: readonly Proof[]): string {
  // In JSON, `<` occurs only inside texts, where \u003c means the same.
  const data = proofJson(proofs).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(WORDS.verify)}</p>
${proofs.map(section).join("\n")}
<script type="application/json" id="${DATA_ID}">
${data}</script>
</body>
</html>
`;
}

function section(proof: Proof): string {
  const { position, hash, counters, report, panic } = proof.evidence;
  const facts: readonly (readonly [string, string])[] = [
    [WORDS.engine, `${proof.version} (${proof.build})`],
    [position.ended ? WORDS.end : WORDS.moment, WORDS.position(position)],
    [WORDS.hash, hash],
    ...(panic === null ? [] : [[WORDS.panic, panic] as const]),
  ];
  const moved = counters.filter(([, value]) => value !== 0);
  return `<section>
<h2>${escaped(proof.title)}</h2>
${table(facts)}
${proof.link === null ? "" : `<p><a href="${escaped(proof.link)}">${WORDS.open}</a></p>`}
${report.rows.length > 0 ? `<h3>${WORDS.rows}</h3>\n${table(report.rows.map(({ metric, unit, value }) => [metric, value === null ? "-" : `${value} ${unit}`]))}` : ""}
<h3>${WORDS.counters}</h3>
${table(moved.map(([name, value]) => [name, count(value)]))}
${proof.foundations ? foundations(proof.foundations) : ""}
<details><summary>${WORDS.experiment}</summary><pre>${escaped(JSON.stringify(JSON.parse(proof.experiment), null, 2))}</pre></details>
</section>`;
}

function foundations({ functions, absent, costs }: Foundations): string {
  const called = functions.map(
    ({ name, fidelity, calls, note }) => [name, WORDS.called(fidelity, calls, note)] as const,
  );
  return `<details><summary>${WORDS.restsOn}</summary>
<h3>${WORDS.functions}</h3>
${table(called)}
<h3>${WORDS.absent}</h3>
${table(absent.map(({ name, note }) => [name, note]))}
<h3>${WORDS.costs}</h3>
${table(costs.map(({ name, ns, about }) => [name, WORDS.cost(ns, about)]))}
</details>`;
}

const table = (rows: readonly (readonly [string, string])[]): string =>
  `<table>\n${rows
    .map(
      ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
    )
    .join("\n")}\n</table>`;

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
table{border-collapse:collapse;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;font-weight:400;padding:.2rem 1.5rem .2rem 0;border-bottom:1px solid #8886}
td{font-variant-numeric:tabular-nums}
pre{overflow:auto}
summary{padding:.4rem 0;cursor:pointer}`;
