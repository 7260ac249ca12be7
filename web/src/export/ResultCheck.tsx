import { useState } from "react";
import { useStore } from "zustand";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Check, Difference } from "../app/reproduction";
import { count } from "../engine/format";
import type { LinkResult } from "../link/schema";
import { Icon } from "../ui/icons";
import { CHECK } from "./result-words";
import "./result.css";

/**
 * Shows whether a repeated run gives the result of the open link; shows nothing if the link carries
 * no result.
 */
export function ResultCheck() {
  const workbench = useWorkbench();
  const result = useWorkbenchState((state) => state.result);
  const check = useStore(workbench.reproduction.store);
  const [dismissed, setDismissed] = useState<LinkResult | null>(null);
  if (!result || check.kind === "unchecked") return null;
  if (dismissed === result && check.kind !== "running") return null;
  return (
    <section className="result-check" aria-label={CHECK.label} data-kind={kindOf(check)}>
      <div className="result-check-words" role="status">
        <Words result={result} check={check} />
      </div>
      <Acts check={check} dismiss={() => setDismissed(result)} />
    </section>
  );
}

/** A comparison in progress. */
type ShownCheck = Exclude<Check, { kind: "unchecked" }>;

const kindOf = (check: Check): string =>
  check.kind === "checked"
    ? check.differences.length === 0
      ? "reproduced"
      : "differs"
    : check.kind;

function Words({ result, check }: { result: LinkResult; check: ShownCheck }) {
  switch (check.kind) {
    case "running":
      return (
        <p>
          {CHECK.running}: <span className="cap">{CHECK.runningAt(check.position)}</span>
        </p>
      );
    case "cancelled":
      return <p>{CHECK.cancelled}</p>;
    case "failed":
      return <p>{CHECK.failed(check.message)}</p>;
    case "checked":
      return <Verdict result={result} check={check} />;
  }
}

function Verdict({
  result,
  check: { differences, engine, build },
}: {
  result: LinkResult;
  check: Extract<Check, { kind: "checked" }>;
}) {
  const isSame = differences.length === 0;
  return (
    <>
      <p>
        <b>{isSame ? CHECK.reproduced : CHECK.differs}</b>{" "}
        {isSame
          ? CHECK.reproducedWords(result.ended, result.figures.length)
          : CHECK.differsWords(differences.length)}{" "}
        {engineWords(result, engine, build)}
      </p>
      {!isSame && <Differences differences={differences} />}
    </>
  );
}

function engineWords(result: LinkResult, engine: string, build: string): string {
  if (result.engine !== engine) return CHECK.otherEngine(result.engine, engine);
  return result.build === build ? CHECK.sameEngine : CHECK.sameVersion(engine);
}

function Differences({ differences }: { differences: readonly Difference[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled by keyboard
    <div className="result-check-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{CHECK.value}</th>
            <th scope="col">{CHECK.inLink}</th>
            <th scope="col">{CHECK.here}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ name, kind, theirs, ours }) => (
            <tr key={`${kind} ${name}`}>
              <th scope="row">{kind === "field" ? fieldWords(name) : name}</th>
              <td>{valueWords(theirs)}</td>
              <td>{ours === null ? CHECK.none : valueWords(ours)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const fieldWords = (name: string): string =>
  name in CHECK.fields ? CHECK.fields[name as keyof typeof CHECK.fields] : name;

const valueWords = (value: string | number): string =>
  typeof value === "string" ? value : Number.isInteger(value) ? count(value) : String(value);

function Acts({ check, dismiss }: { check: ShownCheck; dismiss: () => void }) {
  const workbench = useWorkbench();
  if (check.kind === "running") {
    return (
      <button
        type="button"
        className="btn line tiny"
        onClick={() => workbench.reproduction.cancel()}
      >
        {CHECK.cancel}
      </button>
    );
  }
  return (
    <>
      {check.kind !== "checked" && (
        <button type="button" className="btn line tiny" onClick={() => workbench.checkResult()}>
          {CHECK.again}
        </button>
      )}
      <button
        type="button"
        className="btn icon"
        aria-label={CHECK.dismiss}
        title={CHECK.dismiss}
        onClick={dismiss}
      >
        <Icon name="cross" />
      </button>
    </>
  );
}
