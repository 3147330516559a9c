// Brings a container's configuration values into the form that Proxmox VE stores.
import { normalizeTags } from "../guests/tags.js";
import { splitList } from "../parameters/lists.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";
import { completeInterface, isInterfaceName } from "./network.js";

export function completeContainerValues(release: Release, values: ConfigValues): ConfigValues {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, completeValue(release, key, value)]));
}

function completeValue(release: Release, key: string, value: string): string {
  if (isInterfaceName(key)) return completeInterface(release, value);
  if (key === "tags") return normalizeTags(value);
  if (key === "nameserver" || key === "searchdomain") return splitList(value).join(" ");
  return key === "description" && !value.endsWith("\n") ? `${value}\n` : value;
}
