import { checkLesson } from "../checks.test-support";

checkLesson("tasks-and-their-memory");
