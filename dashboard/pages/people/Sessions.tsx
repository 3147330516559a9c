// The sessions of a person: which program, from where, until when. Each can be ended, and all at once but the present one.
import { Badge, Button, Group, Text } from "@mantine/core";
import { useAct } from "../../client/act.js";
import { useLive, type Live } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Hint } from "../../components/Hint.js";
import { Section } from "../../components/Section.js";
import { Table, type Column } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import {
  EndSessionDocument,
  EndSessionsDocument,
  SessionsDocument,
  type SessionsQuery,
} from "../../generated/documents.js";
import { programOf } from "./program.js";
import { texts } from "../../texts/sessions.js";

type ShownSession = SessionsQuery["sessions"][number];

/** Whose sessions are listed; null: those of the person who is signed in. */
type Owner = { readonly id: number; readonly username: string } | null;

/** @param pause whether they are not to be asked for: the service refuses those of users that the viewer does not manage */
export const useSessions = (userId: number | null, pause = false): Live<SessionsQuery> =>
  useLive({ query: SessionsDocument, variables: { userId }, kinds: ["USER"], keep: false, pause });

interface Properties {
  readonly owner: Owner;
  readonly live: Live<SessionsQuery>;
}

export function Sessions({ owner, live }: Properties) {
  const [end] = useAct(EndSessionDocument, { done: () => texts.ended, failed: texts.endFailed });
  // Also after a refusal: the session may have ended by itself.
  const endOne = async ({ id }: ShownSession): Promise<void> => {
    await end({ id });
    live.refresh();
  };
  return (
    <Section title={texts.title} actions={<EndAll owner={owner} refresh={() => live.refresh()} />}>
      <Answer live={live} lines={3}>
        {({ sessions }) => (
          <Table rows={sessions} columns={columns((session) => void endOne(session))} empty={texts.empty} />
        )}
      </Answer>
    </Section>
  );
}

interface EndAllProperties {
  readonly owner: Owner;
  readonly refresh: () => void;
}

function EndAll({ owner, refresh }: EndAllProperties) {
  const [endAll, busy] = useAct(EndSessionsDocument, {
    done: ({ endSessions }) => texts.endedAll(endSessions),
    failed: texts.endAllFailed,
  });
  const { question, verb, warning } = wordsFor(owner);
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: question,
      verb,
      danger: true,
      children: <Text fz="sm">{warning}</Text>,
    });
    if (agreed && (await endAll({ userId: owner?.id ?? null })) !== null) refresh();
  }
  return (
    <Button variant="default" size="compact-xs" loading={busy} onClick={() => void ask()}>
      {owner === null ? texts.own.endAll : texts.ofOther.endAll}
    </Button>
  );
}

const wordsFor = (owner: Owner) =>
  owner === null
    ? texts.own
    : {
        question: texts.ofOther.question(owner.username),
        verb: texts.ofOther.verb,
        warning: texts.ofOther.warning(owner.username),
      };

const columns = (end: (session: ShownSession) => void): Column<ShownSession>[] => [
  {
    accessor: "userAgent",
    title: texts.columns.program,
    render: ({ userAgent, current }) => (
      <Group gap={6}>
        <Hint label={userAgent}>
          <Text span fz="sm">
            {programOf(userAgent)}
          </Text>
        </Hint>
        {current && <Badge color="teal">{texts.current}</Badge>}
      </Group>
    ),
  },
  {
    accessor: "sourceIp",
    title: texts.columns.address,
    cellsClassName: "mono",
    render: ({ sourceIp }) => sourceIp ?? texts.unknownAddress,
  },
  { accessor: "createdAt", title: texts.columns.signedIn, render: ({ createdAt }) => <Age at={createdAt} /> },
  { accessor: "lastUsedAt", title: texts.columns.lastUsed, render: ({ lastUsedAt }) => <Age at={lastUsedAt} /> },
  { accessor: "expiresAt", title: texts.columns.expires, render: ({ expiresAt }) => <Age at={expiresAt} /> },
  {
    accessor: "actions",
    title: <span className="unseen">{texts.columns.actions}</span>,
    width: 60,
    render: (session) =>
      !session.current && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={texts.endLabel(programOf(session.userAgent), session.sourceIp ?? texts.unknownAddress)}
          onClick={() => end(session)}
        >
          {texts.end}
        </Button>
      ),
  },
];
