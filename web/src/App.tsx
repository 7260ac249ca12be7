import {
  Component,
  type ContextType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useSyncExternalStore,
} from "react";
import { WorkbenchContext } from "./app/context";
import { PairContext } from "./app/pair/context";
import { areOfMachine } from "./engine/capture/names";
import { watchFolders } from "./lessons/folder/drop";
import { type Address, writeFragment } from "./link/router";
import { NewerNotice } from "./offline/NewerNotice";
import type { Newer } from "./offline/newer";
import { watchMachines } from "./pages/trace/drop";
import { nameOf, type Pages } from "./shown";
import { fontsThere } from "./ui/fonts";
import { RichText } from "./ui/rich-text";
import { Starting } from "./ui/starting";
import { TermPanel } from "./ui/term-panel";
import { APP } from "./words";

/** Loads the serif font with a page, so that its text rarely changes fonts later. */
async function inSerif<T>(page: Promise<T>): Promise<T> {
  const [module] = await Promise.all([page, fontsThere('600 1em "Source Serif"')]);
  return module;
}

const HomePage = lazy(() =>
  inSerif(import("./pages/home/HomePage")).then((m) => ({ default: m.HomePage })),
);
const Page = lazy(() => import("./pages/workbench/Page").then((m) => ({ default: m.Page })));
const EmbeddedStage = lazy(() =>
  import("./pages/workbench/EmbeddedStage").then((m) => ({ default: m.EmbeddedStage })),
);
const LessonPage = lazy(() =>
  import("./pages/lesson/LessonPage").then((m) => ({ default: m.LessonPage })),
);
const FolderPage = lazy(() =>
  inSerif(import("./pages/lesson/folder/FolderPage")).then((m) => ({ default: m.FolderPage })),
);
const ClassPage = lazy(() =>
  inSerif(import("./pages/class/ClassPage")).then((m) => ({ default: m.ClassPage })),
);
const ReportPage = lazy(() =>
  inSerif(import("./pages/report/ReportPage")).then((m) => ({ default: m.ReportPage })),
);
const ComparePage = lazy(() =>
  import("./pages/compare/ComparePage").then((m) => ({ default: m.ComparePage })),
);
const SweepPage = lazy(() =>
  inSerif(import("./pages/sweep/SweepPage")).then((m) => ({ default: m.SweepPage })),
);
const TracePage = lazy(() =>
  inSerif(import("./pages/trace/TracePage")).then((m) => ({ default: m.TracePage })),
);
const TruthPage = lazy(() =>
  inSerif(import("./pages/truth/TruthPage")).then((m) => ({ default: m.TruthPage })),
);
const HistoryPage = lazy(() =>
  inSerif(import("./pages/history/HistoryPage")).then((m) => ({ default: m.HistoryPage })),
);
const DocPage = lazy(() =>
  inSerif(import("./pages/docs/DocPage")).then((m) => ({ default: m.DocPage })),
);
const UnknownPage = lazy(() =>
  inSerif(import("./pages/docs/UnknownPage")).then((m) => ({ default: m.UnknownPage })),
);

/** The page that the address names. Each page is a separate download. */
export function App({ pages, newer }: { pages: Pages; newer: Newer | null }) {
  const { address, workbench, pair } = useSyncExternalStore(pages.subscribe, pages.shown);
  const name = nameOf(address);
  useEffect(() => {
    const { page } = address;
    if (page === "home" || page === "workbench") document.title = "mmscope";
  }, [address]);
  useEffect(
    () =>
      watchFolders(
        () => goTo(pages, { page: "folder" }),
        (files) => {
          if (!areOfMachine(files.map(({ name: file }) => file))) return false;
          void import("./pages/trace/opened").then(({ machines }) => machines.open(files));
          goTo(pages, { page: "trace" });
          return true;
        },
      ),
    [pages],
  );
  useEffect(
    () =>
      watchMachines(
        () => pages.shown().address.page === "trace",
        () => goTo(pages, { page: "trace" }),
      ),
    [pages],
  );
  return (
    <WorkbenchContext value={workbench}>
      <Missing key={name}>
        <Suspense>
          <PairContext value={pair}>
            <PageOf address={address} />
          </PairContext>
          <Arrival isToFocus={pages.hasMoved} />
        </Suspense>
      </Missing>
      <Starting />
      <TermPanel />
      {newer && <NewerNotice newer={newer} />}
    </WorkbenchContext>
  );
}

/** Shows another page; "back" then returns to the machine's present moment. */
async function goTo(pages: Pages, address: Address): Promise<void> {
  if (pages.shown().address.page === address.page) return;
  await pages.shown().workbench.saving.now();
  location.assign(writeFragment(address));
}

/**
 * Moves the focus to the heading of a page once the page has loaded, unless the user has moved the
 * focus.
 */
function Arrival({ isToFocus }: { isToFocus: boolean }) {
  useEffect(() => {
    const isFurther = document.activeElement !== document.body;
    if (isToFocus && !isFurther) document.querySelector("h1")?.focus({ preventScroll: true });
  }, [isToFocus]);
  return null;
}

function PageOf({ address }: { address: Address }) {
  switch (address.page) {
    case "home":
      return <HomePage />;
    case "workbench":
      return address.embed ? <EmbeddedStage address={address} embed={address.embed} /> : <Page />;
    case "lesson":
      return <LessonPage id={address.id} embed={address.embed} />;
    case "folder":
      return <FolderPage />;
    case "class":
      return <ClassPage />;
    case "report":
      return (
        <ReportPage id={address.table} columns={address.columns ?? null} embed={address.embed} />
      );
    case "compare":
      return <ComparePage address={address} />;
    case "sweep":
      return <SweepPage address={address} />;
    case "trace":
      return <TracePage />;
    case "truth":
      return <TruthPage />;
    case "history":
      return <HistoryPage />;
    case "doc":
      return <DocPage address={address} />;
    case "unknown":
      return <UnknownPage asked={address.asked} />;
  }
}

/** Shows a message when a part of the page fails to load. */
class Missing extends Component<{ children: ReactNode }, { message: string | null }> {
  static override contextType = WorkbenchContext;
  declare context: ContextType<typeof WorkbenchContext>;
  override state = { message: null };

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  #reload = async () => {
    await this.context?.saving.beforeReload();
    location.reload();
  };

  override render() {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <div className="card" role="alertdialog" aria-label={APP.notLoaded}>
        <h2>{APP.notLoaded}</h2>
        <p className="else">
          <RichText text={APP.browserSays} parts={{ message: <code>{message}</code> }} />
        </p>
        <div className="actions">
          <button type="button" className="btn solid" onClick={this.#reload}>
            {APP.reload}
          </button>
          <a className="btn line" href="#/">
            {APP.home}
          </a>
        </div>
      </div>
    );
  }
}
