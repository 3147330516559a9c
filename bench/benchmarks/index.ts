// All benchmarks, in the order in which they run.
import type { Benchmark } from "../frame.js";
import { graphql } from "./graphql.js";
import { guests } from "./guests.js";
import { parallelCreation } from "./parallelCreation.js";

export const benchmarks: readonly Benchmark[] = [guests, graphql, parallelCreation];
