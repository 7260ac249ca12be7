import { type ReactNode, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { clock } from "../engine/format";
import type { Refusal, View } from "../engine/types";
import { Dialog } from "../ui/dialog";
import { type Act, AHEAD_NS, disturbed, freeName, hog, undisturbed } from "./disturb";
import { type Intervention, interventionWords, timeOf } from "./disturbances";

/** Actions on the machine at the present step; each becomes part of the experiment. */
export function DisturbDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const view = session?.frame?.view;
  return (
    <Dialog title="Disturb the machine" close={close}>
      {session && view && <Forms experiment={session.experiment} view={view} close={close} />}
    </Dialog>
  );
}

function Forms({ experiment, view, close }: { experiment: string; view: View; close: () => void }) {
  const workbench = useWorkbench();
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [isBusy, setBusy] = useState(false);
  const { step, time_ns, ended } = view.position;
  const open = async (json: string, said: string) => {
    setBusy(true);
    const found = await workbench.edit(json, { kind: "step", step });
    setBusy(false);
    setRefusals(found);
    if (found.length > 0) return;
    workbench.tell(said, "undo");
    close();
  };
  const act = (one: Act) => {
    const words = interventionWords({ at: "", ...one });
    const said = `The run is forked at ${clock(time_ns + AHEAD_NS)} s: ${words}.`;
    void open(disturbed(experiment, one, time_ns), said);
  };
  if (ended) return <p className="else">The run has ended here. Go back to disturb it.</p>;
  return (
    <fieldset className="disturb" disabled={isBusy}>
      <p className="else">
        It happens at {clock(time_ns + AHEAD_NS)} s, a moment that no CPU has passed yet. The run up
        to there stays the same. A link includes the fork, and undo removes it.
      </p>
      <Form title="Caches" about="Frees the clean pages of all files, as drop_caches = 1 does.">
        <button
          type="button"
          className="btn line"
          data-focus
          onClick={() => act({ drop_caches: 1 })}
        >
          Drop caches
        </button>
      </Form>
      <Kill view={view} act={act} />
      <Move view={view} act={act} />
      <Start view={view} act={act} />
      <Slow view={view} act={act} />
      <Form
        title="Tunables"
        about="Opens the experiment's fields, where you can set a sysctl at this moment."
      >
        <button
          type="button"
          className="btn line"
          onClick={() => workbench.showDialog("experiment")}
        >
          Set a sysctl
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
    <Form title="Kill" about="Sends SIGKILL: the task ends and frees all its memory.">
      <select
        className="field"
        aria-label="Task to kill"
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
        Kill
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
    <Form
      title="Move a task"
      about="Sets the CPUs it may run on, as taskset does. A task on another CPU moves; its memory stays."
    >
      <select
        className="field"
        aria-label="Task to move"
        value={task}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {tasks.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Where it may run"
        value={where}
        onChange={(event) => setWhere(event.currentTarget.value)}
      >
        <option>{ANY}</option>
        {nodes.map((node) => (
          <option key={node} value={String(node)}>
            node {node}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="btn line"
        disabled={task === ""}
        onClick={() => act({ affinity: where === ANY ? { task } : { task, node: Number(where) } })}
      >
        Move
      </button>
    </Form>
  );
}

const NEW_HOG = "a new memory hog";

function Start({ view, act }: FormProps) {
  const users = view.tasks.filter(({ kernel_thread }) => !kernel_thread);
  const names = [...new Set(users.map(({ name }) => name.split("/")[0] ?? name))];
  const [chosen, setChosen] = useState(NEW_HOG);
  const [percent, setPercent] = useState(40);
  const isHog = chosen === NEW_HOG;
  return (
    <Form
      title="Start"
      about="Starts one more task of a process, or a hog that touches a share of all memory again and again."
    >
      <select
        className="field"
        aria-label="Process to start"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {[NEW_HOG, ...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {isHog && (
        <label>
          of{" "}
          <input
            className="field short"
            type="number"
            min={1}
            max={400}
            aria-label="Percent of memory"
            value={percent}
            onChange={(event) => setPercent(event.currentTarget.valueAsNumber || 1)}
          />{" "}
          % of memory
        </label>
      )}
      <button
        type="button"
        className="btn line"
        onClick={() =>
          act({ start: isHog ? hog(freeName("hog", new Set(names)), percent) : chosen })
        }
      >
        Start
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
    <Form
      title="Slow a device"
      about="From then on the device runs at this share of its original speed."
    >
      <select
        className="field"
        aria-label="Device to slow"
        value={device}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {devices.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <label>
        to{" "}
        <input
          className="field short"
          type="number"
          min={1}
          max={100}
          aria-label="Percent of its speed"
          value={percent}
          onChange={(event) => setPercent(event.currentTarget.valueAsNumber || 1)}
        />{" "}
        % of its speed
      </label>
      <button type="button" className="btn line" onClick={() => act({ slow: { device, percent } })}>
        Slow it
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
  open: (json: string, said: string) => Promise<void>;
}) {
  const { interventions = [] }: { interventions?: Intervention[] } = JSON.parse(experiment);
  if (interventions.length === 0) return null;
  return (
    <>
      <h3 className="label">Disturbances in this run</h3>
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
              aria-label={`Remove: ${interventionWords(one)}`}
              onClick={() => void open(undisturbed(experiment, place), "Removed from the run.")}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
