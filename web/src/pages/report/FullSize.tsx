// The source of a table's full-size values: committed results, or runs in this browser.

import { Fragment } from "react";
import { useStore } from "zustand";
import { counted } from "../../engine/format";
import { isModelled } from "../../lessons/publications";
import type { ReportController } from "./controller";
import { dayWords } from "./words";

/** The command that makes the committed results of a table again. */
const commandOf = (id: string) => `npm run sim -- fidelity --write --only ${id}`;

/** Says where, when and how the values in the table were computed, and which values are missing. */
export function MadeBy({
  controller,
  isOwn,
}: {
  controller: ReportController;
  /** True if the columns are those of the published table: the command makes no others. */
  isOwn: boolean;
}) {
  const { here, results } = useStore(controller.store, (state) => state.standing);
  const { committed, table } = controller;
  const absent = table.kernels.filter((kernel) => !isModelled(kernel));
  const missing = table.kernels.filter((kernel) => isModelled(kernel) && !results[kernel]);
  const some = table.kernels.filter((kernel) => committed[kernel] && !here.includes(kernel));
  const newest = some
    .map((kernel) => committed[kernel])
    .filter((result) => result !== undefined)
    .toSorted((a, b) => a.made.localeCompare(b.made))
    .at(-1);
  const ofSome =
    some.length === table.kernels.length - absent.length ? "" : ` of ${some.join(", ")}`;
  return (
    <div className="made-by" role="note" aria-label="Where the simulated values come from">
      {newest && (
        <p>
          The full-size results{ofSome} were made on {dayWords(newest.made)} and committed with
          mmscope {newest.version}. <code>npm test</code> fails when the engine no longer reproduces
          them.
          {newest.seeds > 1 &&
            ` Each value is the median of ${counted(newest.seeds, "run")} with different seeds. If the runs differ, the smallest and the largest value are shown below the median.`}
        </p>
      )}
      {here.length > 0 && <p>{ownWords(controller, here)}</p>}
      {absent.length > 0 && <p>mmscope does not model {absent.join(", ")}.</p>}
      {missing.length > 0 && (
        <p>
          {missing.length === table.kernels.length - absent.length
            ? "Full-size results of this table have not been made yet."
            : `Full-size results of ${missing.join(", ")} have not been made yet.`}{" "}
          {isOwn ? "Run them here, or with the command below." : "Run them here."}
        </p>
      )}
      {isOwn && (
        <p>
          To make the results again, run <Command words={commandOf(table.id)} />
        </p>
      )}
    </div>
  );
}

/** A command that wraps only between its words: browsers may break a line after a hyphen. */
const Command = ({ words }: { words: string }) => (
  <code>
    {words.split(" ").map((word, i) => (
      <Fragment key={word}>
        {i > 0 && " "}
        <span className="word">{word}</span>
      </Fragment>
    ))}
  </code>
);

/** Which kernels were run in this browser, and whether the results equal the committed ones. */
function ownWords({ committed, store }: ReportController, here: readonly string[]): string {
  const { results } = store.getState().standing;
  const both = here.filter((kernel) => committed[kernel]);
  const other = both.filter(
    (kernel) => JSON.stringify(results[kernel]?.rows) !== JSON.stringify(committed[kernel]?.rows),
  );
  const names = `Kernels run at full size in this browser: ${here.join(", ")}.`;
  if (both.length === 0) return names;
  if (other.length === 0) return `${names} The values equal the committed ones.`;
  return `${names} ${other.join(", ")} ${other.length === 1 ? "differs" : "differ"} from the committed results: the engine has changed since they were made.`;
}
