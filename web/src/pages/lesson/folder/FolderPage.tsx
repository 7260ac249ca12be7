// The user's own lesson: a folder or an archive that was chosen or dropped, with every error by
// file and line.

import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { shortSentence } from "../../../engine/shortened";
import { folders, type OpenedLesson } from "../../../lessons/folder/opened";
import { folderOf } from "../../../lessons/folder/read";
import { pageZoom, useFit } from "../../../ui/fit";
import { PageBar } from "../../../ui/page-bar";
import { ReadLesson } from "../LessonPage";
import { Format } from "./Format";
import { proseOf } from "./interpret";
import { OwnLessons, saveArchive } from "./OwnLessons";
import "./folder.css";
import { RichText } from "../../../ui/rich-text";
import { FOLDER_PAGE } from "./words";

/** The maximum number of errors in the list. */
const MOST_FAULTS = 100;

/** The open lesson of a folder, or the controls to open one. */
export function FolderPage() {
  const opened = useStore(folders.store, (state) => state.opened);
  const isRefused = useStore(folders.store, (state) => state.refused !== null);
  const isReading = useStore(folders.store, (state) => state.reading !== null);
  // The lesson that the reader left to open another; it stays open until another replaces it.
  const [left, leave] = useState<OpenedLesson | null>(null);
  useEffect(() => void folders.resume(), []);
  if (opened && !isRefused && !isReading && left !== opened) {
    return (
      <Own
        key={opened.name}
        opened={opened}
        another={() => {
          folders.leave();
          leave(opened);
        }}
      />
    );
  }
  return (
    <Choose
      back={
        opened && {
          name: opened.lesson.data.title,
          go: () => {
            folders.keep();
            leave(null);
          },
        }
      }
    />
  );
}

function Own({
  opened: { name, texts, lesson },
  another,
}: {
  opened: OpenedLesson;
  another: () => void;
}) {
  const content = useMemo(() => ({ data: lesson.data, Prose: proseOf(lesson.tree) }), [lesson]);
  return (
    <ReadLesson
      id={`folder:${name}`}
      lesson={content}
      note={
        <p className="own-folder">
          <span>
            <RichText text={FOLDER_PAGE.fromYourFolder} parts={{ name: <b>{name}</b> }} />
          </span>
          <button type="button" className="btn line" onClick={() => saveArchive(name, texts)}>
            {FOLDER_PAGE.saveAsFile}
          </button>
          <button type="button" className="btn line" onClick={another}>
            {FOLDER_PAGE.openItAgainOrAnother}
          </button>
        </p>
      }
    />
  );
}

function Choose({ back }: { back: { name: string; go: () => void } | null }) {
  const { look, text, hasTouch } = useFit();
  const reading = useStore(folders.store, (state) => state.reading);
  const refused = useStore(folders.store, (state) => state.refused);
  useEffect(() => {
    document.title = FOLDER_PAGE.documentTitle;
  }, []);
  return (
    <div
      className="folder-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar />
      <main className="folder" aria-label={FOLDER_PAGE.title}>
        <h1 tabIndex={-1}>{FOLDER_PAGE.title}</h1>
        <p>
          <RichText text={FOLDER_PAGE.about} parts={{ code: (text) => <code>{text}</code> }} />
        </p>
        <div className="go">
          <FolderButton />
          <ArchiveButton />
          {back && (
            <button type="button" className="btn line" onClick={back.go}>
              {FOLDER_PAGE.backTo(back.name)}
            </button>
          )}
          <span role="status">{reading !== null && FOLDER_PAGE.reading(reading)}</span>
        </div>
        {refused && reading === null && (
          <section className="faults" role="alert" aria-labelledby="faults">
            <h2 id="faults">{FOLDER_PAGE.nameHasFaults(refused.name, refused.faults.length)}</h2>
            {back && <p>{FOLDER_PAGE.isStillOpen(back.name)}</p>}
            <ul>
              {refused.faults.slice(0, MOST_FAULTS).map(({ file, line, reason }) => (
                <li key={`${file}:${line} ${reason}`}>
                  <code>{line === null ? file : `${file}:${line}`}</code> {shortSentence(reason)}
                </li>
              ))}
              {refused.faults.length > MOST_FAULTS && (
                <li>{FOLDER_PAGE.firstAreListed(MOST_FAULTS)}</li>
              )}
            </ul>
          </section>
        )}
        <OwnLessons />
        <Format />
      </main>
    </div>
  );
}

/** Lets the user choose a folder. */
function FolderButton() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setAttribute("webkitdirectory", ""), []);
  return (
    <>
      <button type="button" className="btn solid" onClick={() => input.current?.click()}>
        {FOLDER_PAGE.chooseFolder}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={FOLDER_PAGE.folderOfLesson}
        onChange={({ currentTarget }) => {
          const { name, files } = folderOf([...(currentTarget.files ?? [])]);
          if (files.length > 0) void folders.open(name, Promise.resolve(files));
          // Lets the user choose the same folder again after correcting it.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Lets the user choose the archive of a lesson. */
function ArchiveButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="btn line" onClick={() => input.current?.click()}>
        {FOLDER_PAGE.chooseZipFile}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,application/zip"
        aria-label={FOLDER_PAGE.archiveOfLesson}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) void folders.openArchive(file);
          currentTarget.value = "";
        }}
      />
    </>
  );
}
