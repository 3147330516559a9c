// The networks of a host that guests get addresses of, and who has which.
import { Button, Group, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { guestAddress } from "../../components/guestColumns.js";
import { HostChoice, useHostOrFirst } from "../../components/HostChoice.js";
import { AddressLink, TextLink, UserLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Table, type Column } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";

import {
  DeleteIpZoneDocument,
  IpAddressesDocument,
  IpZonesDocument,
  type IpZonesQuery,
} from "../../generated/documents.js";
import { AddIpZone } from "./AddIpZone.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/ipZones.js";

export type ShownZone = IpZonesQuery["ipZones"]["items"][number];

export function IpZones() {
  const { hostId: asked, zoneId } = useSearch({ from: "/shell/ip-zones" });
  const navigate = useNavigate({ from: "/ip-zones" });
  const [adding, setAdding] = useState(false);
  const { hostId, none } = useHostOrFirst(asked);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <HostChoice value={hostId} onChoose={(next) => void navigate({ search: { hostId: next }, replace: true })} />
          <Button
            leftSection={<Plus size={14} aria-hidden />}
            disabled={hostId === undefined}
            onClick={() => setAdding(true)}
          >
            {texts.new}
          </Button>
        </>
      }
    >
      {hostId === undefined ? (
        none && <Nothing>{texts.noHost}</Nothing>
      ) : (
        <OfHost hostId={hostId} zoneId={zoneId} adding={adding} close={() => setAdding(false)} />
      )}
    </Page>
  );
}

interface OfHostProperties {
  readonly hostId: number;
  readonly zoneId: number | undefined;
  readonly adding: boolean;
  readonly close: () => void;
}

function OfHost({ hostId, zoneId, adding, close }: OfHostProperties) {
  const navigate = useNavigate({ from: "/ip-zones" });
  const live = useLive({ query: IpZonesDocument, variables: { hostId }, kinds: ["ADDRESS"] });
  const [remove] = useAct(DeleteIpZoneDocument, {
    done: () => texts.deleted,
    failed: texts.deleteFailed,
  });
  async function removeZone({ id, name, cidr }: ShownZone): Promise<void> {
    const agreed = await confirm({
      title: texts.deleteQuestion(name),
      verb: texts.deleteVerb(name),
      danger: true,
      children: <Text fz="sm">{texts.deleteWarning(cidr)}</Text>,
    });
    if (!agreed || (await remove({ id })) === null) return;
    live.refresh();
    if (id === zoneId) await navigate({ search: { hostId }, replace: true });
  }
  const zones = live.data?.ipZones.items ?? [];
  const shown = zones.find(({ id }) => id === zoneId) ?? zones[0];
  return (
    <Answer live={live} lines={6}>
      {({ ipZones, networks }) => (
        <>
          <Table
            rows={ipZones.items}
            columns={columns(shown?.id, (zone) => void removeZone(zone))}
            empty={texts.empty}
            onOpen={({ id }) => void navigate({ search: { hostId, zoneId: id }, replace: true })}
          />
          {shown !== undefined && <Addresses key={shown.id} zone={shown} />}
          <AddIpZone
            hostId={hostId}
            bridges={[...new Set(networks.items.map(({ name }) => name))]}
            opened={adding}
            close={close}
            added={() => live.refresh()}
          />
        </>
      )}
    </Answer>
  );
}

const columns = (shownId: number | undefined, remove: (zone: ShownZone) => void): Column<ShownZone>[] => [
  {
    accessor: "name",
    title: texts.columns.zone,
    render: ({ id, hostId, name }) => (
      <TextLink to="/ip-zones" search={{ hostId, zoneId: id }} replace fw={id === shownId ? 700 : 500}>
        {name}
      </TextLink>
    ),
  },
  { accessor: "cidr", title: texts.columns.network, cellsClassName: "mono" },
  {
    accessor: "gateway",
    title: texts.columns.gateway,
    cellsClassName: "mono",
    render: ({ gateway }) => gateway ?? "–",
  },
  {
    accessor: "bridge",
    title: texts.columns.bridge,
    render: ({ bridge, vlan }) => (vlan === null ? bridge : texts.bridgeAndVlan(bridge, vlan)),
  },
  {
    accessor: "nameservers",
    title: texts.columns.nameServers,
    cellsClassName: "mono",
    render: ({ nameservers }) => nameservers.join(", "),
  },
  {
    accessor: "used",
    title: texts.columns.used,
    render: ({ used, total, free }) => (
      <Meter
        label={texts.columns.used}
        value={total === 0 ? null : used / total}
        figure={texts.usage(used, total, free)}
        width={90}
      />
    ),
  },
  { accessor: "ref", title: texts.columns.id, cellsClassName: "mono" },
  {
    accessor: "actions",
    title: <span className="unseen">{texts.columns.actions}</span>,
    width: 80,
    render: (zone) => (
      <Button
        variant="default"
        size="compact-xs"
        aria-label={texts.deleteLabel(zone.name)}
        onClick={() => remove(zone)}
      >
        {texts.delete}
      </Button>
    ),
  },
];

const ADDRESSES_A_PAGE = 50;

function Addresses({ zone }: { readonly zone: ShownZone }) {
  const [page, setPage] = useState(1);
  const live = useLive({
    query: IpAddressesDocument,
    variables: { zoneId: zone.id, page },
    kinds: ["ADDRESS", "GUEST"],
  });
  return (
    <Section
      title={texts.addresses.title(zone.name)}
      actions={
        <Group>
          <Text fz="xs" c="dimmed">
            {texts.addresses.used(zone.used)}
          </Text>
        </Group>
      }
    >
      <Answer live={live} lines={5}>
        {({ ipAddresses }) => (
          <Table
            rows={ipAddresses.items}
            rowKey="address"
            empty={texts.addresses.empty}
            columns={[
              {
                accessor: "address",
                title: texts.addresses.address,
                cellsClassName: "mono",
                render: ({ address }) => <AddressLink address={address} hostId={zone.hostId} />,
              },
              {
                accessor: "guest",
                title: texts.addresses.guest,
                render: ({ guest, jobId }) => {
                  if (guest !== null)
                    return <TextLink {...guestAddress(guest)}>{common.guestAndVmid(guest.name, guest.vmid)}</TextLink>;
                  if (jobId === null) return texts.addresses.onHold;
                  return (
                    <TextLink to="/jobs/$id" params={{ id: String(jobId) }}>
                      {texts.addresses.reserved(jobId)}
                    </TextLink>
                  );
                },
              },
              {
                accessor: "owner",
                title: texts.addresses.owner,
                render: ({ owner }) => owner && <UserLink user={owner} />,
              },
              { accessor: "since", title: texts.addresses.since, render: ({ since }) => <Age at={since} /> },
            ]}
            paging={{ page, perPage: ADDRESSES_A_PAGE, total: ipAddresses.meta.total, onPage: setPage }}
          />
        )}
      </Answer>
    </Section>
  );
}
