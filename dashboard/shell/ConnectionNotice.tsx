// Says so while live updates are paused because the connection is lost, and since when.
import { Box, Group, Loader, Text, Tooltip } from "@mantine/core";
import { WifiOff } from "lucide-react";
import { useEffect, useRef } from "react";
import { useConnection } from "../client/connection.js";
import { span, moment } from "../format.js";
import { useNow } from "../components/now.js";
import { tellDone } from "../components/tell.js";
import { texts } from "../texts/shell.js";

/** Across the page while the connection is lost; afterwards a word that it is back. */
export function ConnectionNotice() {
  const { state, since } = useConnection();
  const now = useNow();
  const lost = useRef(false);
  useEffect(() => {
    if (state === "live" && lost.current) {
      tellDone(texts.connection.restored);
    }
    lost.current = state === "lost";
  }, [state]);
  if (state !== "lost" || since === null) return null;
  return (
    <Box role="alert" className="connection-lost" px="md" py={6}>
      <Group gap="xs" wrap="nowrap">
        <WifiOff size={16} aria-hidden />
        <Text fz="sm" fw={600}>
          {texts.connection.paused}
        </Text>
        <Text fz="sm">{texts.connection.since(moment(since), span(Math.max(0, (now - since) / 1000)))}</Text>
      </Group>
    </Box>
  );
}

/** In the header: whether changes are told as they happen. */
export function ConnectionMark() {
  const { state } = useConnection();
  const text = {
    live: texts.connection.live,
    connecting: texts.connection.connecting,
    lost: texts.connection.reconnecting,
  }[state];
  return (
    <Tooltip label={state === "live" ? texts.connection.updating : texts.connection.notUpdating}>
      <Group gap={6} wrap="nowrap" miw={88} role="status">
        {state === "live" ? <span className="live-dot" aria-hidden /> : <Loader size={10} aria-hidden />}
        <Text fz="xs" c="dimmed">
          {text}
        </Text>
      </Group>
    </Tooltip>
  );
}
