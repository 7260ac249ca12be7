// How the parts of a lesson reach its desk.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { Question } from "../../lessons/schema";
import type { Desk, DeskState } from "./desk";

/** Holds the lesson that is read. */
export const DeskContext = createContext<Desk | null>(null);

/** The lesson that is read: actions for components. */
export function useDesk(): Desk {
  const desk = use(DeskContext);
  if (!desk) throw new Error("a component stands outside a lesson");
  return desk;
}

/** A part of a lesson's memory; the selector must give a stable value. */
export function useDeskState<T>(select: (state: DeskState) => T): T {
  return useStore(useDesk().store, select);
}

/** A question of the lesson by its id. */
export function useQuestion(id: string): Question {
  const { lesson } = useDesk();
  const question = lesson.questions.find((each) => each.id === id);
  if (!question) throw new Error(`the lesson has no question ${id}`);
  return question;
}
