import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import type { TextRefusal } from "../../engine/capture/answers";
import { percent } from "../../engine/format";
import { shortSentence } from "../../engine/shortened";
import { machines } from "./opened";
import { CHOOSE, PAGE } from "./words";

/** Buttons that open a folder or files. */
export function OpenButtons({ isFirst = false }: { isFirst?: boolean }) {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  useEffect(() => folder.current?.setAttribute("webkitdirectory", ""), []);
  const take = (input: HTMLInputElement) => {
    void machines.open([...(input.files ?? [])]);
    // Lets the user choose the same files again.
    input.value = "";
  };
  return (
    <>
      <button
        type="button"
        className={isFirst ? "btn solid" : "btn line"}
        onClick={() => files.current?.click()}
      >
        {PAGE.files}
      </button>
      <button type="button" className="btn line" onClick={() => folder.current?.click()}>
        {PAGE.folder}
      </button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={CHOOSE.filesOfMachine}
        onChange={({ currentTarget }) => take(currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={CHOOSE.folderOfCapture}
        onChange={({ currentTarget }) => take(currentTarget)}
      />
    </>
  );
}

/** Progress of reading, and a button that stops it. */
export function Reading() {
  const reading = useStore(machines.store, (state) => state.reading);
  const share = reading?.progress ? reading.progress.read / Math.max(1, reading.progress.total) : 0;
  return (
    <div className="trace-reading" role="status">
      {reading && (
        <>
          <span>{PAGE.reading(reading.names)}</span>
          <div
            className="trace-bed"
            role="progressbar"
            aria-label={PAGE.reading(reading.names)}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.floor(share * 100)}
          >
            <i style={{ inlineSize: `${share * 100}%` }} />
          </div>
          <b>{percent(share)}</b>
          <button type="button" className="btn line" onClick={() => machines.cancel()}>
            {PAGE.cancel}
          </button>
        </>
      )}
    </div>
  );
}

/** The reason why the last files were not opened. */
export function Refused() {
  const refused = useStore(machines.store, (state) => state.refused);
  const opened = useStore(machines.store, (state) => state.opened);
  if (!refused) return null;
  return (
    <section className="trace-refused" role="alert" aria-labelledby="trace-refused">
      <h2 id="trace-refused">{PAGE.notOpened(refused.names)}</h2>
      <Refusals refusals={refused.refusals} />
      {opened && <p>{PAGE.stays(opened.machine.name)}</p>}
    </section>
  );
}

/** The maximum number of errors that are listed. */
const MOST_LISTED = 100;

/** Errors, each with its file and line. */
export function Refusals({ refusals }: { refusals: readonly TextRefusal[] }) {
  const listed = refusals.slice(0, MOST_LISTED);
  return (
    <ul className="trace-refusals">
      {listed.map(({ file, line, reason }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <li key={i}>
          {file !== "" && (
            <code>
              {file}
              {line !== null && `:${line}`}
            </code>
          )}{" "}
          {shortSentence(reason)}
        </li>
      ))}
      {refusals.length > MOST_LISTED && <li>{CHOOSE.firstAreListed(MOST_LISTED)}</li>}
    </ul>
  );
}
