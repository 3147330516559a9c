// Says how the chosen template of a guest is written as one value, and how the service wants to hear it.
import { texts } from "../../texts/newGuest.js";

const LIBRARY = "library:";

/** An entry of the library as a choice. */
export const libraryChoice = (id: number, name: string): { readonly value: string; readonly label: string } => ({
  value: `${LIBRARY}${id}`,
  label: texts.libraryTemplate(name),
});

/** What the service calls the field of the chosen template. */
export const TEMPLATE_FIELDS = { osTemplate: "template", lxcTemplateId: "template" } as const;

/** The chosen template as a part of an input. */
export const templateInput = (chosen: string): { lxcTemplateId: number } | { osTemplate: string } =>
  chosen.startsWith(LIBRARY) ? { lxcTemplateId: Number(chosen.slice(LIBRARY.length)) } : { osTemplate: chosen };
