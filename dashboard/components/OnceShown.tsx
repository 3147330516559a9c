// Shows a secret that is told only once, and is only closed by somebody who says so.
import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from "@mantine/core";
import { confirm } from "./tell.js";
import { useUnsaved } from "./unsaved.js";
import { texts } from "../texts/common.js";

interface Properties {
  readonly title: string;
  /** Null: nothing to show. */
  readonly value: string | null;
  readonly note: string;
  readonly close: () => void;
}

const askToForget = (): Promise<boolean> =>
  confirm({
    title: texts.secret.leaveTitle,
    verb: texts.secret.leave,
    cancel: texts.secret.stay,
    danger: true,
    children: <Text fz="sm">{texts.secret.leaveText}</Text>,
  });

export function OnceShown({ title, value, note, close }: Properties) {
  useUnsaved(() => value !== null, askToForget);
  return (
    <Modal
      opened={value !== null}
      onClose={close}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Alert color="yellow">{note}</Alert>
        <Code block data-testid="secret" className="secret">
          {value}
        </Code>
        <Group justify="space-between">
          <CopyButton value={value ?? ""}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.secret.copied : texts.secret.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={close}>{texts.secret.saved}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
