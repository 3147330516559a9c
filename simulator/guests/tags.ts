// Brings tags into the form that Proxmox VE stores: lower case, sorted, each once.
import { splitList } from "../parameters/lists.js";

export function normalizeTags(text: string): string {
  return [...new Set(splitList(text).map((tag) => tag.toLowerCase()))].toSorted().join(";");
}
