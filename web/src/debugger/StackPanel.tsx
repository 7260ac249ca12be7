import { useWorkbench, useWorkbenchState } from "../app/context";
import type { FunctionInfo, Local, View } from "../engine/types";
import { Name } from "../ui/lit";
import { Roll } from "../ui/roll";
import { Sentence } from "../ui/sentence";

/** The followed task's call stack, innermost first. */
export function StackPanel({
  view,
  functions,
}: {
  view: View;
  functions: readonly FunctionInfo[];
}) {
  const workbench = useWorkbench();
  const isChosen = useWorkbenchState((state) => state.followed !== null);
  const task = view.tasks.find(({ id }) => id === view.followed);
  return (
    <section aria-label="Call stack">
      <div className="hd">
        <h2 className="label">Call stack</h2>
        {task && <span className="cap">{isChosen ? `following ${task.name}` : task.name}</span>}
        {isChosen && (
          <button type="button" className="btn tiny" onClick={() => workbench.clearSelection()}>
            follow whoever runs
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className="stack" tabIndex={0}>
        {view.stack.map(({ function: id, line }, depth) => {
          const name = functions[id]?.name ?? `function ${id}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a frame is its depth
            <li key={depth}>
              <code>
                <Name k={`fn ${name}`}>{name}</Name>
              </code>
              <span>line {line + 1}</span>
            </li>
          );
        })}
        {view.stack.length === 0 && <li>user mode</li>}
      </ol>
    </section>
  );
}

/** Arguments and locals of the innermost function; a changed value keeps a dot until the next step. */
export function LocalsPanel({ view, earlier }: { view: View; earlier: View | null }) {
  const frame = view.stack[0];
  const was = earlier?.stack[0];
  const isSame = was !== undefined && was.function === frame?.function;
  return (
    <section aria-label="Locals">
      <div className="hd">
        <h2 className="label">Locals</h2>
      </div>
      <dl className="locals" tabIndex={0}>
        {(frame?.locals.length ?? 0) === 0 && (
          <div>
            <dt>none here</dt>
            <dd />
          </div>
        )}
        {frame?.locals.map((local) => {
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
    </section>
  );
}

/** A name and value that half the panel would cut get all of its width. */
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
