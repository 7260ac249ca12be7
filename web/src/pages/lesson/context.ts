// Gives the parts of a lesson access to its controller.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { Question } from "../../lessons/schema";
import type { LessonController, LessonState } from "./controller";

/** Provides the controller of the open lesson. */
export const LessonContext = createContext<LessonController | null>(null);

/** The controller of the open lesson: actions for components. */
export function useLesson(): LessonController {
  const controller = use(LessonContext);
  if (!controller) throw new Error("this component must be rendered inside a lesson");
  return controller;
}

/** A part of a lesson's state; the selector must return a stable value. */
export function useLessonState<T>(select: (state: LessonState) => T): T {
  return useStore(useLesson().store, select);
}

/** A question of the lesson by its id. */
export function useQuestion(id: string): Question {
  const { lesson } = useLesson();
  const question = lesson.questions.find((each) => each.id === id);
  if (!question) throw new Error(`the lesson has no question ${id}`);
  return question;
}
