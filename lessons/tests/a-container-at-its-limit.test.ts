import { checkLesson } from "../checks.test-support";

checkLesson("a-container-at-its-limit");
