// The experiment to sweep: a ready-made one, a saved moment, a link, or the experiment in a file.

import { useEffect, useState } from "react";
import type { Catalog } from "../../engine/types";
import { Database } from "../../keep/database";
import { openLink, type Presets } from "../../link/link";
import { saveText } from "../../ui/save";
import type { SweepController } from "./controller";
import { baseTitle, type Definition, fileOf } from "./definition";
import { linkedByPasted } from "./linked";
import * as words from "./words";

type Experiment = Definition["experiment"];

/** A saved moment whose experiment can be swept. */
interface Moment {
  readonly id: string;
  readonly title: string;
  readonly experiment: Experiment;
}

/** The moments of the library. */
function useMoments(presets: Presets): readonly Moment[] {
  const [moments, setMoments] = useState<readonly Moment[]>([]);
  useEffect(() => {
    const database = new Database(() => {});
    database
      .all()
      .then((entries) =>
        setMoments(
          entries.flatMap(({ id, packed }) => {
            const opened = openLink(packed, presets);
            if (!opened.ok) return [];
            const experiment: Experiment = JSON.parse(opened.link.experiment);
            const title = opened.link.title || baseTitle(experiment, new Map());
            return [{ id, title, experiment }];
          }),
        ),
      )
      .catch(() => {})
      .finally(() => database.close());
  }, [presets]);
  return moments;
}

/** The choice of the experiment. */
export function Base({
  definition,
  controller,
  catalog,
  presets,
}: {
  definition: Definition;
  controller: SweepController;
  catalog: Catalog;
  presets: Presets;
}) {
  const moments = useMoments(presets);
  const [fault, setFault] = useState<string | null>(null);
  const { experiment } = definition;
  const use = (next: Experiment) => {
    setFault(null);
    controller.change({ ...definition, experiment: next });
  };
  const choose = (value: string) => {
    const moment = moments.find(({ id }) => `moment ${id}` === value);
    if (moment) use(moment.experiment);
    else if (value !== OWN) use(value);
  };
  return (
    <section className="sweep-base" aria-labelledby="sweep-base">
      <h2 id="sweep-base">{words.EXPERIMENT}</h2>
      <select
        aria-labelledby="sweep-base"
        value={typeof experiment === "string" ? experiment : OWN}
        onChange={({ target }) => choose(target.value)}
      >
        {typeof experiment !== "string" && (
          <optgroup label={words.OWN}>
            <option value={OWN}>{baseTitle(experiment, new Map())}</option>
          </optgroup>
        )}
        <optgroup label={words.READY_MADE}>
          {catalog.experiments.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </optgroup>
        {moments.length > 0 && (
          <optgroup label={words.SAVED}>
            {moments.map(({ id, title }) => (
              <option key={id} value={`moment ${id}`}>
                {title}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      <LinkField presets={presets} use={use} fail={setFault} />
      <FileButtons definition={definition} controller={controller} fail={setFault} />
      {fault && (
        <p className="sweep-fault" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}

const OWN = "own experiment";

function LinkField({
  presets,
  use,
  fail,
}: {
  presets: Presets;
  use: (experiment: Experiment) => void;
  fail: (fault: string) => void;
}) {
  const [link, setLink] = useState("");
  return (
    <form
      className="sweep-link"
      onSubmit={(event) => {
        event.preventDefault();
        const named = linkedByPasted(link, presets);
        if (named.kind === "fault") return fail(named.reason);
        setLink("");
        use(named.experiment);
      }}
    >
      <input
        type="text"
        value={link}
        aria-label={words.PASTE}
        placeholder={words.PASTE}
        onChange={({ target }) => setLink(target.value)}
      />
      <button type="submit" className="btn line">
        {words.USE_LINK}
      </button>
    </form>
  );
}

function FileButtons({
  definition,
  controller,
  fail,
}: {
  definition: Definition;
  controller: SweepController;
  fail: (fault: string | null) => void;
}) {
  const open = async (file: File | undefined) => {
    if (!file) return;
    fail(null);
    try {
      controller.openFile(await file.text());
    } catch (error) {
      fail(words.notRead(file.name, error instanceof Error ? error.message : String(error)));
    }
  };
  return (
    <div className="sweep-files">
      <label className="btn line">
        {words.OPEN_FILE}
        <input
          type="file"
          className="sr"
          accept=".json,application/json"
          onChange={({ target }) => {
            void open(target.files?.[0]);
            target.value = "";
          }}
        />
      </label>
      <button
        type="button"
        className="btn line"
        onClick={() => saveText(fileOf(definition), "sweep.json", "application/json")}
      >
        {words.SAVE_FILE}
      </button>
    </div>
  );
}
