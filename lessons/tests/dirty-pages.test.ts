import { checkLesson } from "../checks.test-support";

checkLesson("dirty-pages");
