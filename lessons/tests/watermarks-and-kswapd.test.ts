import { checkLesson } from "../checks.test-support";

checkLesson("watermarks-and-kswapd");
