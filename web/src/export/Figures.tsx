import { type ReactNode, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import { clock, count } from "../engine/format";
import { saveTable, useTable } from "../timeline/TableDialog";
import { saveBlob, saveText } from "../ui/save";
import { captioned, pictureOf } from "./picture";
import { pngOf, svgOf } from "./picture-files";

/** What is seen behind the dialog, as pictures and numbers. */
export function Figures({ session }: { session: Session }) {
  const { step = 0, time_ns = 0 } = session.frame?.view.position ?? {};
  const { title, kernel } = session.info;
  const moment = `${title}, kernel ${kernel}, step #${count(step)}, ${clock(time_ns)} s (mmscope)`;
  return (
    <>
      <Figure
        what="The machine"
        of="main .machine"
        name={`mmscope-step-${step}-machine`}
        caption={moment}
      />
      <Figure what="The timeline" of="svg.chart" name={`mmscope-step-${step}-timeline`}>
        {(say) => <Numbers session={session} say={say} />}
      </Figure>
    </>
  );
}

/** A part of the page as a picture, where it is on screen. */
function Figure({
  what,
  of,
  name,
  caption = null,
  children,
}: {
  what: string;
  /** Finds it on the page. */
  of: string;
  name: string;
  /** Stands below it, where it does not say itself what it is of. */
  caption?: string | null;
  /** More to save of it. */
  children?: (say: (words: string) => void) => ReactNode;
}) {
  const part = () => {
    const found = document.querySelector<HTMLElement | SVGSVGElement>(of);
    return found?.checkVisibility() ? found : null;
  };
  const [isThere] = useState(() => part() !== null);
  const [said, setSaid] = useState("");
  const save = async (kind: "svg" | "png") => {
    const found = part();
    if (!found) return;
    const bare = pictureOf(found);
    const picture = caption === null ? bare : captioned(bare, caption, found);
    if (kind === "svg") saveText(svgOf(picture), `${name}.svg`, "image/svg+xml");
    const blob = kind === "png" ? await pngOf(picture) : null;
    if (blob) saveBlob(blob, `${name}.png`);
    setSaid(kind === "svg" || blob ? `Saved as ${name}.${kind}.` : "It could not be painted.");
  };
  if (!isThere && !children) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box
    <div className="keep-row" role="group" aria-label={what}>
      <span>{what}</span>
      <div className="does">
        {isThere && (
          <>
            <button type="button" className="btn line" onClick={() => save("svg")}>
              SVG
            </button>
            <button type="button" className="btn line" onClick={() => save("png")}>
              PNG
            </button>
          </>
        )}
        {children?.(setSaid)}
        <span role="status" className="cap">
          {said}
        </span>
      </div>
    </div>
  );
}

/** The timeline's moments for a table program, and as a table here. */
function Numbers({ session, say }: { session: Session; say: (words: string) => void }) {
  const workbench = useWorkbench();
  const table = useTable(session);
  const isMoving = useWorkbenchState(({ way }) => way !== null);
  return (
    <>
      <button
        type="button"
        className="btn line"
        disabled={!table || isMoving}
        onClick={() => table && say(`Saved as ${saveTable(table)}.`)}
      >
        CSV
      </button>
      <button
        type="button"
        className="btn line"
        aria-haspopup="dialog"
        onClick={() => workbench.showDialog("table")}
      >
        Table
      </button>
    </>
  );
}
