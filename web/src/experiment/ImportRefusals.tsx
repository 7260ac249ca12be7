import type { Refusal } from "../engine/types";
import { IMPORT_REFUSALS } from "./words";

/**
 * Explains why a text is not a zoneinfo, line by line; the button of a line selects the line in the
 * text.
 */
export function ImportRefusals({
  text,
  refused,
  show,
}: {
  text: string;
  refused: readonly Refusal[];
  /** Selects a line of the text, from 1. */
  show: (line: number) => void;
}) {
  const lines = text.split("\n");
  const isText = refused.some(({ path }) => path.startsWith("line "));
  const isOfMany = refused.some(({ path }) => path === "listing");
  return (
    <>
      <h3>
        {isText
          ? IMPORT_REFUSALS.notZoneinfo
          : isOfMany
            ? IMPORT_REFUSALS.severalListings
            : IMPORT_REFUSALS.badSettings}
      </h3>
      <ul className="faults">
        {refused.map(({ path, reason }) => {
          const number = Number(/^line (\d+)$/.exec(path)?.[1] ?? 0);
          const line = lines[number - 1];
          return (
            <li key={`${path} ${reason}`}>
              {line === undefined ? (
                <code>{path}</code>
              ) : (
                <button
                  type="button"
                  className="name"
                  aria-label={IMPORT_REFUSALS.show(path)}
                  onClick={() => show(number)}
                >
                  {path}
                </button>
              )}{" "}
              {reason}
              {line?.trim() && <code className="quoted">{line.trim().slice(0, 120)}</code>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
