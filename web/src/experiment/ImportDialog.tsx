import { useRef, useState } from "react";
import { useWorkbench } from "../app/context";
import { isTraceText } from "../engine/capture/names";
import { type ExplainedDocument, readExplanation } from "../engine/explanation";
import { LastAsked } from "../engine/last-asked";
import { writeFragment } from "../link/router";
import { actsWhen } from "../ui/acts";
import { Dialog } from "../ui/dialog";
import { RichText } from "../ui/rich-text";
import { ExplainedText } from "./ExplainedText";
import { ImportedMachine, type Opening } from "./ImportedMachine";
import { ImportOptionFields } from "./ImportOptionFields";
import { ImportRefusals } from "./ImportRefusals";
import { experimentOn } from "./import-machine";
import { NO_OPTIONS, readOptions } from "./import-options";
import { type ImportAnswer, type ImportReport, readImport } from "./import-report";
import { keepPasted, pasted } from "./unfinished";
import { IMPORT_DIALOG } from "./words";

/** The maximum length of a text: many times the length of the zoneinfo of the largest machines. */
const MOST_CHARACTERS = 2_097_152;

/** Reads the user's /proc/zoneinfo and opens the machine that it describes. */
export function ImportDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const [text, setText] = useState(pasted);
  const [isStored, setStored] = useState(true);
  const isTooLong = text.length > MOST_CHARACTERS;
  const [opening, setOpening] = useState<Opening>("not");
  const [options, setOptions] = useState(NO_OPTIONS);
  const area = useRef<HTMLTextAreaElement>(null);
  const { json: options_json, faults = {} } = readOptions(options);
  const { answer, documents, doing, read, forget: forgetAnswer } = useReading(text, options_json);
  const isTrace = isTraceText(text);
  const hasReport = documents.some(({ kind }) => kind !== "zoneinfo");
  const showLine = (line: number) => {
    const { from, to } = placeOfLine(text, line);
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  /** Drops the earlier answer, because the text has changed. */
  const forget = () => {
    forgetAnswer();
    setOpening("not");
  };
  /** The saved text is deleted only after its machine is open. */
  const open = async (report: ImportReport) => {
    setOpening("busy");
    const refusals = await workbench.openOrRefuse(experimentOn(report));
    if (refusals.length > 0) return setOpening(refusals);
    keepPasted("");
    close();
  };
  return (
    <Dialog title={IMPORT_DIALOG.yourMachine} close={close} wide>
      <p>
        <RichText
          text={IMPORT_DIALOG.about}
          parts={{ code: (text) => <code>{text}</code>, openCapture: <OpenCapture /> }}
        />
      </p>
      <textarea
        ref={area}
        className="field"
        aria-label={IMPORT_DIALOG.contentsOfProcZoneinfo}
        spellCheck={false}
        value={text}
        placeholder={IMPORT_DIALOG.example}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          setStored(value.length > MOST_CHARACTERS || keepPasted(value) === "kept");
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
          {IMPORT_DIALOG.readIt}
        </button>
      </div>
      <div role="status" className="answer">
        {isTooLong && (
          <p>
            <RichText
              text={IMPORT_DIALOG.tooLong(text.length, MOST_CHARACTERS)}
              parts={{ code: (text) => <code>{text}</code> }}
            />
          </p>
        )}
        {!isStored && <p>{IMPORT_DIALOG.notKept}</p>}
        {doing === "reading" && <p>{IMPORT_DIALOG.reading}</p>}
        {typeof doing === "object" && <p>{IMPORT_DIALOG.noReader(doing.failed)}</p>}
        {hasReport && <ExplainedText documents={documents} show={showLine} />}
        {answer?.refused && (hasReport || isTrace) && <NoMachine isTrace={!hasReport} />}
        {answer?.refused && !hasReport && !isTrace && (
          <ImportRefusals text={text} refused={answer.refused} show={showLine} />
        )}
        {answer?.ok && (
          <ImportedMachine
            report={answer.ok}
            opening={opening}
            open={(report) => void open(report)}
          />
        )}
        {answer?.ok && !hasReport && <ExplainedText documents={documents} show={showLine} />}
      </div>
    </Dialog>
  );
}

/** Says what to do with a text that does not describe a machine, such as a trace or a report. */
function NoMachine({ isTrace }: { isTrace: boolean }) {
  return isTrace ? (
    <p className="caveat">
      <RichText text={IMPORT_DIALOG.isTrace} parts={{ openCapture: <OpenCapture /> }} />
    </p>
  ) : (
    <p className="caveat">
      <RichText text={IMPORT_DIALOG.noMachine} parts={{ code: (text) => <code>{text}</code> }} />
    </p>
  );
}

/** A link to the page that shows traces and captures. */
function OpenCapture() {
  return <a href={writeFragment({ page: "trace" })}>{IMPORT_DIALOG.openCaptureOrTrace}</a>;
}

/** The first and the last character of a line, from 1. */
function placeOfLine(text: string, line: number): { from: number; to: number } {
  const lines = text.split("\n");
  const from = lines.slice(0, line - 1).join("\n").length + Number(line > 1);
  return { from, to: from + (lines[line - 1]?.length ?? 0) };
}

/**
 * The engine's answer to a text, the explanation of the text, and whether the text is still being
 * read.
 */
function useReading(text: string, options_json: string | undefined) {
  const workbench = useWorkbench();
  const [answer, setAnswer] = useState<ImportAnswer | null>(null);
  const [documents, setDocuments] = useState<readonly ExplainedDocument[]>([]);
  const [doing, setDoing] = useState<"nothing" | "reading" | { failed: string }>("nothing");
  // The part of the engine that reads dumps is downloaded with the first text.
  const [asked] = useState(() => new LastAsked());
  const read = () =>
    asked.ask(async (heard, signal) => {
      if (options_json === undefined) return;
      setDoing("reading");
      try {
        const { json } = await heard(workbench.ask({ kind: "import", text, options_json }));
        const files_json = JSON.stringify([{ name: "pasted text", text }]);
        const explained = await heard(workbench.ask({ kind: "explain", files_json }));
        setAnswer(readImport(json));
        setDocuments(readExplanation(explained.json).documents);
        setDoing("nothing");
      } catch (error) {
        if (signal.aborted) return;
        setDoing({ failed: error instanceof Error ? error.message : String(error) });
      }
    });
  const forget = () => {
    asked.stop();
    setAnswer(null);
    setDocuments([]);
    setDoing("nothing");
  };
  return { answer, documents, doing, read, forget };
}
