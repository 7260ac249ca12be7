import { type ReactNode, use, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { isProjectorKey } from "../../app/keys";
import { useMomentLink } from "../../app/moment-link";
import { usePaintedFrames } from "../../app/painted";
import { showProjected, switchProjector } from "../../app/projector";
import { EmbedPart } from "../../export/EmbedPart";
import { hostBegun, isHosted } from "../../lessons/hosted";
import { type Lesson, loadLesson } from "../../lessons/load";
import type { Embed } from "../../link/embed";
import { urlOf, writeFragment } from "../../link/router";
import { ReservePattern } from "../../stage/ReservePattern";
import { EmbedBar } from "../../ui/embed-bar";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { LessonContext, useLesson, useLessonState } from "./context";
import { LessonController } from "./controller";
import { LessonInfo } from "./LessonInfo";
import { LiveStage } from "./LiveStage";
import { Onwards } from "./Onwards";
import { PrintButton, usePainted, usePaper } from "./print";
import { PROSE_COMPONENTS } from "./prose";
import { SaveAnswers } from "./SaveAnswers";
import { goToStep } from "./Step";
import "./lesson.css";
import "./narrow.css";
import "./figures.css";
import "./projected.css";
import "./print.css";
import { RichText } from "../../ui/rich-text";
import { LESSON_PAGE } from "./words";

/**
 * Index of the stage's playback speed: a fifth of a millisecond a second, for one wake of kswapd.
 */
const PACE = 11;

/** A lesson: its steps, its prose, and its machine. */
export function LessonPage({ id, embed }: { id: string; embed?: Embed | undefined }) {
  const lesson = use(loadLesson(id));
  // A learning platform has stored the answers of earlier visits.
  if (isHosted()) use(hostBegun(id));
  return lesson ? (
    <ReadLesson id={id} lesson={lesson} embed={embed} hasAddress />
  ) : (
    <NoLesson id={id} />
  );
}

function NoLesson({ id }: { id: string }) {
  return (
    <div className="card" role="alertdialog" aria-label={LESSON_PAGE.thereIsNoSuchLesson}>
      <h2>{LESSON_PAGE.thereIsNoSuchLesson}</h2>
      <p>
        <RichText text={LESSON_PAGE.noLessonIsCalled} parts={{ id: <code>{id}</code> }} />
      </p>
      <div className="actions">
        <a className="btn solid" href={writeFragment({ page: "home" })}>
          {LESSON_PAGE.home}
        </a>
      </div>
    </div>
  );
}

interface Reading {
  readonly id: string;
  readonly lesson: Lesson;
  /** The options of the frame, if it is embedded. */
  readonly embed?: Embed | undefined;
  /** The origin of the lesson. */
  readonly note?: ReactNode;
  /** False for a lesson from a folder, which exists only in this browser. */
  readonly hasAddress?: boolean;
}

/** A loaded lesson; a note may name its origin. */
export function ReadLesson({ id, lesson, embed, note, hasAddress = false }: Reading) {
  const workbench = useWorkbench();
  const controller = useMemo(
    () => new LessonController(id, lesson.data, workbench),
    [id, lesson, workbench],
  );
  useEffect(() => {
    workbench.transport.setPace(lesson.data.pace ?? PACE);
    controller.begin();
    return () => controller.dispose();
  }, [controller, lesson, workbench]);
  useEffect(() => {
    document.title = `${lesson.data.title} · mmscope`;
  }, [lesson]);
  return (
    <LessonContext value={controller}>
      <Spread id={id} lesson={lesson} embed={embed} note={note} hasAddress={hasAddress} />
    </LessonContext>
  );
}

function Spread({ id, lesson: { data, Prose }, embed, note, hasAddress }: Reading) {
  const { hasTouch, isProjector, unprojected } = useFit();
  const { look, text } = unprojected;
  useProjector();
  const isDenied = useLessonState((state) => state.isStorageDenied);
  usePaintedFrames();
  const article = useRef<HTMLElement>(null);
  useReading(article);
  // The prose does not change while the lesson is open.
  const prose = useMemo(() => <Prose components={PROSE_COMPONENTS} />, [Prose]);
  const paper = usePaper(hasAddress ? urlOf({ page: "lesson", id }) : null);
  usePainted();
  const cause = useWorkbenchState((state) => state.session?.frame?.cause);
  return (
    <div
      className="lesson-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      data-projector={isProjector || undefined}
      data-embed={embed ? true : undefined}
      data-paper={paper.sheet !== null || undefined}
      data-motion={cause === "stepped" || cause === "back" ? "soft" : "none"}
      style={pageZoom(text)}
    >
      {embed ? (
        <EmbedBar href={urlOf({ page: "lesson", id })} faults={embed.faults}>
          <span className="embed-title">{data.title}</span>
        </EmbedBar>
      ) : (
        <Bar title={data.title} isCovered={isProjector} />
      )}
      <div className="lesson">
        <Rail isCovered={isProjector} />
        <main className="prose" aria-label={LESSON_PAGE.lesson} ref={article} inert={isProjector}>
          <h1 tabIndex={-1}>{data.title}</h1>
          <p className="stand">{data.about}</p>
          {isDenied && <p className="denied">{LESSON_PAGE.browserDeniesStorage}</p>}
          {!embed && data.course && (
            <LessonInfo id={id} course={data.course} minutes={data.minutes} />
          )}
          {note}
          <PrintButton paper={paper} />
          {prose}
          {!embed && <Onwards id={id} course={data.course} />}
          {!embed && hasAddress && <SaveAnswers id={id} />}
          <Forget />
          {!embed && hasAddress && <InAPage id={id} title={data.title} />}
        </main>
        <LiveStage />
        {paper.sheet?.(Prose)}
      </div>
      <ReservePattern />
    </div>
  );
}

function Bar({ title, isCovered }: { title: string; isCovered: boolean }) {
  const toMoment = useMomentLink();
  return (
    <PageBar
      isCovered={isCovered}
      crumb={
        <>
          <span className="wide-only">{LESSON_PAGE.lesson} </span>
          <b>{title}</b>
        </>
      }
    >
      <a className="btn line" {...toMoment}>
        <span className="wide-only">{LESSON_PAGE.openIn} </span>
        {LESSON_PAGE.workbench}
      </a>
    </PageBar>
  );
}

/** Code for the lesson in a frame of another site. */
const InAPage = ({ id, title }: { id: string; title: string }) => (
  <EmbedPart addressOf={(embed) => ({ page: "lesson", id, embed })} title={title} size={1} />
);

function Rail({ isCovered }: { isCovered: boolean }) {
  const { steps, minutes } = useLesson().lesson;
  const current = useLessonState((state) => state.current);
  const visited = useLessonState((state) => state.visited);
  const at = steps.findIndex(({ id }) => id === current);
  return (
    <nav className="rail" aria-label={LESSON_PAGE.stepsOfThisLesson} inert={isCovered}>
      <ol>
        {steps.map(({ id, title }) => (
          <li key={id} className={id === current ? "now" : visited.includes(id) ? "done" : ""}>
            <button
              type="button"
              aria-current={id === current ? "step" : undefined}
              data-leads-to={id}
              onClick={() => goToStep(id)}
            >
              {title}
            </button>
          </li>
        ))}
      </ol>
      <p className="minutes">
        {LESSON_PAGE.stepOfAboutInAll(Math.max(0, at) + 1, steps.length, minutes)}
      </p>
    </nav>
  );
}

function Forget() {
  const controller = useLesson();
  const count = useLessonState(
    ({ given, built, shown }) =>
      Object.keys(given).length + Object.keys(built).length + shown.length,
  );
  if (count === 0) return null;
  return (
    <p className="forget">
      <button type="button" className="btn line" onClick={() => controller.forget()}>
        {LESSON_PAGE.forgetMyAnswers}
      </button>
    </p>
  );
}

/** Shift+P lets the stage fill the window, as in the workbench. */
function useProjector(): void {
  useLayoutEffect(() => showProjected("lesson"), []);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isProjectorKey(event)) return;
      event.preventDefault();
      switchProjector();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** A step counts as read when its heading has passed this part of the window. */
const READ_AT = 0.45;
/** Time without scrolling before a step counts as read, ms. */
const SETTLE_MS = 200;

/**
 * After a click in a step the stage does not change until the reader scrolls by this part of the
 * window.
 */
const HELD = 0.25;

/** Tells the controller which step is being read, and returns to the reader's last position. */
function useReading(article: React.RefObject<HTMLElement | null>): void {
  const controller = useLesson();
  useEffect(() => {
    const { current } = controller.store.getState();
    const isBegun = current !== null && current !== controller.lesson.steps[0]?.id;
    let timer: ReturnType<typeof setTimeout>;
    let heldAt: number | null = null;
    /**
     * The reader went to this step, so it counts as being read, even if short steps below it are
     * visible.
     */
    const arrive = (step: string) => {
      clearTimeout(timer);
      heldAt = scrollY;
      controller.visit(step);
    };
    const look = () => {
      if (heldAt !== null && Math.abs(scrollY - heldAt) < innerHeight * HELD) return;
      heldAt = null;
      const step = stepRead(article.current);
      if (step) controller.visit(step);
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(look, SETTLE_MS);
    };
    const hold = (event: MouseEvent) => {
      if (!(event.target instanceof Element)) return;
      const leads = event.target.closest<HTMLElement>("[data-leads-to]")?.dataset.leadsTo;
      // The page scrolls to the step first.
      if (leads) setTimeout(() => arrive(leads));
      const step = event.target.closest("[data-step]");
      if (!(step instanceof HTMLElement) || !step.dataset.step) return;
      clearTimeout(timer);
      heldAt = scrollY;
      controller.enter(step.dataset.step);
    };
    if (isBegun) {
      document.getElementById(`head-${current}`)?.scrollIntoView({ block: "start" });
      arrive(current);
    } else look();
    addEventListener("scroll", later, { passive: true });
    // Runs before the pressed element acts.
    addEventListener("click", hold, { capture: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("scroll", later);
      removeEventListener("click", hold, { capture: true });
    };
  }, [controller, article]);
}

/** The step whose heading has passed the reading line; at the end of the page the last step. */
function stepRead(article: HTMLElement | null): string | undefined {
  const steps = [...(article?.querySelectorAll<HTMLElement>("[data-step]") ?? [])];
  const passed = steps.filter((step) => step.getBoundingClientRect().top < innerHeight * READ_AT);
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  return ((isAtEnd ? steps.at(-1) : passed.at(-1)) ?? steps[0])?.dataset.step;
}
