import { checkLesson } from "../checks.test-support";

checkLesson("old-pages-young-pages");
