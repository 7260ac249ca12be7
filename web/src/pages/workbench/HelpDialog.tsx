import { KEY_COMMANDS, keyWords } from "../../app/keys";
import { switchProjector } from "../../app/projector";
import { writeFragment } from "../../link/router";
import { Dialog } from "../../ui/dialog";
import { useFit } from "../../ui/fit";
import { RichText } from "../../ui/rich-text";
import { HELP_DIALOG } from "./words";

/** A description of the page in three sentences, and every key. */
export function HelpDialog({ close }: { close: () => void }) {
  const { isProjector, canProject } = useFit();
  return (
    <Dialog title={HELP_DIALOG.keysAndHelp} close={close}>
      <p>{HELP_DIALOG.about}</p>
      <p>
        <RichText
          text={HELP_DIALOG.texts}
          parts={{
            a: (text) => (
              <a href={writeFragment({ page: "doc", doc: "manual", section: null })}>{text}</a>
            ),
            a2: (text) => (
              <a href={writeFragment({ page: "doc", doc: "glossary", section: null })}>{text}</a>
            ),
          }}
        />
      </p>
      <table className="keys">
        <thead className="sr">
          <tr>
            <th scope="col">{HELP_DIALOG.key}</th>
            <th scope="col">{HELP_DIALOG.does}</th>
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
            {HELP_DIALOG.projectorMode}
          </button>
        </div>
      )}
      <p className="else">{HELP_DIALOG.focus}</p>
      <p className="else">
        <RichText
          text={HELP_DIALOG.licences}
          parts={{
            a: (text) => (
              <a href="./LICENSES.txt" target="_blank" rel="noreferrer">
                {text}
              </a>
            ),
          }}
        />
      </p>
    </Dialog>
  );
}
