// Who has and had an address of an IP zone, and when.
import { Alert, Badge } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { guestAddress } from "../../components/guestColumns.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { wholeMoment } from "../../format.js";
import { IpAddressHistoryDocument, type IpAddressHistoryQuery } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts as common } from "../../texts/common.js";
import { texts as ipZoneTexts } from "../../texts/ipZones.js";

const texts = ipZoneTexts.history;

type Holding = IpAddressHistoryQuery["ipAddressHistory"]["items"][number];

export function IpAddressPage() {
  const { address } = useParams({ from: "/shell/ip-addresses/$address" });
  const { hostId, page = 1, perPage = DEFAULT_PER_PAGE } = useSearch({ from: "/shell/ip-addresses/$address" });
  const navigate = useNavigate({ from: "/ip-addresses/$address" });
  const { nameOf } = useHostNames();
  const filter = { address, ...(hostId === undefined ? {} : { hostIds: [hostId] }) };
  const live = useLive({
    query: IpAddressHistoryDocument,
    variables: { filter, page, perPage },
    kinds: ["ADDRESS", "GUEST"],
  });
  return (
    <Page
      title={address}
      above={[
        <TextLink to="/ip-zones" search={{ hostId }}>
          {ipZoneTexts.title}
        </TextLink>,
      ]}
      readAt={live.readAt}
    >
      {hostId !== undefined && <OneHostOnly address={address} name={nameOf(hostId)} />}
      <Answer live={live} lines={6}>
        {({ ipAddressHistory }) => (
          <Table
            rows={ipAddressHistory.items}
            columns={columns(nameOf)}
            empty={texts.empty}
            paging={{
              page,
              perPage,
              total: ipAddressHistory.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) => void navigate({ search: { hostId, perPage: next } }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

/** Zones of several hosts may give out the same private address. */
function OneHostOnly({ address, name }: { readonly address: string; readonly name: string }) {
  return (
    <Alert color="gray" mb="sm" py={6}>
      {texts.oneHost(name)}{" "}
      <TextLink to="/ip-addresses/$address" params={{ address }} underline="always">
        {texts.allHosts}
      </TextLink>
    </Alert>
  );
}

const columns = (nameOf: (hostId: number | null) => string): Column<Holding>[] => [
  { accessor: "since", title: texts.from, cellsClassName: "number", render: ({ since }) => wholeMoment(since) },
  {
    accessor: "until",
    title: texts.until,
    cellsClassName: "number",
    render: ({ until }) => (until === null ? <Badge color="teal">{texts.current}</Badge> : wholeMoment(until)),
  },
  { accessor: "guestName", title: texts.guest, render: (holding) => <Holder holding={holding} /> },
  {
    accessor: "ownerName",
    title: texts.owner,
    render: ({ ownerId, ownerName }) =>
      ownerId === null ? (
        texts.noOwner
      ) : (
        <TextLink to="/users/$id" params={{ id: String(ownerId) }}>
          {ownerName}
        </TextLink>
      ),
  },
  {
    accessor: "zoneName",
    title: texts.hostAndZone,
    render: ({ hostId, zoneName }) => `${nameOf(hostId)} / ${zoneName}`,
  },
  {
    accessor: "jobId",
    title: texts.assignedBy,
    render: ({ jobId }) =>
      jobId === null ? (
        texts.discovered
      ) : (
        <TextLink to="/jobs/$id" params={{ id: String(jobId) }}>
          {texts.job(jobId)}
        </TextLink>
      ),
  },
];

/** The guest as it was called then; a link while it is still there. */
function Holder({ holding }: { readonly holding: Holding }) {
  const { guest, guestName, vmid } = holding;
  if (vmid === null) return texts.noGuest;
  const name = common.guestAndVmid(guestName ?? texts.unnamed, vmid);
  return guest === null ? texts.deleted(name) : <TextLink {...guestAddress(guest)}>{name}</TextLink>;
}
