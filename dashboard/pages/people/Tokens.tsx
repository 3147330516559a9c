// The tokens of programs: made, last used, revoked. A value is shown once.
import { Badge, Button, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useHopes } from "../../client/hopes.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { OnceShown } from "../../components/OnceShown.js";
import { Page } from "../../components/Page.js";
import { Status } from "../../components/Status.js";
import { Table, type Column } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { ApiTokensDocument, RevokeApiTokenDocument, type ApiTokenRowFragment } from "../../generated/documents.js";
import { AddToken, type MadeToken } from "./AddToken.js";
import { texts } from "../../texts/tokens.js";
import { permissionText } from "../../texts/terms.js";

export function Tokens() {
  const live = useLive({ query: ApiTokensDocument, variables: {}, kinds: ["TOKEN"] });
  const [tokens, hopeFor] = useHopes(live.data?.apiTokens ?? []);
  const { nameOf } = useHostNames();
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [revoke] = useAct(RevokeApiTokenDocument, {
    done: ({ revokeApiToken }) => texts.revoked(revokeApiToken.name),
    failed: texts.revokeFailed,
  });
  async function end(token: ApiTokenRowFragment): Promise<void> {
    const agreed = await confirm({
      title: texts.revokeQuestion(token.name, token.prefix),
      verb: texts.revokeVerb(token.name),
      danger: true,
      children: (
        <Text fz="sm">
          {texts.revokeWarning(
            token.lastUsedAt !== null,
            madeWith(token, tokens).map(({ name }) => name),
          )}
        </Text>
      ),
    });
    if (agreed) await hopeFor(token.id, { status: "revoked" }, () => revoke({ id: token.id }));
  }
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.new}
        </Button>
      }
    >
      <Answer live={live} lines={6}>
        {() => (
          <Table
            rows={tokens}
            columns={columns(
              (hostId) => nameOf(hostId),
              (token) => void end(token),
            )}
            empty={texts.empty}
          />
        )}
      </Answer>
      <AddToken
        opened={adding}
        close={() => setAdding(false)}
        made={(token) => {
          setMade(token);
          live.refresh();
        }}
      />
      <OnceShown
        title={texts.shownTitle(made?.name ?? "")}
        value={made?.value ?? null}
        note={texts.shownNote}
        close={() => setMade(null)}
      />
    </Page>
  );
}

/** The tokens that this one made, and those that they made, that are not revoked yet. */
function madeWith(maker: ApiTokenRowFragment, tokens: readonly ApiTokenRowFragment[]): ApiTokenRowFragment[] {
  const made = tokens.filter(({ madeBy, status }) => madeBy?.id === maker.id && status !== "revoked");
  return made.flatMap((each) => [each, ...madeWith(each, tokens)]);
}

const columns = (
  nameOf: (hostId: number) => string,
  revoke: (token: ApiTokenRowFragment) => void,
): Column<ApiTokenRowFragment>[] => [
  {
    accessor: "name",
    title: texts.columns.token,
    render: ({ name }) => (
      <Text span fz="sm" fw={500}>
        {name}
      </Text>
    ),
  },
  {
    accessor: "prefix",
    title: texts.columns.prefix,
    cellsClassName: "mono",
    render: ({ prefix }) => texts.prefix(prefix),
  },
  { accessor: "status", title: texts.columns.status, render: ({ status }) => <Status value={status} /> },
  {
    accessor: "permissions",
    title: texts.columns.permissions,
    render: ({ permissions }) =>
      permissions.length === 0
        ? texts.apiOnly
        : permissions.map((each) => (
            <Badge key={each} color="blue">
              {permissionText(each)}
            </Badge>
          )),
  },
  {
    accessor: "connectionScope",
    title: texts.columns.hosts,
    render: ({ connectionScope }) =>
      connectionScope.length === 0 ? texts.allHosts : connectionScope.map(nameOf).join(", "),
  },
  {
    accessor: "allowedIps",
    title: texts.columns.allowedIps,
    cellsClassName: "mono",
    render: ({ allowedIps }) => allowedIps?.split("\n").join(", ") || texts.anyIp,
  },
  { accessor: "madeBy", title: texts.columns.createdBy, render: ({ madeBy }) => madeBy?.name ?? "–" },
  {
    accessor: "rateLimit",
    title: texts.columns.rateLimit,
    render: ({ rateLimit }) => (rateLimit ? texts.perMinute(rateLimit) : texts.noLimit),
  },
  {
    accessor: "lastUsedAt",
    title: texts.columns.lastUsed,
    render: ({ id, lastUsedAt, lastUsedIp }) => (
      <>
        <Age at={lastUsedAt} />
        {lastUsedIp !== null && (
          <>
            {" · "}
            <TextLink to="/requests" search={{ tokenId: id }} underline="always">
              {lastUsedIp}
            </TextLink>
          </>
        )}
      </>
    ),
  },
  { accessor: "expiresAt", title: texts.columns.expires, render: ({ expiresAt }) => <Age at={expiresAt} /> },
  {
    accessor: "actions",
    title: <span className="unseen">{texts.columns.actions}</span>,
    width: 80,
    render: (token) =>
      token.status === "active" && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={texts.revokeVerb(token.name)}
          onClick={() => revoke(token)}
        >
          {texts.revoke}
        </Button>
      ),
  },
];
