// The dialog that chooses one of the two machines: by its differences from the other one, or as
// another experiment.

import { type ReactNode, useEffect, useId, useState } from "react";
import { usePair } from "../../app/pair/context";
import { otherSide, type Side } from "../../app/pair/pair";
import { loadPresets, type Presets } from "../../engine/load-parts";
import type { Refusal, TunableView } from "../../engine/types";
import { PatchFields } from "../../experiment/forms/PatchFields";
import type { Entry } from "../../keep/database";
import { Library } from "../../keep/library";
import { bareLink, type Link } from "../../link/link";
import { Dialog } from "../../ui/dialog";
import { Refusals } from "./Refusals";
import { openReadyPair, READY_PAIRS, type ReadyPair, type Refused } from "./ready-pairs";
import { type Known, linkFrom, openChosen, packedIn, presetIn, withChange } from "./setup";
import { CHOOSE, PAGE, READY } from "./words";

interface ChooseProps {
  readonly side: Side;
  readonly known: Known;
  readonly close: () => void;
}

/** Chooses the machine of one side. */
export function ChooseDialog({ side, known, close }: ChooseProps) {
  const pair = usePair();
  const [refused, setRefused] = useState<Refused | null>(null);
  const open = async (link: Link | Refusal) => {
    const refusals = await openChosen(pair, known, side, link);
    if (refusals.length === 0) close();
    else setRefused({ side, refusals });
  };
  const openBoth = async (ready: ReadyPair) => {
    const found = await openReadyPair(pair, known.presets, ready);
    if (found) setRefused(found);
    else close();
  };
  return (
    <Dialog title={CHOOSE.title[side]} close={close} wide>
      {refused && (
        <div role="alert" className="compare-refused">
          <h3>{PAGE.refused[refused.side]}</h3>
          <Refusals refusals={refused.refusals} />
        </div>
      )}
      <LikeOther side={side} known={known} open={open} />
      <Another known={known} open={open} />
      <ReadyPairs open={openBoth} />
    </Dialog>
  );
}

interface OpenProps {
  readonly known: Known;
  readonly open: (link: Link | Refusal) => Promise<void>;
}

interface Draft {
  readonly kernel?: string;
  readonly seed?: number;
  readonly patches?: readonly string[];
  readonly tunables?: Readonly<Record<string, string>>;
}

/** The other machine's experiment, with a few differences. */
function LikeOther({ side, known, open }: OpenProps & { side: Side }) {
  const pair = usePair();
  const base = pair[otherSide(side)].store.getState().session?.experiment ?? null;
  const own = pair[side].store.getState().session?.experiment ?? base;
  const [draft, setDraft] = useState<Draft>(() => (own === null ? {} : JSON.parse(own)));
  const [seed, setSeed] = useState(() => String(draft.seed ?? 1));
  const [{ tunable, value }, set] = useState({ tunable: "", value: "" });
  const parts = useParts();
  if (base === null) return null;
  const tunables = known.catalog.tunables.find(([id]) => id === draft.kernel)?.[1] ?? [];
  const submit = () => {
    if (!/^\d{1,15}$/.test(seed.trim()))
      return void open({ path: "seed", reason: CHOOSE.seedFault });
    const { kernel, patches = [] } = draft;
    const before: Draft = JSON.parse(base);
    const added =
      tunable === "" ? {} : { tunables: { ...before.tunables, [tunable]: value.trim() } };
    const change = { kernel, patches, seed: Number(seed), ...added };
    void open(bareLink(withChange(base, change, known.presets)));
  };
  return (
    <form
      className="compare-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h3>{CHOOSE.fromOther[side]}</h3>
      <div className="compare-fields">
        <Field title={CHOOSE.kernel}>
          {(id) => (
            <select
              id={id}
              data-focus
              value={draft.kernel}
              onChange={({ currentTarget }) => setDraft({ ...draft, kernel: currentTarget.value })}
            >
              {known.catalog.kernels.map((kernel) => (
                <option key={kernel.id} value={kernel.id}>
                  {kernel.title || kernel.id}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field title={CHOOSE.seed}>
          {(id) => (
            <input
              id={id}
              inputMode="numeric"
              value={seed}
              onChange={({ currentTarget }) => setSeed(currentTarget.value)}
            />
          )}
        </Field>
        <TunableFields
          tunables={tunables}
          name={tunable}
          value={value}
          set={(name, to) => set({ tunable: name, value: to })}
        />
      </div>
      <details>
        <summary>
          {CHOOSE.patches}
          {(draft.patches?.length ?? 0) > 0 && ` (${draft.patches?.length})`}
        </summary>
        {parts ? (
          <PatchFields
            patches={parts.patches}
            kernel={draft.kernel ?? null}
            chosen={draft.patches ?? []}
            faults={[]}
            change={(patches) => setDraft({ ...draft, patches })}
          />
        ) : (
          <p role="status">{CHOOSE.patchesLoading}</p>
        )}
      </details>
      <button type="submit" className="btn solid">
        {CHOOSE.apply}
      </button>
    </form>
  );
}

/** A tunable of the kernel, and its value. */
function TunableFields({
  tunables,
  name,
  value,
  set,
}: {
  tunables: readonly TunableView[];
  name: string;
  value: string;
  set: (name: string, value: string) => void;
}) {
  const usual = (of: string) => tunables.find((one) => one.name === of)?.default ?? "";
  const chosen = tunables.find((one) => one.name === name);
  return (
    <>
      <Field title={CHOOSE.tunable}>
        {(id) => (
          <select
            id={id}
            value={name}
            onChange={({ currentTarget }) => set(currentTarget.value, usual(currentTarget.value))}
          >
            <option value="">{CHOOSE.noTunable}</option>
            {tunables.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      {chosen && (
        <Field title={CHOOSE.value} about={CHOOSE.valueHelp(chosen.about, chosen.default)}>
          {(id) => (
            <input
              id={id}
              value={value}
              onChange={({ currentTarget }) => set(name, currentTarget.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** A ready-made experiment, a saved moment, or a pasted link. */
function Another({ known, open }: OpenProps) {
  const { presets, catalog } = known;
  const [preset, setPreset] = useState("");
  const [text, setText] = useState("");
  const [saved, setSaved] = useState("");
  const library = useLibrary(known);
  const submit = () => {
    const entry = library.entries.find(({ id }) => String(id) === saved);
    const json = preset === "" ? presetIn(text, presets) : (presets[preset] ?? null);
    const packed = packedIn(text);
    if (text.trim() !== "" && packed !== null) return void open(linkFrom(packed, presets));
    if (json !== null) return void open(bareLink(json));
    const link = entry && library.linkOf(entry);
    if (link) return void open(link);
    void open({ path: "", reason: text.trim() === "" ? CHOOSE.nothing : CHOOSE.notLink });
  };
  return (
    <form
      className="compare-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h3>{CHOOSE.another}</h3>
      <div className="compare-fields">
        <Field title={CHOOSE.preset}>
          {(id) => (
            <select
              id={id}
              value={preset}
              onChange={({ currentTarget }) => {
                setPreset(currentTarget.value);
                setSaved("");
              }}
            >
              <option value="">{CHOOSE.presetNone}</option>
              {catalog.experiments.map(({ id: experiment, title }) => (
                <option key={experiment} value={experiment}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field title={CHOOSE.saved}>
          {(id) => (
            <select
              id={id}
              value={saved}
              disabled={library.entries.length === 0}
              onChange={({ currentTarget }) => {
                setSaved(currentTarget.value);
                setPreset("");
              }}
            >
              <option value="">
                {library.entries.length === 0 ? CHOOSE.savedNone : CHOOSE.presetNone}
              </option>
              {library.entries.map((entry) => (
                <option key={entry.id} value={String(entry.id)}>
                  {library.titleOf(entry)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field title={CHOOSE.link} about={CHOOSE.linkHelp}>
          {(id) => (
            <input
              id={id}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <button type="submit" className="btn line">
        {CHOOSE.openIt}
      </button>
    </form>
  );
}

/** Ready-made pairs, each of which replaces both machines. */
function ReadyPairs({ open }: { open: (ready: ReadyPair) => Promise<void> }) {
  return (
    <section className="compare-form">
      <h3>{READY.title}</h3>
      {READY_PAIRS.map((ready) => (
        <div key={ready.id} className="compare-ready">
          <p>
            <b>{ready.title}</b> <span className="dim">{ready.about}</span>
          </p>
          <button type="button" className="btn line" onClick={() => void open(ready)}>
            {READY.open} <span className="sr">{ready.title}</span>
          </button>
        </div>
      ))}
    </section>
  );
}

function Field({
  title,
  about,
  children,
}: {
  title: string;
  about?: string;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="compare-field">
      <label htmlFor={id}>{title}</label>
      {children(id)}
      {about && <p className="dim">{about}</p>}
    </div>
  );
}

function useParts(): Presets | null {
  const [parts, setParts] = useState<Presets | null>(null);
  useEffect(() => {
    let isGone = false;
    loadPresets().then(
      (loaded) => !isGone && setParts(loaded),
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, []);
  return parts;
}

/** The saved moments of this browser. */
function useLibrary({ presets }: Known) {
  const [library, setLibrary] = useState<Library | null>(null);
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  useEffect(() => {
    const opened = new Library(presets);
    setLibrary(opened);
    const forget = opened.store.subscribe((state) => setEntries(state.entries ?? []));
    return () => {
      forget();
      opened.dispose();
    };
  }, [presets]);
  const linkOf = (entry: Entry): Link | null => library?.linkOf(entry) ?? null;
  const titleOf = (entry: Entry): string => {
    const link = linkOf(entry);
    if (!link) return CHOOSE.untitled;
    const { title } = JSON.parse(link.experiment) as { readonly title?: string };
    return link.title || title || CHOOSE.untitled;
  };
  return { entries, linkOf, titleOf };
}
