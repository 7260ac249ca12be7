// The parts of the open experiment, each with a menu to change it.

import { useWorkbench, useWorkbenchState } from "../../app/context";
import type { Session } from "../../app/store";
import { absentWords } from "../../engine/absent";
import type { Choice } from "../../engine/types";
import { ChoiceMenu } from "../../ui/menu";
import { scenarioGroups } from "./scenarios";
import { CHOICES } from "./words";

/** Names the scenario, and opens another. */
export function ScenarioChoice({ session: { info } }: { session: Session }) {
  const workbench = useWorkbench();
  const engine = useWorkbenchState((state) => state.engine);
  if (engine.kind !== "ready") return null;
  return (
    <ChoiceMenu
      label={CHOICES.scenario}
      className="title"
      buttonText={info.title || CHOICES.yourOwnExperiment}
      chosen={info.experiment}
      groups={scenarioGroups(engine.catalog.experiments)}
      choose={(id) => workbench.openPreset(id)}
    />
  );
}

/** Kernel, machine and workload; calls `chosen` after a change. */
export function PartChoices({
  session: { info },
  chosen,
}: {
  session: Session;
  chosen?: () => void;
}) {
  const workbench = useWorkbench();
  const engine = useWorkbenchState((state) => state.engine);
  if (engine.kind !== "ready") return null;
  const { catalog } = engine;
  const kernels = catalog.kernels.map((kernel) => ({
    ...kernel,
    about: absentWords(catalog, kernel.id) ?? "",
  }));
  const change = (field: "kernel" | "machine" | "workload") => (id: string) => {
    workbench.change(field, id);
    chosen?.();
  };
  return (
    <>
      <ChoiceMenu
        label={CHOICES.kernel}
        className="chip short"
        buttonText={info.kernel}
        chosen={info.kernel}
        choices={kernels}
        choose={change("kernel")}
      />
      <ChoiceMenu
        label={CHOICES.machine}
        buttonText={info.machine_title}
        chosen={info.machine}
        choices={catalog.machines}
        choose={change("machine")}
      />
      <ChoiceMenu
        label={CHOICES.workload}
        buttonText={titleOf(catalog.workloads, info.workload)}
        chosen={info.workload}
        choices={catalog.workloads}
        choose={change("workload")}
      />
    </>
  );
}

const titleOf = (choices: readonly Choice[], id: string) =>
  choices.find((choice) => choice.id === id)?.title ?? id;
