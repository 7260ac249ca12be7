import { type ReactNode, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import { saveTable, useTable } from "../timeline/TableDialog";
import { saveBlob, saveText } from "../ui/save";
import { pngOf, pngOfDrawing, svgOf } from "./picture";
import { FIGURES } from "./words";

/** Saves the parts of the page behind the dialog as pictures and numbers. */
export function Figures({ session }: { session: Session }) {
  const { step = 0, time_ns = 0 } = session.frame?.view.position ?? {};
  const { title, kernel } = session.info;
  const moment = FIGURES.moment(title, kernel, step, time_ns);
  const [machine] = useState(() => seen<HTMLElement>("main .machine"));
  const [timeline] = useState(() => seen<SVGSVGElement>("svg.chart"));
  const name = `mmscope-step-${step}`;
  return (
    <>
      {machine && (
        <Row what={FIGURES.machine}>
          {(say) => <Png name={`${name}-machine`} paint={() => pngOf(machine, moment)} say={say} />}
        </Row>
      )}
      <Row what={FIGURES.timeline}>
        {(say) => (
          <>
            {timeline && (
              <>
                <Save
                  kind="SVG"
                  save={async () => {
                    saveText(svgOf(timeline), `${name}-timeline.svg`, "image/svg+xml");
                    say(FIGURES.savedAs(`${name}-timeline.svg`));
                  }}
                />
                <Png name={`${name}-timeline`} paint={() => pngOfDrawing(timeline)} say={say} />
              </>
            )}
            <Numbers session={session} say={say} />
          </>
        )}
      </Row>
    </>
  );
}

/** A part of the page, if it is on screen. */
function seen<T extends Element>(selector: string): T | null {
  const found = document.querySelector<T>(selector);
  return found?.checkVisibility() ? found : null;
}

type Say = (words: string) => void;

/** The save options for a part of the page, and the result of the last save. */
function Row({ what, children }: { what: string; children: (say: Say) => ReactNode }) {
  const [message, setMessage] = useState("");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box
    <div className="keep-row" role="group" aria-label={what}>
      <span>{what}</span>
      <div className="does">
        {children(setMessage)}
        <span role="status" className="cap">
          {message}
        </span>
      </div>
    </div>
  );
}

const Save = ({ kind, save }: { kind: string; save: () => Promise<void> }) => (
  <button type="button" className="btn line" onClick={save}>
    {kind}
  </button>
);

function Png({ name, paint, say }: { name: string; paint: () => Promise<Blob | null>; say: Say }) {
  const save = async () => {
    // Null if a module does not load or the picture is too large for this browser.
    const blob = await paint().catch(() => null);
    if (blob) saveBlob(blob, `${name}.png`);
    say(blob ? FIGURES.savedAs(`${name}.png`) : FIGURES.notDrawn);
  };
  return <Save kind="PNG" save={save} />;
}

/** The timeline's moments, as CSV and as a table on the page. */
function Numbers({ session, say }: { session: Session; say: Say }) {
  const workbench = useWorkbench();
  const table = useTable(session);
  const isMoving = useWorkbenchState(({ longRun }) => longRun !== null);
  return (
    <>
      <button
        type="button"
        className="btn line"
        disabled={!table || isMoving}
        onClick={() => table && say(FIGURES.savedAs(saveTable(table)))}
      >
        {FIGURES.csv}
      </button>
      <button
        type="button"
        className="btn line"
        aria-haspopup="dialog"
        onClick={() => workbench.showDialog("table")}
      >
        {FIGURES.table}
      </button>
    </>
  );
}
