// Tests whether the texts before the first question of a lesson answer it.

import type { LessonData, Question } from "../web/src/lessons/schema";

/** Words of four letters or more that carry the meaning of a text. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => !STOP.has(word)));

const STOP = new Set(["that", "this", "with", "from", "what", "when", "than", "they", "have"]);

/** All text before the first question: title, sentence, and the headings of all steps. */
const headTexts = ({ title, about, steps }: LessonData): string =>
  [title, about, ...steps.map((step) => step.title)].join(" ");

/** The words that only the correct answer has and that are visible before the question. */
export function revealedWords(lesson: LessonData, question: Question, key: string): string[] {
  const others = question.answers.filter(({ id }) => id !== key);
  const right = question.answers.filter(({ id }) => id === key);
  const text = (answers: Question["answers"]) =>
    answers.map(({ label, note }) => `${label} ${note}`).join(" ");
  const known = wordsOf(`${question.ask} ${text(others)}`);
  const knownWords = wordsOf(headTexts(lesson));
  return [...wordsOf(text(right))].filter((word) => !known.has(word) && knownWords.has(word));
}

/** The sentences after a question, up to the end of its step, that repeat the title. */
export function sentencesOfTitle({ title }: LessonData, prose: string, id: string): string[] {
  const [, after = ""] = prose.split(`<Ask id="${id}" />`);
  const [answerText = ""] = after.split("</Step>");
  const words = [...wordsOf(title)];
  const says = (sentence: string) => {
    const sentenceWords = wordsOf(sentence);
    return words.length > 0 && words.every((word) => sentenceWords.has(word));
  };
  return answerText.split(/(?<=[.!?])\s+/).filter(says);
}
