// Tells the options of the datacenter.
import type { ApiAnswer } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";

/** `GET /cluster/options`: auditors are told all, others which tags they may set. */
export function readOptions({ platform, identity }: Call): ApiAnswer {
  const { registeredTags, guests, nextId } = platform.state;
  const used = [...guests.values()].flatMap(({ config }) => splitList(config.tags ?? ""));
  const free = used.filter((tag) => !registeredTags.has(tag));
  const audits = platform.permissions.has(identity.label, "/", ["Sys.Audit"]);
  const mayUse = platform.permissions.has(identity.label, "/", ["Sys.Modify"]) ? [...free, ...registeredTags] : free;
  return answer({
    ...(audits && { description: "", mac_prefix: "BC:24:11" }),
    ...(audits && registeredTags.size > 0 && { "registered-tags": [...registeredTags].toSorted() }),
    ...(audits && nextId !== null && { "next-id": asText(nextId) }),
    "allowed-tags": [...new Set(mayUse)].toSorted(),
  });
}

/** Numbers of an option with several parts are told as they stand in the file. */
const asText = (parts: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, String(value)]));
