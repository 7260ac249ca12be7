// The worker around the instance that reads texts.

import {
  explain_machine,
  import_zoneinfo,
  initSync,
  print_ftrace,
  read_experiment,
} from "../pkg/mmscope";
import { answerReader, type ReaderRequest } from "../reader";

const waiting: ReaderRequest[] = [];
let isReady = false;

const answer = (request: ReaderRequest) =>
  postMessage(
    answerReader({ read_experiment, import_zoneinfo, explain_machine, print_ftrace }, request),
  );

addEventListener("message", ({ data }: MessageEvent<ReaderRequest | WebAssembly.Module>) => {
  if (data instanceof WebAssembly.Module) {
    initSync({ module: data });
    isReady = true;
    for (const request of waiting.splice(0)) answer(request);
  } else if (isReady) {
    answer(data);
  } else {
    waiting.push(data);
  }
});
