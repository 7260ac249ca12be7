import { checkLesson } from "../checks.test-support";

checkLesson("the-stall-that-was-not-the-disk");
