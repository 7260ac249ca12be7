// The worker around the instance that reads texts.

import {
  explain_machine,
  import_zoneinfo,
  initSync,
  plan_sweep,
  print_ftrace,
  read_experiment,
  sweep_experiment,
  sweep_lines,
} from "../pkg/mmscope";
import { answerReader, type ReaderRequest } from "../reader";

const waiting: ReaderRequest[] = [];
let isReady = false;

const calls = {
  read_experiment,
  import_zoneinfo,
  explain_machine,
  print_ftrace,
  plan_sweep,
  sweep_experiment,
  sweep_lines,
};

const answer = (request: ReaderRequest) => postMessage(answerReader(calls, request));

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
