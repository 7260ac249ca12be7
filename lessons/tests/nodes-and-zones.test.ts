import { checkLesson } from "../checks.test-support";

checkLesson("nodes-and-zones");
