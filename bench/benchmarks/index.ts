// All benchmarks, in the order in which they run.
import type { Benchmark } from "../frame.js";
import { allocators } from "./allocators.js";
import { evacuation } from "./evacuation.js";
import { graphql } from "./graphql.js";
import { greedy } from "./greedy.js";
import { guests } from "./guests.js";
import { heartbeat } from "./heartbeat.js";
import { hostile } from "./hostile.js";
import { inventory } from "./inventory.js";
import { jobPickup } from "./jobPickup.js";
import { longPoll } from "./longPoll.js";
import { memory } from "./memory.js";
import { nested } from "./nested.js";
import { parallelCreation } from "./parallelCreation.js";
import { placement } from "./placement.js";
import { placementHttp } from "./placementHttp.js";
import { requestLogPrune } from "./requestLogPrune.js";
import { subscribers } from "./subscribers.js";

export const benchmarks: readonly Benchmark[] = [
  guests,
  graphql,
  nested,
  heartbeat,
  longPoll,
  placement,
  allocators,
  placementHttp,
  evacuation,
  parallelCreation,
  jobPickup,
  inventory,
  memory,
  requestLogPrune,
  subscribers,
  hostile,
  greedy,
];
