// The lessons that the browser stores for the user: open them, save them as a file, remove them.

import { useEffect } from "react";
import { useStore } from "zustand";
import { archiveOf } from "../../../lessons/folder/archive";
import type { FolderTexts } from "../../../lessons/folder/check";
import { folders } from "../../../lessons/folder/opened";
import { saveBlob } from "../../../ui/save";
import { OWN_LESSONS } from "./words";

/** Saves a lesson as one file, to share it. */
export function saveArchive(name: string, texts: FolderTexts): void {
  const bytes = new Uint8Array(archiveOf(name, texts));
  saveBlob(new Blob([bytes], { type: "application/zip" }), `${name}.zip`);
}

/** When the lesson was last opened, in the date format of the user's browser. */
const dateWords = (saved_ms: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(saved_ms);

/** The list; nothing if it is empty. */
export function OwnLessons() {
  const { lessons, message, removed } = useStore(folders.shelf.store);
  useEffect(() => void folders.shelf.read(), []);
  const isEmpty = (lessons ?? []).length === 0;
  if (isEmpty && message === "" && !removed) return null;
  return (
    <section className="own-lessons" aria-labelledby="own-lessons">
      <h2 id="own-lessons">{OWN_LESSONS.yourLessons}</h2>
      {!isEmpty && (
        <>
          <p>{OWN_LESSONS.about}</p>
          <ul>
            {lessons?.map((lesson) => (
              <li key={lesson.name}>
                <span className="own-title">
                  <b>{lesson.title}</b>
                  <small>
                    {lesson.name}, {dateWords(lesson.saved_ms)}
                  </small>
                </span>
                <button
                  type="button"
                  className="btn line"
                  aria-label={OWN_LESSONS.openLabel(lesson.title)}
                  onClick={() => void folders.openStored(lesson.name)}
                >
                  {OWN_LESSONS.open}
                </button>
                <button
                  type="button"
                  className="btn line"
                  aria-label={OWN_LESSONS.saveAsFileLabel(lesson.title)}
                  onClick={() => saveArchive(lesson.name, lesson.texts)}
                >
                  {OWN_LESSONS.saveAsFile}
                </button>
                <button
                  type="button"
                  className="btn line"
                  aria-label={OWN_LESSONS.removeLabel(lesson.title)}
                  onClick={() => void folders.shelf.remove(lesson)}
                >
                  {OWN_LESSONS.remove}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="own-said">
        <span role="status">{message}</span>
        {removed && (
          <button type="button" className="btn line" onClick={() => void folders.shelf.undo()}>
            {OWN_LESSONS.undo}
          </button>
        )}
      </p>
    </section>
  );
}
