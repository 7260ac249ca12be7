import { useRef, useState } from "react";
import { useWorkbench } from "../app/context";
import { count } from "../engine/format";
import { LastAsked } from "../engine/last-asked";
import { actsWhen } from "../ui/acts";
import { Dialog } from "../ui/dialog";
import { ImportOptionFields } from "./ImportOptionFields";
import { ImportRefusals } from "./ImportRefusals";
import { NO_OPTIONS, readOptions } from "./import-options";
import {
  experimentOn,
  type ImportAnswer,
  type ImportReport,
  type Marks,
  readImport,
  type ZoneCheck,
} from "./import-report";
import { keepPasted, pasted } from "./unfinished";

/** Longest text that is read: zoneinfo of the largest machines, many times over. */
const MOST_CHARACTERS = 2_097_152;

/** Reads a person's own /proc/zoneinfo and opens the machine it describes. */
export function ImportDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const [text, setText] = useState(pasted);
  const [isKept, setKept] = useState(true);
  const isTooLong = text.length > MOST_CHARACTERS;
  const [answer, setAnswer] = useState<ImportAnswer | null>(null);
  const [doing, setDoing] = useState<"nothing" | "reading" | { failed: string }>("nothing");
  const [options, setOptions] = useState(NO_OPTIONS);
  const area = useRef<HTMLTextAreaElement>(null);
  const { json: options_json, faults = {} } = readOptions(options);
  // The part of the engine that reads dumps is downloaded with the first one.
  const [asked] = useState(() => new LastAsked());
  const read = () =>
    asked.ask(async (heard, signal) => {
      if (options_json === undefined) return;
      setDoing("reading");
      try {
        const { json } = await heard(workbench.ask({ kind: "import", text, options_json }));
        setAnswer(readImport(json));
        setDoing("nothing");
      } catch (error) {
        if (signal.aborted) return;
        setDoing({ failed: error instanceof Error ? error.message : String(error) });
      }
    });
  /** What was read, or is being read, is no longer what stands there. */
  const forget = () => {
    asked.stop();
    setAnswer(null);
    setDoing("nothing");
  };
  const open = (report: ImportReport) => {
    workbench.open(experimentOn(report));
    keepPasted("");
    close();
  };
  return (
    <Dialog title="Your machine" close={close} wide>
      <p>
        Paste the output of <code>cat /proc/zoneinfo</code>. It stays in this page; nothing is sent
        anywhere.
      </p>
      <textarea
        ref={area}
        className="field"
        aria-label="Contents of /proc/zoneinfo"
        spellCheck={false}
        value={text}
        placeholder={"Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 0\n…"}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          setKept(value.length > MOST_CHARACTERS || keepPasted(value) === "kept");
          forget();
        }}
      />
      <ImportOptionFields
        options={options}
        faults={faults}
        change={(changed) => {
          setOptions(changed);
          forget();
        }}
      />
      <div className="actions">
        <button
          type="button"
          className={answer?.ok ? "btn line" : "btn solid"}
          {...actsWhen(
            text.trim() !== "" && !isTooLong && doing !== "reading" && options_json !== undefined,
            () => void read(),
          )}
        >
          Read it
        </button>
      </div>
      <div role="status" className="answer">
        {isTooLong && (
          <p>
            The text has {count(text.length)} characters; the limit is {count(MOST_CHARACTERS)}.
            Paste the output of <code>/proc/zoneinfo</code> alone.
          </p>
        )}
        {!isKept && <p>The browser does not keep this text: it ends with this dialog.</p>}
        {doing === "reading" && <p>Reading …</p>}
        {typeof doing === "object" && (
          <p>
            What reads these files could not be loaded: {doing.failed}. Press “Read it” to try
            again.
          </p>
        )}
        {answer?.refused && (
          <ImportRefusals
            text={text}
            refused={answer.refused}
            show={(from, to) => {
              area.current?.focus();
              area.current?.setSelectionRange(from, to);
            }}
          />
        )}
        {answer?.ok && <Report report={answer.ok} open={open} />}
      </div>
    </Dialog>
  );
}

function Report({ report, open }: { report: ImportReport; open: (report: ImportReport) => void }) {
  const zones = report.check.filter(isPopulated);
  const differing = zones.filter(({ differences }) => differences.length > 0).length;
  return (
    <>
      <h3>
        {differing === 0
          ? "Every mark computed for this machine equals the pasted one"
          : `${count(differing)} of ${count(zones.length)} zones differ from the pasted marks`}
      </h3>
      <table className="checks">
        <caption className="sr">Marks pasted and computed, in pages</caption>
        <thead>
          <tr>
            <th scope="col">zone</th>
            <th scope="col">min, low, high pasted</th>
            <th scope="col">computed</th>
            <th scope="col">verdict</th>
          </tr>
        </thead>
        <tbody>
          {zones.map((zone) => (
            <CheckRow key={`${zone.node}/${zone.zone}`} zone={zone} />
          ))}
        </tbody>
      </table>
      {report.not_simulated.map(({ node, zone, present, reason }) => (
        <p key={`${node}/${zone}`}>
          {node}/{zone}, {count(present)} pages, is left out: {reason}
        </p>
      ))}
      <details className="options">
        <summary>What was inferred</summary>
        <table className="checks">
          <tbody>
            {report.inferred.map(({ what, value, from }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{value}</td>
                <td>{from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <button type="button" className="btn solid" onClick={() => open(report)}>
        Open this machine
      </button>
    </>
  );
}

const marksWords = ({ min, low, high }: Marks) => [min, low, high].map(count).join(", ");

/** Zones without memory have no marks, and nothing to check. */
const isPopulated = ({ dump, differences }: ZoneCheck) => dump.high > 0 || differences.length > 0;

/** What differs, told once for each reason: "min, low, high: managed was smaller when ...". */
function differencesWords({ differences }: ZoneCheck): string {
  const reasons = new Map<string, string[]>();
  for (const { what, reason } of differences) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), what]);
  }
  return [...reasons].map(([reason, what]) => `${what.join(", ")}: ${reason}`).join("; ");
}

function CheckRow({ zone }: { zone: ZoneCheck }) {
  const isEqual = zone.differences.length === 0;
  return (
    <tr className={isEqual ? "" : "off"}>
      <th scope="row">
        {zone.node}/{zone.zone}
      </th>
      <td>{marksWords(zone.dump)}</td>
      <td>{marksWords(zone.computed)}</td>
      <td>{isEqual ? "equal, reserves too" : differencesWords(zone)}</td>
    </tr>
  );
}
