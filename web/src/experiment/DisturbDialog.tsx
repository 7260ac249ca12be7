import { type ReactNode, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { clock } from "../engine/format";
import type { Refusal, View } from "../engine/types";
import { Dialog } from "../ui/dialog";
import { RichText } from "../ui/rich-text";
import { type Act, AHEAD_NS, disturbed, freeName, hog, undisturbed } from "./disturb";
import { type Intervention, interventionWords, timeOf } from "./disturbances";
import { DISTURB_DIALOG } from "./words";

/** Actions on the machine at the present step; each becomes part of the experiment. */
export function DisturbDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const view = session?.frame?.view;
  return (
    <Dialog title={DISTURB_DIALOG.disturbMachine} close={close}>
      {session && view && <Forms experiment={session.experiment} view={view} close={close} />}
    </Dialog>
  );
}

function Forms({ experiment, view, close }: { experiment: string; view: View; close: () => void }) {
  const workbench = useWorkbench();
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [isBusy, setBusy] = useState(false);
  const { step, time_ns, ended } = view.position;
  const open = async (json: string, message: string) => {
    setBusy(true);
    const found = await workbench.edit(json, { kind: "step", step });
    setBusy(false);
    setRefusals(found);
    if (found.length > 0) return;
    workbench.tell(message, "undo");
    close();
  };
  const act = (one: Act) => {
    const words = interventionWords({ at: "", ...one });
    const message = DISTURB_DIALOG.forked(time_ns + AHEAD_NS, words);
    void open(disturbed(experiment, one, time_ns), message);
  };
  if (ended) return <p className="else">{DISTURB_DIALOG.ended}</p>;
  return (
    <fieldset className="disturb" disabled={isBusy}>
      <p className="else">{DISTURB_DIALOG.about(time_ns + AHEAD_NS)}</p>
      <Form title={DISTURB_DIALOG.caches} about={DISTURB_DIALOG.cachesHelp}>
        <button
          type="button"
          className="btn line"
          data-focus
          onClick={() => act({ drop_caches: 1 })}
        >
          {DISTURB_DIALOG.dropCaches}
        </button>
      </Form>
      <Kill view={view} act={act} />
      <Move view={view} act={act} />
      <Start view={view} act={act} />
      <Slow view={view} act={act} />
      <WriteCgroup view={view} act={act} />
      <Form title={DISTURB_DIALOG.tunables} about={DISTURB_DIALOG.tunablesHelp}>
        <button
          type="button"
          className="btn line"
          onClick={() => workbench.showDialog("experiment")}
        >
          {DISTURB_DIALOG.setSysctl}
        </button>
      </Form>
      {refusals.length > 0 && (
        <ul className="refusals" role="alert">
          {refusals.map(({ path, reason }) => (
            <li key={path}>
              <code>{path}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
      <Done experiment={experiment} open={open} />
    </fieldset>
  );
}

function Form({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would draw a box in a box
    <div className="disturb-form" role="group" aria-label={title}>
      <h3 className="label">{title}</h3>
      <p className="else">{about}</p>
      <div className="disturb-row">{children}</div>
    </div>
  );
}

type FormProps = { view: View; act: (one: Act) => void };

const isAlive = ({ state, kernel_thread }: View["tasks"][number]) =>
  !kernel_thread && state !== "exited";

function Kill({ view, act }: FormProps) {
  const tasks = view.tasks.filter(isAlive).map(({ name }) => name);
  const [chosen, setChosen] = useState("");
  const task = tasks.includes(chosen) ? chosen : (tasks[0] ?? "");
  return (
    <Form title={DISTURB_DIALOG.kill} about={DISTURB_DIALOG.killHelp}>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.taskToKill}
        value={task}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {tasks.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button
        type="button"
        className="btn line"
        disabled={task === ""}
        onClick={() => act({ kill: task })}
      >
        {DISTURB_DIALOG.kill}
      </button>
    </Form>
  );
}

const ANY = "any CPU";

/** Binds a task to the CPUs of a node, or lets it run on any CPU again. */
function Move({ view, act }: FormProps) {
  const tasks = view.tasks.filter(isAlive).map(({ name }) => name);
  const nodes = [...new Set(view.tasks.map(({ node }) => node))].sort((a, b) => a - b);
  const [chosen, setChosen] = useState("");
  const [where, setWhere] = useState(ANY);
  const task = tasks.includes(chosen) ? chosen : (tasks[0] ?? "");
  if (nodes.length < 2) return null;
  return (
    <Form title={DISTURB_DIALOG.moveTask} about={DISTURB_DIALOG.moveTaskHelp}>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.taskToMove}
        value={task}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {tasks.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.whereItMayRun}
        value={where}
        onChange={(event) => setWhere(event.currentTarget.value)}
      >
        <option>{ANY}</option>
        {nodes.map((node) => (
          <option key={node} value={String(node)}>
            {DISTURB_DIALOG.node(node)}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="btn line"
        disabled={task === ""}
        onClick={() => act({ affinity: where === ANY ? { task } : { task, node: Number(where) } })}
      >
        {DISTURB_DIALOG.move}
      </button>
    </Form>
  );
}

const NEW_HOG = DISTURB_DIALOG.newMemoryHog;

function Start({ view, act }: FormProps) {
  const users = view.tasks.filter(({ kernel_thread }) => !kernel_thread);
  const names = [...new Set(users.map(({ name }) => name.split("/")[0] ?? name))];
  const [chosen, setChosen] = useState<string>(NEW_HOG);
  const [percent, setPercent] = useState(40);
  const isHog = chosen === NEW_HOG;
  return (
    <Form title={DISTURB_DIALOG.start} about={DISTURB_DIALOG.startHelp}>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.processToStart}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {[NEW_HOG, ...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {isHog && (
        // biome-ignore lint/a11y/noLabelWithoutControl: its field stands in its text
        <label>
          <RichText
            text={DISTURB_DIALOG.share}
            parts={{
              field: (
                <input
                  className="field short"
                  type="number"
                  min={1}
                  max={400}
                  aria-label={DISTURB_DIALOG.percentOfMemory}
                  value={percent}
                  onChange={(event) => setPercent(event.currentTarget.valueAsNumber || 1)}
                />
              ),
            }}
          />
        </label>
      )}
      <button
        type="button"
        className="btn line"
        onClick={() =>
          act({ start: isHog ? hog(freeName("hog", new Set(names)), percent) : chosen })
        }
      >
        {DISTURB_DIALOG.start}
      </button>
    </Form>
  );
}

function Slow({ view, act }: FormProps) {
  const devices = view.devices.map(({ name }) => name);
  const [chosen, setChosen] = useState("");
  const [percent, setPercent] = useState(10);
  const device = devices.includes(chosen) ? chosen : (devices[0] ?? "");
  if (device === "") return null;
  return (
    <Form title={DISTURB_DIALOG.slowDevice} about={DISTURB_DIALOG.slowDeviceHelp}>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.deviceToSlow}
        value={device}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {devices.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: its field stands in its text */}
      <label>
        <RichText
          text={DISTURB_DIALOG.speed}
          parts={{
            field: (
              <input
                className="field short"
                type="number"
                min={1}
                max={100}
                aria-label={DISTURB_DIALOG.percentOfItsSpeed}
                value={percent}
                onChange={(event) => setPercent(event.currentTarget.valueAsNumber || 1)}
              />
            ),
          }}
        />
      </label>
      <button type="button" className="btn line" onClick={() => act({ slow: { device, percent } })}>
        {DISTURB_DIALOG.slowIt}
      </button>
    </Form>
  );
}

const CGROUP_FILES = [
  "memory.max",
  "memory.high",
  "memory.low",
  "memory.min",
  "memory.swap.max",
  "memory.reclaim",
] as const;

/** Writes a limit of a memory cgroup. */
function WriteCgroup({ view, act }: FormProps) {
  const names = view.groups.map(({ name }) => name);
  const [chosen, setChosen] = useState("");
  const [file, setFile] = useState<(typeof CGROUP_FILES)[number]>("memory.max");
  const [typed, setTyped] = useState("");
  const name = names.includes(chosen) ? chosen : (names[0] ?? "");
  if (name === "") return null;
  const text = typed.trim();
  const value = /^\d{1,15}$/.test(text) ? Number(text) : text;
  return (
    <Form title={DISTURB_DIALOG.cgroup} about={DISTURB_DIALOG.cgroupHelp}>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.cgroupToChange}
        value={name}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {names.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <select
        className="field"
        aria-label={DISTURB_DIALOG.cgroupFile}
        value={file}
        onChange={(event) =>
          setFile(CGROUP_FILES.find((one) => one === event.currentTarget.value) ?? "memory.max")
        }
      >
        {CGROUP_FILES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <input
        className="field short"
        aria-label={DISTURB_DIALOG.cgroupValue}
        placeholder={DISTURB_DIALOG.cgroupExample}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <button
        type="button"
        className="btn line"
        disabled={text === ""}
        onClick={() => act({ cgroup: { name, file, value } })}
      >
        {DISTURB_DIALOG.write}
      </button>
    </Form>
  );
}

/** The experiment's interventions, each with a button that removes it. */
function Done({
  experiment,
  open,
}: {
  experiment: string;
  open: (json: string, message: string) => Promise<void>;
}) {
  const { interventions = [] }: { interventions?: Intervention[] } = JSON.parse(experiment);
  if (interventions.length === 0) return null;
  return (
    <>
      <h3 className="label">{DISTURB_DIALOG.disturbancesInThisRun}</h3>
      <ul className="disturb-done">
        {interventions.map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two interventions may be equal
          <li key={place}>
            <span>
              {clock(timeOf(one.at))} s: {interventionWords(one)}
            </span>
            <button
              type="button"
              className="btn tiny"
              aria-label={DISTURB_DIALOG.removeLabel(interventionWords(one))}
              onClick={() =>
                void open(undisturbed(experiment, place), DISTURB_DIALOG.removedFromRun)
              }
            >
              {DISTURB_DIALOG.remove}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
