// Tells people what came of what they asked for, and asks before what cannot be taken back.
import { modals } from "@mantine/modals";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { messageOf } from "./Answer.js";

export const tellDone = (message: string): void => {
  notifications.show({ message, color: "teal" });
};

export const tellFailure = (title: string, error: CombinedError): void => {
  notifications.show({ title, message: messageOf(error), color: "red", autoClose: 12_000 });
};

interface Asked {
  /** Names the thing, such as `Delete web1 (500)?`. */
  readonly title: string;
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  readonly danger?: boolean;
}

/** Resolves with whether the person agreed. */
export function confirm({ title, children, verb, danger = false }: Asked): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children,
      labels: { confirm: verb, cancel: "Cancel" },
      confirmProps: danger ? { color: "red.9" } : {},
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
}
