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

export function Tokens() {
  const live = useLive({ query: ApiTokensDocument, variables: {}, kinds: ["TOKEN"] });
  const [tokens, hopeFor] = useHopes(live.data?.apiTokens ?? []);
  const { nameOf } = useHostNames();
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [revoke] = useAct(RevokeApiTokenDocument, {
    done: ({ revokeApiToken }) => `${revokeApiToken.name} is revoked.`,
    failed: "The token was not revoked",
  });
  async function end(token: ApiTokenRowFragment): Promise<void> {
    const agreed = await confirm({
      title: `Revoke ${token.name} (${token.prefix}…)?`,
      verb: `Revoke ${token.name}`,
      danger: true,
      children: (
        <Text fz="sm">
          Programs that use it are refused at once{token.lastUsedAt === null ? "; it was never used" : ""}. Tokens that
          were made with it end too{namesOf(madeWith(token, tokens))}. That cannot be taken back.
        </Text>
      ),
    });
    if (agreed) await hopeFor(token.id, { status: "revoked" }, () => revoke({ id: token.id }));
  }
  return (
    <Page
      title="API tokens"
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          New token
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
            empty="No program has a token yet."
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
        title={`Token ${made?.name ?? ""}`}
        value={made?.value ?? null}
        note="It is shown this once and cannot be read again."
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

const namesOf = (tokens: readonly ApiTokenRowFragment[]): string =>
  tokens.length === 0 ? "" : `: ${tokens.map(({ name }) => name).join(", ")}`;

const columns = (
  nameOf: (hostId: number) => string,
  revoke: (token: ApiTokenRowFragment) => void,
): Column<ApiTokenRowFragment>[] => [
  {
    accessor: "name",
    title: "Token",
    render: ({ name }) => (
      <Text span fz="sm" fw={500}>
        {name}
      </Text>
    ),
  },
  { accessor: "prefix", title: "Begins with", cellsClassName: "mono", render: ({ prefix }) => `${prefix}…` },
  { accessor: "status", title: "Status", render: ({ status }) => <Status value={status} /> },
  {
    accessor: "permissions",
    title: "May",
    render: ({ permissions }) =>
      permissions.length === 0
        ? "REST v1"
        : permissions.map((each) => (
            <Badge key={each} color="blue">
              {each}
            </Badge>
          )),
  },
  {
    accessor: "connectionScope",
    title: "Hosts",
    render: ({ connectionScope }) =>
      connectionScope.length === 0 ? "every host" : connectionScope.map(nameOf).join(", "),
  },
  {
    accessor: "allowedIps",
    title: "From",
    cellsClassName: "mono",
    render: ({ allowedIps }) => allowedIps?.split("\n").join(", ") || "anywhere",
  },
  { accessor: "madeBy", title: "Made with", render: ({ madeBy }) => madeBy?.name ?? "–" },
  { accessor: "rateLimit", title: "Limit", render: ({ rateLimit }) => (rateLimit ? `${rateLimit} a minute` : "none") },
  {
    accessor: "lastUsedAt",
    title: "Last used",
    render: ({ id, lastUsedAt, lastUsedIp }) => (
      <>
        <Age at={lastUsedAt} />
        {lastUsedIp !== null && (
          <>
            {" from "}
            <TextLink to="/requests" search={{ tokenId: id }} underline="always">
              {lastUsedIp}
            </TextLink>
          </>
        )}
      </>
    ),
  },
  { accessor: "expiresAt", title: "Ends", render: ({ expiresAt }) => <Age at={expiresAt} /> },
  {
    accessor: "actions",
    title: <span className="unseen">Actions</span>,
    width: 80,
    render: (token) =>
      token.status === "active" && (
        <Button variant="default" size="compact-xs" aria-label={`Revoke ${token.name}`} onClick={() => revoke(token)}>
          Revoke
        </Button>
      ),
  },
];
