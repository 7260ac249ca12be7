import { KEY_COMMANDS, keyWords } from "../../app/keys";
import { switchProjector } from "../../app/projector";
import { writeFragment } from "../../link/router";
import { Dialog } from "../../ui/dialog";
import { useFit } from "../../ui/fit";

/** A description of the page in three sentences, and every key. */
export function HelpDialog({ close }: { close: () => void }) {
  const { isProjector, canProject } = useFit();
  return (
    <Dialog title="Keys and help" close={close}>
      <p>
        The stage shows a machine's memory at one moment. Step forward and back with the arrow keys;
        the Why sentence says what the kernel compared and what followed. Names are links: point at
        one to highlight it everywhere.
      </p>
      <p>
        <a href={writeFragment({ page: "doc", doc: "manual", section: null })}>Manual</a>: how to
        use each part.{" "}
        <a href={writeFragment({ page: "doc", doc: "glossary", section: null })}>Glossary</a>: what
        the words mean. Your work is kept meanwhile.
      </p>
      <table className="keys">
        <thead className="sr">
          <tr>
            <th scope="col">key</th>
            <th scope="col">does</th>
          </tr>
        </thead>
        <tbody>
          {KEY_COMMANDS.map(({ keys, does }) => (
            <tr key={does}>
              <td>
                {keys.map((key) => (
                  <kbd key={key}>{keyWords(key)}</kbd>
                ))}
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {canProject && (
        <div className="actions">
          <button
            type="button"
            className="btn line"
            aria-pressed={isProjector}
            onClick={switchProjector}
          >
            Projector mode
          </button>
        </div>
      )}
      <p className="else">
        Function keys work while the workbench has the focus: press Tab once, or click in it. Inside
        the page map and the timeline, the arrow keys move the cursor there.
      </p>
      <p className="else">
        mmscope and everything it uses is free software:{" "}
        <a href="./LICENSES.txt" target="_blank" rel="noreferrer">
          licences
        </a>
        .
      </p>
    </Dialog>
  );
}
