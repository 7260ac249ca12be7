import { memo, useMemo, useRef, useState } from "react";
import { shortPath, shortSentence } from "../engine/shortened";
import type { Refusal } from "../engine/types";
import { fieldsIn, type LineColumn, placeAt, scanJson } from "../link/json-positions";
import { helpAt } from "./field-help";
import { EXPERIMENT_TEXT } from "./words";

/** The maximum number of numbered lines: an experiment written by the page has a tenth of that. */
const MOST_NUMBERS = 5000;
/** The maximum number of errors in the list. */
const MOST_REFUSALS = 50;

interface LineRefusal {
  readonly place: LineColumn | null;
  readonly path: string;
  readonly reason: string;
}

/**
 * The experiment as JSON. Each error names its line and has a link to that line. The explanation of
 * the field at the caret is below.
 */
export function ExperimentText({
  text,
  refusals,
  change,
}: {
  text: string;
  refusals: readonly Refusal[];
  change: (text: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const found = useMemo(() => refusalsIn(text, refusals), [text, refusals]);
  const lines = useMemo(() => text.split("\n"), [text]);
  const faulty = useMemo(() => new Set(found.map(({ place }) => place?.line)), [found]);
  const look = () => setCaret(field.current?.selectionStart ?? null);
  const goTo = ({ line, column }: LineColumn) => {
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = before + column - 1;
    field.current?.focus();
    field.current?.setSelectionRange(at, Math.max(at, before + (lines[line - 1]?.length ?? 0)));
    setCaret(at);
  };
  return (
    <div className="json-edit">
      <div className="json-field">
        <Numbers lines={lines.length} faulty={faulty} />
        <textarea
          ref={field}
          className="field"
          aria-label={EXPERIMENT_TEXT.experimentAsJson}
          aria-invalid={found.length > 0}
          aria-describedby="json-faults json-help"
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          rows={Math.max(8, lines.length)}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onSelect={look}
          onKeyUp={look}
          onClick={look}
        />
      </div>
      <Help text={text} caret={caret} />
      <Faults found={found} goTo={goTo} />
    </div>
  );
}

/** The line numbers; the numbers of lines with errors are highlighted. */
const Numbers = memo(function Numbers({
  lines,
  faulty,
}: {
  lines: number;
  faulty: ReadonlySet<number | undefined>;
}) {
  return (
    <ol aria-hidden="true">
      {Array.from({ length: Math.min(lines, MOST_NUMBERS) }, (_, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its number
          key={i}
          className={faulty.has(i + 1) ? "at-fault" : undefined}
        >
          {i + 1}
        </li>
      ))}
      {lines > MOST_NUMBERS && <li>…</li>}
    </ol>
  );
});

/** The errors, each with a link to its line. */
function Faults({
  found,
  goTo,
}: {
  found: readonly LineRefusal[];
  goTo: (place: LineColumn) => void;
}) {
  const more = found.length - MOST_REFUSALS;
  return (
    <ul id="json-faults" className="faults" role="status">
      {found.slice(0, MOST_REFUSALS).map(({ place, path, reason }) => (
        <li key={`${path} ${reason}`}>
          {place && (
            <button type="button" className="btn tiny" onClick={() => goTo(place)}>
              {EXPERIMENT_TEXT.line(place.line)}
            </button>
          )}{" "}
          {path && <code>{shortPath(path)}</code>} {shortSentence(reason)}
        </li>
      ))}
      {more > 0 && <li>{EXPERIMENT_TEXT.andMore(more)}</li>}
    </ul>
  );
}

/**
 * An explanation of the field at the caret. It is the text area's accessible description, so a
 * screen reader reads it on request and does not interrupt.
 */
function Help({ text, caret }: { text: string; caret: number | null }) {
  const help = caret === null ? null : helpAt(text, Math.min(caret, text.length));
  return (
    <p id="json-help" className="json-help">
      {help ? (
        <>
          <code>{help.path}</code> {help.about} {sentence(help.kind)}
        </>
      ) : (
        EXPERIMENT_TEXT.fieldHelp
      )}
    </p>
  );
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function refusalsIn(text: string, refusals: readonly Refusal[]): LineRefusal[] {
  const scanned = scanJson(text);
  if (!scanned.ok) return [{ place: placeAt(text, scanned.at), path: "", reason: scanned.reason }];
  const placeOf = fieldsIn(text);
  return refusals.map(({ path, reason }) => ({ place: placeOf(path), path, reason }));
}
