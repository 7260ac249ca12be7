import { checkLesson } from "../checks.test-support";

checkLesson("making-room-for-a-huge-page");
