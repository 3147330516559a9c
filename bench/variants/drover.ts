// The service's own REST v1: Express, the row table, graphql-jit, the reads.
import express from "express";
import type { RequestListener } from "node:http";
import { mountRest } from "../../rest/mount.js";
import { buildDroverSchema } from "../../schema/build.js";
import type { BenchParts } from "../parts.js";

export function droverHandler(parts: BenchParts): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  mountRest(app, { ...parts, schema: buildDroverSchema() });
  return app;
}
