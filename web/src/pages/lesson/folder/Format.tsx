// The format of a lesson's folder, and a template to start with.

import { LESSON_COMPONENTS, LESSON_FILES, templateArchive } from "../../../lessons/folder/template";
import { writeFragment } from "../../../link/router";
import { saveBlob } from "../../../ui/save";

const saveTemplate = () => {
  const { name, bytes } = templateArchive();
  saveBlob(new Blob([new Uint8Array(bytes)], { type: "application/zip" }), name);
};

/** How to write a lesson. */
export function Format() {
  return (
    <section className="format" aria-labelledby="format">
      <h2 id="format">How to write one</h2>
      <p>
        Save the template: it is a complete lesson, which opens here unchanged. To change it, unpack
        it, edit its files, and open the folder. The page names every fault by file and line.
      </p>
      <button type="button" className="btn line" onClick={saveTemplate}>
        Save the template (my-lesson.zip)
      </button>
      <h3>Its files</h3>
      <dl>
        {LESSON_FILES.map(({ name, about, isOptional = false }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              {isOptional && <small> optional</small>}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p>
        What an experiment may say is in{" "}
        <a href={writeFragment({ page: "doc", doc: "experiment", section: null })}>
          its list of fields
        </a>
        .
      </p>
      <h3>Components in the text, besides Markdown</h3>
      <dl>
        {LESSON_COMPONENTS.map(({ code, about }) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p>
        Attributes are quoted strings. Expressions and imports are not allowed: no code of a folder
        is executed.
      </p>
    </section>
  );
}
