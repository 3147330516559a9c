// The sign-ins of a person, and tries with a wrong password: when, from where, with which program.
import { Badge, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Hint } from "../../components/Hint.js";
import { Section } from "../../components/Section.js";
import { Table, type Column } from "../../components/Table.js";
import { SignInsDocument, type SignInsQuery } from "../../generated/documents.js";
import { programOf } from "./program.js";
import { texts } from "../../texts/sessions.js";

const PER_PAGE = 25;

type ShownSignIn = SignInsQuery["signIns"]["items"][number];

/** @param userId null: the person who is signed in */
export function SignIns({ userId }: { readonly userId: number | null }) {
  const [page, setPage] = useState(1);
  const live = useLive({ query: SignInsDocument, variables: { userId, page }, kinds: ["USER"] });
  return (
    <Section title={texts.signIns.title}>
      <Answer live={live} lines={3}>
        {({ signIns }) => (
          <Table
            rows={signIns.items}
            columns={COLUMNS}
            empty={texts.signIns.empty}
            paging={{ page, perPage: PER_PAGE, total: signIns.meta.total, onPage: setPage }}
          />
        )}
      </Answer>
    </Section>
  );
}

const COLUMNS: Column<ShownSignIn>[] = [
  { accessor: "at", title: texts.signIns.at, render: ({ at }) => <Age at={at} /> },
  {
    accessor: "outcome",
    title: texts.signIns.outcome,
    render: ({ outcome }) => (
      <Text span fz="sm" c={outcome === "SIGNED_IN" ? undefined : "red"}>
        {texts.signIns.outcomes[outcome]}
      </Text>
    ),
  },
  {
    accessor: "sourceIp",
    title: texts.columns.address,
    cellsClassName: "mono",
    render: ({ sourceIp, newAddress }) => (
      <Group gap={6}>
        {sourceIp}
        {newAddress && <Badge color="yellow">{texts.signIns.newAddress}</Badge>}
      </Group>
    ),
  },
  {
    accessor: "userAgent",
    title: texts.columns.program,
    render: ({ userAgent }) => (
      <Hint label={userAgent}>
        <Text span fz="sm">
          {programOf(userAgent)}
        </Text>
      </Hint>
    ),
  },
];
