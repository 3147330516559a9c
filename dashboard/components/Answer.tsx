// What stands where data belongs until it is there, when there is none, and when it cannot be had.
import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { codesOf } from "../client/client.js";
import type { Live } from "../client/live.js";
import { texts } from "../texts/common.js";

interface Properties<Data> {
  readonly live: Live<Data>;
  /** Height of what will come, so that nothing jumps. */
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}

/** Shows the data, also an older answer beside the error that kept a newer one from coming. */
export function Answer<Data>({ live, lines = 6, children }: Properties<Data>) {
  const { data, error, refresh } = live;
  return (
    <Stack gap="sm">
      {error !== undefined && <Failure error={error} retry={refresh} />}
      {data === undefined && error === undefined && <Waiting lines={lines} />}
      {data !== undefined && children(data)}
    </Stack>
  );
}

export function Waiting({ lines = 6 }: { readonly lines?: number }) {
  return (
    <Stack gap={10} role="status" aria-label={texts.loading} mih={lines * 32}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={22} width={line === lines - 1 ? "60%" : "100%"} />
      ))}
    </Stack>
  );
}

export function Failure({ error, retry }: { readonly error: CombinedError; readonly retry?: () => void }) {
  const missing = codesOf(error).includes("NOT_FOUND");
  return (
    <Alert color={missing ? "gray" : "red"} title={missing ? texts.notFound : texts.loadFailed} role="alert">
      <Group justify="space-between" gap="xs">
        <Text fz="sm">{messageOf(error)}</Text>
        {retry !== undefined && (
          <Button variant="default" onClick={retry}>
            {texts.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The service's own words; of a lost connection, ours. */
export function messageOf(error: CombinedError): string {
  if (error.graphQLErrors.length > 0) return error.graphQLErrors.map(({ message }) => message).join("; ");
  return texts.serviceUnreachable;
}

export function Nothing({ children }: { readonly children: ReactNode }) {
  return (
    <Text c="dimmed" fz="sm" py="md" ta="center">
      {children}
    </Text>
  );
}
