import { checkLesson } from "../checks.test-support";

checkLesson("pages-and-frames");
