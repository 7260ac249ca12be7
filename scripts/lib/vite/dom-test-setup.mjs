// Every component test starts with an empty page, and waits for what a person would see as long as
// the test itself may take: the library's second is a guess about the machine, and a busy one is slow,
// not wrong. What never comes fails all the same.

import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);
