import { type FormEvent, useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { count } from "../../engine/format";
import { CHECKPOINT_MIB, type Goal } from "../../engine/protocol";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { GOTO_DIALOG } from "./words";

/** A position in the run as typed, or the reason why it is invalid. */
export type Target = { ok: true; goal: Goal } | { ok: false; reason: string };

const UNITS_NS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, "": 1e9 };

/** Reads "#184,220", "12.48", "12.48 s", "310 us" in a run of this length. */
function readTarget(text: string, length_ns: number): Target {
  const bare = text.trim().replaceAll(",", "").replaceAll("\u2009", "");
  const step = /^#\s*(\d{1,15})$/.exec(bare)?.[1];
  if (step !== undefined) return { ok: true, goal: { kind: "step", step: Number(step) } };
  const time = /^(\d{1,9}(?:\.\d{1,9})?)\s*(ns|us|µs|ms|s|)$/.exec(bare);
  if (!time)
    return {
      ok: false,
      reason: GOTO_DIALOG.example,
    };
  const time_ns = Math.round(Number(time[1]) * (UNITS_NS[time[2] ?? ""] ?? 1e9));
  if (time_ns > length_ns) {
    const asStep = time[2] === "" && !bare.includes(".") ? GOTO_DIALOG.asStep(bare) : "";
    return { ok: false, reason: GOTO_DIALOG.runEndsAt(length_ns, asStep) };
  }
  return { ok: true, goal: { kind: "time", time_ns } };
}

/** Goes to a step or a time. */
export function GotoDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const furthest = useWorkbenchState((state) => state.session?.frame?.furthest);
  const length_ns = useWorkbenchState((state) => state.session?.info.length_ns ?? 0);
  const go = (event: FormEvent) => {
    event.preventDefault();
    const target = readTarget(text, length_ns);
    if (!target.ok) return setReason(target.reason);
    workbench.transport.seek(target.goal);
    close();
  };
  return (
    <Dialog title={GOTO_DIALOG.goTo} close={close}>
      <form onSubmit={go}>
        <label className="stacked">
          {GOTO_DIALOG.stepOrTime}
          <input
            className="field"
            value={text}
            placeholder={GOTO_DIALOG.orMs}
            aria-invalid={reason !== ""}
            aria-describedby="goto-reason"
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p id="goto-reason" className="else" role="status">
          {reason ||
            (furthest &&
              GOTO_DIALOG.limits(furthest.ended, furthest.step, furthest.time_ns, length_ns))}
        </p>
        <Memory />
        <div className="actions">
          <button type="submit" className="btn solid">
            {GOTO_DIALOG.go}
          </button>
          <button
            type="button"
            className="btn line"
            onClick={() => {
              workbench.transport.runToEnd();
              close();
            }}
          >
            <Icon name="end" />
            {GOTO_DIALOG.runToEnd}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The memory for checkpoints, which make any moment quick to reach, and its limit. */
function Memory() {
  const workbench = useWorkbench();
  const [bytes, setBytes] = useState<number | null>(null);
  useEffect(() => {
    let isOpen = true;
    workbench
      .ask({ kind: "memory" })
      .then(({ checkpoint_bytes }) => isOpen && setBytes(checkpoint_bytes))
      .catch(() => {});
    return () => {
      isOpen = false;
    };
  }, [workbench]);
  const used = bytes === null ? "some" : count(Math.ceil(bytes / 2 ** 20));
  return <p className="else">{GOTO_DIALOG.checkpoints(used, CHECKPOINT_MIB)}</p>;
}
