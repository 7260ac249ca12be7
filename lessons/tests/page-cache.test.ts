import { checkLesson } from "../checks.test-support";

checkLesson("page-cache");
