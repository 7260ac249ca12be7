import { checkLesson } from "../checks.test-support";

checkLesson("when-kswapd-shrinks-a-zone-that-was-fine");
