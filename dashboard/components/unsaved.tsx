// Asks before what somebody has typed is lost: with a dialog, a page or the whole tab.
import { Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";
import { confirm } from "./tell.js";
import { texts } from "../texts/common.js";

/** Resolves with whether what was typed may be lost. */
export const askToDiscard = (): Promise<boolean> =>
  confirm({
    title: texts.discard.title,
    verb: texts.discard.confirm,
    cancel: texts.discard.keep,
    danger: true,
    children: <Text fz="sm">{texts.discard.text}</Text>,
  });

/**
 * Keeps the page from being left while there is something to lose.
 * `isDirty` is asked at the moment of leaving: what was sent or taken back just before is nothing to lose;
 * `ask` resolves with whether it may be lost.
 */
export function useUnsaved(isDirty: () => boolean, ask: () => Promise<boolean> = askToDiscard): void {
  const latest = useRef(isDirty);
  latest.current = isDirty;
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && latest.current() && !(await ask()),
    enableBeforeUnload: () => latest.current(),
  });
}
