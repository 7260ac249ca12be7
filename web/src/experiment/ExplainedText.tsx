// Explains a pasted text of a real machine in sentences.

import type { ExplainedDocument, Finding } from "../engine/explanation";
import { EXPLAINED_TEXT } from "./words";

/** The icon and the name of each severity, because colour alone is not enough. */
const SEVERITIES = {
  cause: { sign: "\u25cf", name: EXPLAINED_TEXT.cause },
  warning: { sign: "\u25b2", name: EXPLAINED_TEXT.contributes },
  note: { sign: "\u25cb", name: EXPLAINED_TEXT.note },
} as const;

/** Each report or listing as a list of sentences that can be collapsed; the first one is open. */
export function ExplainedText({
  documents,
  show,
}: {
  documents: readonly ExplainedDocument[];
  /** Selects a line of the text, from 1. */
  show: (line: number) => void;
}) {
  return documents.map(({ kind, line, title, findings }, index) => (
    <details key={line} className="explained-text" open={index === 0 && kind !== "zoneinfo"}>
      <summary>{EXPLAINED_TEXT.line(line, title)}</summary>
      <ul>
        {findings.map((finding) => (
          <FindingItem key={finding.text} finding={finding} show={show} />
        ))}
      </ul>
    </details>
  ));
}

function FindingItem({ finding, show }: { finding: Finding; show: (line: number) => void }) {
  const { severity, text, line } = finding;
  const { sign, name } = SEVERITIES[severity];
  return (
    <li className={`explained-${severity}`}>
      <span className="explained-sign" aria-hidden="true">
        {sign}
      </span>
      <span>
        <span className="sr">{`${name}: `}</span>
        {text}{" "}
        {line !== null && (
          <button type="button" className="name" onClick={() => show(line)}>
            {EXPLAINED_TEXT.lineButton(line)}
          </button>
        )}
      </span>
    </li>
  );
}
