import { checkLesson } from "../checks.test-support";

checkLesson("anonymous-memory-and-swap");
