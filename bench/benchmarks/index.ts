// All benchmarks, in the order in which they run.
import type { Benchmark } from "../frame.js";
import { graphql } from "./graphql.js";
import { guests } from "./guests.js";
import { heartbeat } from "./heartbeat.js";
import { longPoll } from "./longPoll.js";
import { nested } from "./nested.js";
import { parallelCreation } from "./parallelCreation.js";
import { requestLogPrune } from "./requestLogPrune.js";

export const benchmarks: readonly Benchmark[] = [
  guests,
  graphql,
  nested,
  heartbeat,
  longPoll,
  parallelCreation,
  requestLogPrune,
];
