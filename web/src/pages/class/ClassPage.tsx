// For a class: a reader's own answers as a file, and a teacher's table of many such files.

import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { useStore } from "zustand";
import { LESSONS } from "../../lessons/heads";
import { MOST_NAME } from "../../lessons/progress-file";
import { answersOf, readStudent, saveAnswers } from "../../lessons/student";
import { writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { ClassTable } from "./ClassTable";
import { Roster } from "./roster";
import "./class.css";
import { RichText } from "../../ui/rich-text";
import { CLASS_PAGE } from "./words";

/** The class page. */
export function ClassPage() {
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = CLASS_PAGE.documentTitle;
  }, []);
  return (
    <div
      className="class-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>{CLASS_PAGE.title}</b>} />
      <main className="class-main" aria-label={CLASS_PAGE.title}>
        <h1 tabIndex={-1}>{CLASS_PAGE.title}</h1>
        <p className="stand">{CLASS_PAGE.about}</p>
        <Own />
        <Collected />
        <section aria-labelledby="more">
          <h2 id="more">{CLASS_PAGE.handoutsAndLearningPlatforms}</h2>
          <p>
            <RichText
              text={CLASS_PAGE.handouts}
              parts={{
                a: (text) => <a href={writeFragment({ page: "home" })}>{text}</a>,
                a2: (text) => (
                  <a href={writeFragment({ page: "doc", doc: "manual", section: "for-a-class" })}>
                    {text}
                  </a>
                ),
              }}
            />
          </p>
        </section>
      </main>
    </div>
  );
}

/** The reader's own answers to all lessons, as a file. */
function Own() {
  const [name, setName] = useState(readStudent);
  const [message, setMessage] = useState("");
  const [answers] = useState(() => answersOf(LESSONS.map(({ id }) => id)));
  const field = useId();
  const many = Object.keys(answers).length;
  return (
    <section aria-labelledby="own-answers">
      <h2 id="own-answers">{CLASS_PAGE.saveYourAnswers}</h2>
      <p>{CLASS_PAGE.own(many)}</p>
      <form
        className="own-form"
        onSubmit={(event) => {
          event.preventDefault();
          setMessage(saveAnswers(name, answers));
        }}
      >
        <label htmlFor={field}>{CLASS_PAGE.yourName}</label>
        <input
          id={field}
          value={name}
          maxLength={MOST_NAME}
          autoComplete="name"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" className="btn solid">
          {CLASS_PAGE.saveMyAnswers}
        </button>
        <span role="status">{message}</span>
      </form>
    </section>
  );
}

/** The contents of the files of a class. */
function Collected() {
  const [roster, setRoster] = useState<Roster | null>(null);
  useEffect(() => {
    const made = new Roster();
    setRoster(made);
    void made.begin();
    return () => made.dispose();
  }, []);
  return (
    <section aria-labelledby="collected">
      <h2 id="collected">{CLASS_PAGE.collectAnswersOfClass}</h2>
      {roster && <Files roster={roster} />}
    </section>
  );
}

function Files({ roster }: { roster: Roster }) {
  const { students, marks, bad, message, before } = useStore(roster.store);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const stop = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(event.type !== "dragleave");
  };
  return (
    <>
      {/* The button is for users who do not drag files. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here, and the button does the same */}
      <div
        className="drop-room"
        data-over={isOver || undefined}
        onDragEnter={stop}
        onDragOver={stop}
        onDragLeave={stop}
        onDrop={(event) => {
          stop(event);
          setOver(false);
          void roster.add([...event.dataTransfer.files]);
        }}
      >
        <button type="button" className="btn solid" onClick={() => input.current?.click()}>
          {CLASS_PAGE.addFiles}
        </button>
        <span>{CLASS_PAGE.orDropThemHere}</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept=".json,application/json"
          aria-label={CLASS_PAGE.filesOfStudents}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            if (files.length > 0) void roster.add(files);
            currentTarget.value = "";
          }}
        />
      </div>
      <p className="class-said">
        <span role="status">{message}</span>
        {before && (
          <button type="button" className="btn line" onClick={() => roster.undo()}>
            {CLASS_PAGE.undo}
          </button>
        )}
      </p>
      {bad.length > 0 && (
        <div className="bad-files" role="alert">
          <p>
            {bad.length === 1 ? CLASS_PAGE.thisFileWasNotAdded : CLASS_PAGE.theseFilesWereNotAdded}
          </p>
          <ul>
            {bad.map(({ name, fault }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
              <li key={i}>
                <b>{name}</b>: {fault}
              </li>
            ))}
          </ul>
        </div>
      )}
      {students.length > 0 && <ClassTable roster={roster} students={students} marks={marks} />}
    </>
  );
}
