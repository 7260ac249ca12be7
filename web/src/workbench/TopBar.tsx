import type { Choice } from "../engine/types";
import { Icon, Logo } from "../ui/icons";
import { ChoiceMenu } from "../ui/menu";
import { switchTheme, useTheme } from "../ui/theme";
import { useWorkbench, useWorkbenchState } from "./context";
import type { DialogName, Session } from "./store";

/** Names the experiment, changes it, shares it. */
export function TopBar() {
  const session = useWorkbenchState((state) => state.session);
  const isRefused = useWorkbenchState((state) => state.refusal !== null);
  const theme = useTheme();
  return (
    <header className="bar top">
      <a className="wordmark" href="./" aria-label="mmscope: open a fresh page">
        <Logo />
        <b>mmscope</b>
      </a>
      <span className="sep" />
      {session ? <Choices session={session} /> : <h1>{isRefused ? "Nothing open" : "Starting"}</h1>}
      <span className="sp" />
      <DialogButton dialog="import" wide>
        Your machine
      </DialogButton>
      <DialogButton dialog="procfs" wide>
        /proc
      </DialogButton>
      <DialogButton dialog="share" className="btn line share">
        <Icon name="share" />
        <span>Share</span>
      </DialogButton>
      <button
        type="button"
        className="btn icon"
        aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
        title={theme === "dark" ? "Light theme" : "Dark theme"}
        onClick={switchTheme}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </button>
      <DialogButton dialog="help" className="btn icon wide" label="Keys and help">
        ?
      </DialogButton>
    </header>
  );
}

function DialogButton({
  dialog,
  className = "btn",
  wide = false,
  label,
  children,
}: {
  dialog: DialogName;
  className?: string;
  wide?: boolean;
  label?: string;
  children: React.ReactNode;
}) {
  const workbench = useWorkbench();
  const isUsable = useWorkbenchState(({ session }) => session !== null || dialog === "help");
  return (
    <button
      type="button"
      className={wide ? `${className} wide` : className}
      aria-haspopup="dialog"
      aria-label={label}
      disabled={!isUsable}
      onClick={() => workbench.store.setState({ dialog })}
    >
      {children}
    </button>
  );
}

function Choices({ session: { info } }: { session: Session }) {
  const workbench = useWorkbench();
  const engine = useWorkbenchState((state) => state.engine);
  if (engine.kind !== "ready") return null;
  const { catalog } = engine;
  return (
    <>
      <h1>
        <ChoiceMenu
          label="Scenario"
          className="title"
          shown={info.title || "Your own experiment"}
          chosen={info.experiment}
          choices={catalog.experiments}
          choose={(id) => workbench.openPreset(id)}
        />
      </h1>
      <ChoiceMenu
        label="Kernel"
        className="chip short"
        shown={info.kernel}
        chosen={info.kernel}
        choices={catalog.kernels}
        choose={(id) => workbench.change("kernel", id)}
      />
      <ChoiceMenu
        label="Machine"
        shown={info.machine_title}
        chosen={info.machine}
        choices={catalog.machines}
        choose={(id) => workbench.change("machine", id)}
      />
      <ChoiceMenu
        label="Workload"
        shown={titleOf(catalog.workloads, info.workload)}
        chosen={info.workload}
        choices={catalog.workloads}
        choose={(id) => workbench.change("workload", id)}
      />
    </>
  );
}

const titleOf = (choices: readonly Choice[], id: string) =>
  choices.find((choice) => choice.id === id)?.title ?? id;
