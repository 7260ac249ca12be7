import { useWorkbenchState } from "../../app/context";
import { count } from "../../engine/format";
import type { ShrinkSize } from "../../engine/shrink";
import { bareLink, writeLink } from "../../link/link";
import { urlOf } from "../../link/router";
import { CopyButton } from "../../ui/copy";
import type { Found } from "./search";
import { SHRINK, SIZE_WORDS } from "./words";

const SIZES = Object.keys(SIZE_WORDS) as (keyof ShrinkSize)[];

const sizeWords = (value: number | string) => (typeof value === "number" ? count(value) : value);

/** The progress of a search, and the smallest experiment so far. */
export function ShrinkResult({
  found: { first, last },
  isRunning,
  isOfOpen,
  open,
}: {
  found: Found;
  isRunning: boolean;
  /** Did the search start from the open experiment? */
  isOfOpen: boolean;
  open: (json: string) => void;
}) {
  const { runs, neighbours, done, size, best } = last;
  const [all, tried] = neighbours;
  return (
    <section className="shrink-result" aria-label={SHRINK.smallest}>
      {isRunning ? (
        <>
          <progress max={Math.max(1, all)} value={tried} aria-label={SHRINK.title} />
          {/* Read by a screen reader on demand: it changes many times a second. */}
          <p>{SHRINK.progress(runs, tried, all)}</p>
          <p>{SHRINK.goesOn}</p>
        </>
      ) : (
        <p role="status">{done ? SHRINK.done(runs) : SHRINK.stopped(runs)}</p>
      )}
      {!isRunning && <p>{isOfOpen ? SHRINK.from : SHRINK.other}</p>}
      {size && (
        <table className="shrink-sizes">
          <thead>
            <tr>
              <th scope="col">{SHRINK.size}</th>
              <th scope="col">{SHRINK.first}</th>
              <th scope="col">{done ? SHRINK.smallest : SHRINK.best}</th>
            </tr>
          </thead>
          <tbody>
            {SIZES.map((part) => (
              <tr key={part} className={first[part] === size[part] ? "same" : undefined}>
                <th scope="row">{SIZE_WORDS[part]}</th>
                <td>{sizeWords(first[part])}</td>
                <td>{sizeWords(size[part])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {best && (
        <>
          <ul className="shrink-figures">
            {best.figures.map(({ counter, value, kernel }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a figure stands at the place of its comparison
              <li key={i}>{SHRINK.figure(counter, value, kernel)}</li>
            ))}
          </ul>
          {!isRunning && <Actions experiment={best.experiment} open={open} />}
        </>
      )}
    </section>
  );
}

function Actions({ experiment, open }: { experiment: string; open: (json: string) => void }) {
  const presets = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.presets : null,
  );
  if (!presets) return null;
  const url = urlOf({ page: "workbench", x: writeLink(bareLink(experiment), presets) });
  return (
    <div className="shrink-actions">
      <button type="button" className="btn solid" onClick={() => open(experiment)}>
        {SHRINK.open}
      </button>
      <input id="shrink-link" className="field" readOnly value={url} aria-label={SHRINK.link} />
      <CopyButton text={url} source="#shrink-link" label={SHRINK.copy} />
    </div>
  );
}
