// Asks a node what machines it can build: its processor, and the machine types of its QEMU.
import { z } from "zod";
import type { Processor } from "../../core/migration/hardware.js";
import type { Ask } from "./client.js";
import { records, textIn, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";
import { NOTHING, unlessRefused } from "./refusedAnswer.js";

const statusAnswer = z.object({ cpuinfo: z.object({ model: textOrNull, flags: textOrNull }).nullish() }).nullish();

/** A node that does not tell, or not this connection, is not judged by it. */
export async function readProcessor(ask: Ask, node: string): Promise<Processor | null> {
  const question = ask({ method: "GET", path: apiPath`/nodes/${node}/status` });
  const { data, source } = await unlessRefused(question, () => ({ ...NOTHING, data: null }));
  const { model, flags } = understand(statusAnswer, data, source)?.cpuinfo ?? { model: null, flags: null };
  return model === null ? null : { model, flags: (flags ?? "").split(/\s+/).filter((flag) => flag !== "") };
}

export async function readMachineTypes(ask: Ask, node: string): Promise<readonly string[]> {
  const question = ask({ method: "GET", path: apiPath`/nodes/${node}/capabilities/qemu/machines` });
  const { data, source } = await unlessRefused(question, () => NOTHING);
  return records(data, source).flatMap(({ id }) => textIn(id) ?? []);
}
