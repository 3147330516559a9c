// Says what can be installed on a guest, and how the service wants to hear it.
import type { ComboboxData } from "@mantine/core";
import type { CreateChoicesQuery, GuestType } from "../../generated/documents.js";

const LIBRARY = "library:";

/** Templates for a virtual machine or a container; nodes' files only with their node. */
export function templateChoices(choices: CreateChoicesQuery | undefined, type: GuestType, node?: string): ComboboxData {
  if (choices === undefined) return [];
  if (type === "QEMU") {
    return choices.osTemplates.items.map(({ ref, name, minDiskGb }) => ({
      value: ref,
      label: `${name} (from ${minDiskGb} GiB)`,
    }));
  }
  const library = choices.ctTemplates.items.filter(({ managed }) => managed);
  const files = choices.ctTemplates.items.filter((each) => !each.managed && (node === undefined || each.node === node));
  const unique = new Map(files.map(({ volid, name }) => [volid, name]));
  return [
    { group: "Library", items: library.map(({ id, name }) => ({ value: `${LIBRARY}${id}`, label: name })) },
    { group: "Files of nodes", items: [...unique].map(([value, label]) => ({ value, label })) },
  ].filter(({ items }) => items.length > 0);
}

/** What the service calls the field of the chosen template. */
export const TEMPLATE_FIELDS = { osTemplate: "template", lxcTemplateId: "template" } as const;

/** The chosen template as a part of an input. */
export const templateInput = (chosen: string): { lxcTemplateId: number } | { osTemplate: string } =>
  chosen.startsWith(LIBRARY) ? { lxcTemplateId: Number(chosen.slice(LIBRARY.length)) } : { osTemplate: chosen };
