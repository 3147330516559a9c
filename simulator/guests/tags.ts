// Brings tags into the form that Proxmox VE stores (lower case, sorted, each once), and guards those that are registered.
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";

export function normalizeTags(text: string): string {
  // No tag at all is kept as a blank, since an entry needs a value.
  return tagsIn(text).toSorted().join(";") || " ";
}

const tagsIn = (text: string): string[] => [...new Set(splitList(text).map((tag) => tag.toLowerCase()))];

/** Who gives a registered tag to a guest, or takes it off, needs the right to change the system. @throws ApiError 403 */
export function checkRegisteredTags({ platform, identity }: Call, before: string, after: string): void {
  const [old, wanted] = [tagsIn(before), tagsIn(after)];
  const changed = [...old.filter((tag) => !wanted.includes(tag)), ...wanted.filter((tag) => !old.includes(tag))];
  if (changed.some((tag) => platform.state.registeredTags.has(tag)))
    platform.permissions.check(identity.label, "/", ["Sys.Modify"]);
}
