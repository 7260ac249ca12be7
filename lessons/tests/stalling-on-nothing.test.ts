import { checkLesson } from "../checks.test-support";

checkLesson("stalling-on-nothing");
