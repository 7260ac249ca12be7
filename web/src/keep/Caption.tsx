import "./caption.css";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { Icon } from "../ui/icons";
import { CAPTION } from "./words";

/** The note that the author of a link wrote about its moment, shown next to the machine. */
export function Caption() {
  const workbench = useWorkbench();
  const title = useWorkbenchState((state) => state.title);
  const note = useWorkbenchState((state) => state.note);
  if (title === "" && note === "") return null;
  return (
    <section className="caption" aria-label={CAPTION.aboutThisMoment}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long note is scrolled by keyboard */}
      <div className="caption-words" tabIndex={0}>
        {title && <h2>{title}</h2>}
        {note && <p>{note}</p>}
      </div>
      <button
        type="button"
        className="btn icon"
        aria-label={CAPTION.dismiss}
        title={CAPTION.dismissHelp}
        onClick={() => workbench.showCaption(false)}
      >
        <Icon name="cross" />
      </button>
    </section>
  );
}
