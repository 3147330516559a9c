// A dialog that is a form: closed by Escape, a click beside it or its button, it asks before something typed is lost.
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { focusWrong } from "./focusWrong.js";
import { askToDiscard, useUnsaved } from "./unsaved.js";
import { texts } from "../texts/common.js";

interface Properties<Values extends object> {
  readonly form: UseFormReturnType<Values>;
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  /** What the button that sends it says. */
  readonly verb: string;
  readonly onSubmit: (values: Values) => void;
  readonly busy?: boolean;
  /** Whether something is lost by it. */
  readonly danger?: boolean;
  /** What is worth knowing before it is sent. */
  readonly note?: string;
  readonly children: ReactNode;
}

export function FormDialog<Values extends object>(properties: Properties<Values>) {
  const { form, opened, close, title, onSubmit, children } = properties;
  useUnsaved(() => opened && form.isDirty());
  async function leave(): Promise<void> {
    if (form.isDirty() && !(await askToDiscard())) return;
    form.reset();
    close();
  }
  return (
    <Modal opened={opened} onClose={() => void leave()} title={title}>
      <form onSubmit={form.onSubmit(onSubmit, focusWrong(form))} noValidate>
        <Stack gap="xs">
          {children}
          <Decision {...properties} cancel={() => void leave()} />
        </Stack>
      </form>
    </Modal>
  );
}

interface DecisionProperties {
  readonly verb: string;
  readonly busy?: boolean;
  readonly danger?: boolean;
  readonly note?: string;
  readonly cancel: () => void;
}

function Decision({ verb, busy = false, danger = false, note, cancel }: DecisionProperties) {
  return (
    <Group justify="flex-end" gap="xs" mt="xs">
      {note !== undefined && (
        <Text fz="xs" c="dimmed" flex={1}>
          {note}
        </Text>
      )}
      <Button variant="default" onClick={cancel}>
        {texts.cancel}
      </Button>
      <Button type="submit" loading={busy} {...(danger ? { color: "red.9" } : {})}>
        {verb}
      </Button>
    </Group>
  );
}
