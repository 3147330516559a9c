// A dialog that holds a form: closed by Escape, a click beside it or its button, it asks before something typed is lost.
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { askToDiscard, useUnsaved } from "./unsaved.js";

/** What of a form the dialog must know. */
export interface DialogForm {
  isDirty(): boolean;
  /** Makes it as it was. */
  reset(): void;
}

interface Properties {
  readonly form: DialogForm;
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

export function FormDialog({ form, opened, close, title, children }: Properties) {
  useUnsaved(() => opened && form.isDirty());
  async function leave(): Promise<void> {
    if (form.isDirty() && !(await askToDiscard())) return;
    form.reset();
    close();
  }
  return (
    <Modal opened={opened} onClose={() => void leave()} title={title}>
      {children}
    </Modal>
  );
}
