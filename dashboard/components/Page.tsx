// The frame of every page: its title, where it stands, what can be done, and how old its data is.
import { Box, Breadcrumbs, Group, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { moment } from "../format.js";
import { texts } from "../texts/common.js";

interface Properties {
  readonly title: string;
  /** Beside the title: a status, a kind. */
  readonly mark?: ReactNode;
  /** The pages above this one. */
  readonly above?: readonly ReactNode[];
  readonly actions?: ReactNode;
  /** When what is shown was read. */
  readonly readAt?: number | null;
  readonly children: ReactNode;
}

export function Page({ title, mark, above = [], actions, readAt, children }: Properties) {
  useDocumentTitle(texts.documentTitle(title));
  return (
    <Box component="section" aria-labelledby="page-title">
      {above.length > 0 && (
        <Breadcrumbs fz="xs" mb={2} separator="›">
          {above.map((link, place) => (
            <span key={place}>{link}</span>
          ))}
          <Text span fz="xs" c="dimmed">
            {title}
          </Text>
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="center" mb="sm" mih={34} gap="xs">
        <Group gap="sm" align="center">
          <Title order={1} id="page-title">
            {title}
          </Title>
          {mark}
        </Group>
        <Group gap="xs" align="center">
          {readAt !== undefined && <ReadAt at={readAt} />}
          {actions}
        </Group>
      </Group>
      {children}
    </Box>
  );
}

/** Of fixed width: it must not push the buttons about. */
function ReadAt({ at }: { readonly at: number | null }) {
  return (
    <Text span fz="xs" c="dimmed" miw={86} ta="right" style={{ fontVariantNumeric: "tabular-nums" }}>
      {at === null ? "" : texts.updatedAt(moment(at))}
    </Text>
  );
}
