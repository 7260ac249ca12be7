// The format of a lesson's folder, and a template to start with.

import { LESSON_COMPONENTS, LESSON_FILES, templateArchive } from "../../../lessons/folder/template";
import { writeFragment } from "../../../link/router";
import { RichText } from "../../../ui/rich-text";
import { saveBlob } from "../../../ui/save";
import { FORMAT } from "./words";

const saveTemplate = () => {
  const { name, bytes } = templateArchive();
  saveBlob(new Blob([new Uint8Array(bytes)], { type: "application/zip" }), name);
};

/** How to write a lesson. */
export function Format() {
  return (
    <section className="format" aria-labelledby="format">
      <h2 id="format">{FORMAT.howToWriteOne}</h2>
      <p>{FORMAT.templateHelp}</p>
      <button type="button" className="btn line" onClick={saveTemplate}>
        {FORMAT.saveTemplateMyLessonZip}
      </button>
      <h3>{FORMAT.itsFiles}</h3>
      <dl>
        {LESSON_FILES.map(({ name, about, isOptional = false }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              {isOptional && <small> {FORMAT.optional}</small>}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p>
        <RichText
          text={FORMAT.whatExperimentMaySay}
          parts={{
            a: (text) => (
              <a href={writeFragment({ page: "doc", doc: "experiment", section: null })}>{text}</a>
            ),
          }}
        />
      </p>
      <h3>{FORMAT.componentsInTextBesidesMarkdown}</h3>
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
      <p>{FORMAT.attributesAreQuotedStrings}</p>
    </section>
  );
}
