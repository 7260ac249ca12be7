import { useWorkbench, useWorkbenchState } from "../app/context";
import type { FunctionInfo, Local, View } from "../engine/types";
import { Name } from "../ui/lit";
import { Roll } from "../ui/roll";
import { Sentence } from "../ui/sentence";
import { SourceLink, useSource } from "./SourceLink";
import { type Folding, StepPart } from "./StepPart";
import { STACK_PANEL } from "./words";

/** The followed task's call stack, innermost first. */
export function StackPanel({
  view,
  functions,
  folding,
}: {
  view: View;
  functions: readonly FunctionInfo[];
  folding: Folding;
}) {
  const workbench = useWorkbench();
  const isChosen = useWorkbenchState((state) => state.followed !== null);
  const task = view.tasks.find(({ id }) => id === view.followed);
  const depth = view.stack.length;
  return (
    <StepPart
      part="stack"
      title={STACK_PANEL.callStack}
      folding={folding}
      beside={
        <>
          {task && (
            <span className="cap">
              {isChosen ? STACK_PANEL.following(task.name) : task.name}
              {folding.isFolded("stack") && depth > 0 && STACK_PANEL.deep(depth)}
            </span>
          )}
          {isChosen && (
            <button type="button" className="btn tiny" onClick={() => workbench.clearSelection()}>
              {STACK_PANEL.followRunningTask}
            </button>
          )}
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keyboard */}
      <ol className="stack" tabIndex={0}>
        {view.stack.map(({ function: id, line }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a frame is identified by its depth
          <Frame key={i} of={functions[id]} id={id} line={line} />
        ))}
        {depth === 0 && <li>{STACK_PANEL.userMode}</li>}
      </ol>
    </StepPart>
  );
}

function Frame({ of, id, line }: { of: FunctionInfo | undefined; id: number; line: number }) {
  const source = useSource(of);
  const name = of?.name ?? `function ${id}`;
  return (
    <li>
      <code>
        <Name k={`fn ${name}`}>{name}</Name>
      </code>
      {source && <SourceLink source={source} />}
      <span className="at">{STACK_PANEL.line(line + 1)}</span>
    </li>
  );
}

/**
 * Arguments and locals of the innermost function. A changed value has a dot until the next step.
 */
export function LocalsPanel({
  view,
  earlier,
  folding,
}: {
  view: View;
  earlier: View | null;
  folding: Folding;
}) {
  const frame = view.stack[0];
  const was = earlier?.stack[0];
  const isSame = was !== undefined && was.function === frame?.function;
  const locals = frame?.locals ?? [];
  return (
    <StepPart
      part="locals"
      title={STACK_PANEL.locals}
      folding={folding}
      beside={locals.length > 0 && <span className="cap">{locals.length}</span>}
    >
      <dl className="locals" tabIndex={0}>
        {locals.length === 0 && (
          <div>
            <dt>{STACK_PANEL.noLocals}</dt>
            <dd />
          </div>
        )}
        {locals.map((local) => {
          const old = isSame ? was.locals.find(({ name }) => name === local.name) : undefined;
          const hasChanged = old !== undefined && old.value !== local.value;
          return (
            <div key={local.name} className={isLong(local) ? "long" : ""}>
              <dt>{local.name}</dt>
              <dd className={hasChanged ? "changed" : ""}>
                <Value local={local} />
              </dd>
            </div>
          );
        })}
      </dl>
    </StepPart>
  );
}

/** A name and value too long for half the panel's width get the full width. */
const isLong = ({ name, value }: Local) => name.length + value.length > 19;

function Value({ local: { value, refers } }: { local: Local }) {
  return (
    <Roll value={Number(value.replaceAll(",", "")) || value}>
      {refers ? (
        <Sentence spans={[{ ...refers, text: value }]} />
      ) : (
        value.replaceAll("|", "|\u200b")
      )}
    </Roll>
  );
}
