import { useEffect, useState } from "react";
import { addressOf } from "../link/router";
import { saveBlob, saveText } from "../log/save";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { positionWords } from "../workbench/goals";
import { pngOf, svgText } from "./figure";

/** The link to this moment. */
export function ShareDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const [packed, setPacked] = useState<string | null>(null);
  useEffect(() => {
    let isOpen = true;
    workbench.pause();
    // A running machine stops first; the link is of the moment it then stands at.
    const poll = async () => {
      const link = await workbench.save();
      if (!isOpen) return;
      if (link) setPacked(link);
      else setTimeout(poll, 50);
    };
    void poll();
    return () => {
      isOpen = false;
    };
  }, [workbench]);
  const address = packed ? addressOf({ page: "workbench", x: packed }) : "";
  return (
    <Dialog title="Share this moment" close={close}>
      <p>
        Whoever opens this link sees the same experiment
        {frame && <> at {positionWords(frame)}</>}. It carries everything itself: nothing is stored
        on a server.
      </p>
      <input
        id="share-link"
        className="field"
        readOnly
        aria-label="Link"
        value={address}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={address} source="share-link" label="Copy the link" />
      <Figures name={`mmscope-step-${frame?.view.position.step ?? 0}-timeline`} />
    </Dialog>
  );
}

/** The timeline behind the dialog as a picture, where there is one. */
function Figures({ name }: { name: string }) {
  const chart = () => document.querySelector<SVGSVGElement>("svg.chart");
  const [isThere] = useState(() => chart() !== null);
  const [said, setSaid] = useState("");
  if (!isThere) return null;
  const save = async (kind: "svg" | "png") => {
    const drawing = chart();
    if (!drawing) return;
    const ground = getComputedStyle(drawing).getPropertyValue("--panel");
    if (kind === "svg") saveText(svgText(drawing, ground), `${name}.svg`, "image/svg+xml");
    const blob = kind === "png" ? await pngOf(drawing, ground) : null;
    if (blob) saveBlob(blob, `${name}.png`);
    setSaid(kind === "svg" || blob ? `Saved as ${name}.${kind}.` : "It could not be painted.");
  };
  return (
    <div className="copy">
      <span>The timeline as a picture</span>
      <button type="button" className="btn line" onClick={() => save("svg")}>
        SVG
      </button>
      <button type="button" className="btn line" onClick={() => save("png")}>
        PNG
      </button>
      <span role="status" className="cap">
        {said}
      </span>
    </div>
  );
}
