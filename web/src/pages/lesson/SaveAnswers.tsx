// At the end of a lesson: saves the answers as a file for a teacher.

import { useId, useState } from "react";
import { MOST_NAME } from "../../lessons/progress-file";
import { answersOf, readStudent, saveAnswers } from "../../lessons/student";
import { writeFragment } from "../../link/router";
import "./save-answers.css";
import { RichText } from "../../ui/rich-text";
import { SAVE_ANSWERS } from "./words";

/** Saves the answers of a lesson, with the reader's name. */
export function SaveAnswers({ id }: { id: string }) {
  const [name, setName] = useState(readStudent);
  const [message, setMessage] = useState("");
  const field = useId();
  return (
    <section className="save-answers" aria-labelledby={`${field}-title`}>
      <h3 id={`${field}-title`}>{SAVE_ANSWERS.handInYourAnswers}</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setMessage(saveAnswers(name, answersOf([id])));
        }}
      >
        <label htmlFor={field}>{SAVE_ANSWERS.yourName}</label>
        <input
          id={field}
          value={name}
          maxLength={MOST_NAME}
          autoComplete="name"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" className="btn line">
          {SAVE_ANSWERS.saveMyAnswers}
        </button>
      </form>
      <p>
        <RichText
          text={SAVE_ANSWERS.fileWithYourName}
          parts={{ a: (text) => <a href={writeFragment({ page: "class" })}>{text}</a> }}
        />
      </p>
      <p role="status">{message}</p>
    </section>
  );
}
