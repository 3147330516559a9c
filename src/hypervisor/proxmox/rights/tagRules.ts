// Asks which tags of guests a host keeps to those who may change its system.
import { z } from "zod";
import type { TagRules } from "./targetRights.js";
import type { ApiAnswer, Ask } from "../client.js";
import { isRecord, textIn, understand } from "../parse.js";
import { unlessRefused } from "../refusedAnswer.js";

/** Lists since 8.x, texts before. */
const words = z
  .unknown()
  .optional()
  .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((one) => textIn(one)?.split(/[;,\s]+/) ?? []));

const optionsAnswer = z.object({ "registered-tags": words, "user-tag-access": z.unknown().optional() }).nullish();

/** As auditors see them; null for a host that lacks the query or refuses it. */
export async function readTagRules(ask: Ask): Promise<TagRules | null> {
  const answer = await unlessRefused<ApiAnswer | null>(ask({ method: "GET", path: "/cluster/options" }), () => null);
  if (answer === null) return null;
  const options = understand(optionsAnswer, answer.data, answer.source);
  return { registered: options?.["registered-tags"] ?? [], isFree: isFree(options?.["user-tag-access"]) };
}

/** Given as an object, or as the text of the file: `user-allow=list,user-allow-list=a;b`. */
function isFree(access: unknown): boolean {
  const allowed = isRecord(access) ? access["user-allow"] : /(?:^|,)user-allow=([^,]*)/.exec(textIn(access) ?? "")?.[1];
  return (textIn(allowed) ?? "free") === "free";
}
