// One guest: what it is and does, what can be done with it, what was done.
import { ActionIcon, Alert, Badge, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { ArrowRightLeft, Trash2 } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { GuestState, guestParams } from "../../components/guestColumns.js";
import { GuestMenu, useGuestPower, verbOf } from "../../components/GuestMenu.js";
import { JobList } from "../../components/JobList.js";
import { JobProgress } from "../../components/JobProgress.js";
import { AddressLink, ButtonLink, TextLink, UserLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Table } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { gibibytes, mebibytes, percent, span } from "../../format.js";
import { DeletePortForwardDocument, GuestDocument, type GuestQuery } from "../../generated/documents.js";
import { AddPortForward } from "../hosts/AddPortForward.js";
import { AssignGuest } from "./AssignGuest.js";
import { ReinstallGuest } from "./ReinstallGuest.js";

export type ShownGuest = GuestQuery["guest"];

/** The type as addresses write it. */
export const typeOf = (text: string): "QEMU" | "LXC" => (text.toLowerCase() === "lxc" ? "LXC" : "QEMU");

export function GuestPage() {
  const { hostId, type, vmid } = useParams({ from: "/shell/guests/$hostId/$type/$vmid" });
  const variables = { hostId: Number(hostId), type: typeOf(type), vmid: Number(vmid) };
  const live = useLive({ query: GuestDocument, variables, kinds: ["GUEST", "JOB"], keep: false });
  const guest = live.data?.guest;
  return (
    <Page
      title={guest?.name ?? `Guest ${vmid}`}
      mark={guest && <Marks guest={guest} />}
      above={[<TextLink to="/guests">Guests</TextLink>]}
      readAt={live.readAt}
      actions={guest && <Actions guest={guest} refresh={live.refresh} />}
    >
      <Answer live={live} lines={12}>
        {(data) => <Whole data={data} refresh={live.refresh} />}
      </Answer>
    </Page>
  );
}

function Marks({ guest }: { readonly guest: ShownGuest }) {
  return (
    <Group gap={8}>
      <GuestState guest={guest} />
      {guest.template && <Badge color="gray">template</Badge>}
      {guest.safetyCopy && <Badge color="violet">safety copy</Badge>}
    </Group>
  );
}

interface ActionProperties {
  readonly guest: ShownGuest;
  readonly refresh: () => void;
}

function Actions({ guest, refresh }: ActionProperties) {
  const { change, busy, actions } = useGuestPower(guest);
  const first = actions.find((action) => action === "START" || action === "RESUME");
  return (
    <>
      {first !== undefined && (
        <Button loading={busy} onClick={() => void change(first)}>
          {verbOf(first)}
        </Button>
      )}
      {!guest.template && !guest.safetyCopy && guest.activeJob === null && (
        <ButtonLink
          to="/guests/$hostId/$type/$vmid/move"
          params={guestParams(guest)}
          variant="default"
          leftSection={<ArrowRightLeft size={14} aria-hidden />}
        >
          Move
        </ButtonLink>
      )}
      {!guest.template && !guest.safetyCopy && (
        <>
          <AssignGuest guest={guest} assigned={refresh} />
          <ReinstallGuest guest={guest} />
        </>
      )}
      <GuestMenu guest={guest} />
    </>
  );
}

interface WholeProperties {
  readonly data: GuestQuery;
  readonly refresh: () => void;
}

function Whole({ data, refresh }: WholeProperties) {
  const { guest, jobs } = data;
  return (
    <Stack gap="sm">
      {guest.activeJob !== null && (
        <Section title="Under way">
          <JobProgress id={guest.activeJob.id} onEnd={refresh} />
        </Section>
      )}
      {guest.safetyCopy && (
        <Alert color="violet">
          The stopped original that a move left behind.{" "}
          {guest.safetyCopyDeleteAt !== null && (
            <>
              It is deleted <Age at={guest.safetyCopyDeleteAt} />.
            </>
          )}
        </Alert>
      )}
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title="Guest">
            <Facts facts={factsOf(guest)} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="sm">
            <Section title="Use">
              <Facts
                facts={[
                  [
                    "CPU",
                    <Meter
                      key="cpu"
                      label="CPU"
                      value={guest.cpuUsage}
                      figure={`${percent(guest.cpuUsage)} of ${guest.cores} cores`}
                      width={160}
                    />,
                  ],
                  [
                    "RAM",
                    <Meter
                      key="ram"
                      label="RAM"
                      value={guest.memoryUsedMb === null ? null : guest.memoryUsedMb / guest.memoryMb}
                      figure={`${mebibytes(guest.memoryUsedMb)} of ${mebibytes(guest.memoryMb)}`}
                      limit={1}
                      width={160}
                    />,
                  ],
                  ["Disk", gibibytes(guest.diskGb)],
                  ["Up", span(guest.uptimeSeconds)],
                  ["Last seen", <Age key="seen" at={guest.lastSeenAt} />],
                ]}
              />
            </Section>
            <Section
              title="Jobs"
              actions={
                <TextLink to="/jobs" search={{ hostId: guest.hostId, vmid: guest.vmid }}>
                  All
                </TextLink>
              }
            >
              <JobList jobs={jobs.items} empty="Nothing was done with this guest yet." />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
      <PortForwards guest={guest} refresh={refresh} />
    </Stack>
  );
}

const factsOf = (guest: ShownGuest) =>
  [
    ["VMID", `${guest.vmid} · ${guest.type === "LXC" ? "container" : "virtual machine"}`],
    [
      "Host",
      <TextLink key="host" to="/hosts/$hostId" params={{ hostId: String(guest.hostId) }}>
        {guest.host.name}
      </TextLink>,
    ],
    [
      "Node",
      <TextLink key="node" to="/hosts/$hostId/nodes/$node" params={{ hostId: String(guest.hostId), node: guest.node }}>
        {guest.node}
      </TextLink>,
    ],
    ["Size", `${guest.cores} cores, ${mebibytes(guest.memoryMb)} RAM, ${gibibytes(guest.diskGb)} disk`],
    ["Plan", guest.plan?.name ?? "–"],
    ["Owner", guest.owner === null ? "nobody" : <UserLink key="owner" user={guest.owner} />],
    [
      "Addresses",
      guest.ipAddresses.length === 0 ? (
        "–"
      ) : (
        <Group key="addresses" gap="xs" className="mono">
          {guest.ipAddresses.map((address) => (
            <AddressLink key={address} address={address} hostId={guest.hostId} />
          ))}
        </Group>
      ),
    ],
    ["Tags", guest.tags.length === 0 ? "–" : guest.tags.join(", ")],
    ["First seen", <Age key="first" at={guest.createdAt} />],
  ] as const;

function PortForwards({ guest, refresh }: { readonly guest: ShownGuest; readonly refresh: () => void }) {
  const [adding, setAdding] = useState(false);
  const [remove] = useAct(DeletePortForwardDocument, {
    done: () => "The port forward is gone.",
    failed: "The port forward was not deleted",
  });
  async function removeForward({ id, protocol, publicPort, node }: ShownGuest["portForwards"][number]): Promise<void> {
    const agreed = await confirm({
      title: `Delete the forward of ${protocol} port ${publicPort}?`,
      verb: "Delete",
      danger: true,
      children: (
        <Text fz="sm">
          {guest.name} can no longer be reached at port {publicPort} of {node}.
        </Text>
      ),
    });
    if (agreed && (await remove({ id })) !== null) refresh();
  }
  return (
    <Section
      title="Port forwards"
      actions={
        !guest.template && (
          <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
            Add a forward
          </Button>
        )
      }
    >
      {guest.portForwards.length === 0 ? (
        <Nothing>No public port leads to this guest.</Nothing>
      ) : (
        <Table
          rows={guest.portForwards}
          empty=""
          columns={[
            { accessor: "protocol", title: "Protocol" },
            {
              accessor: "publicPort",
              title: "Public port",
              render: ({ node, publicPort }) => `${publicPort} on ${node}`,
            },
            {
              accessor: "guestPort",
              title: "Leads to",
              render: ({ guestAddress, guestPort }) => `${guestAddress}, port ${guestPort}`,
            },
            {
              accessor: "actions",
              title: <span className="unseen">Actions</span>,
              width: 44,
              render: (forward) => (
                <ActionIcon
                  size="sm"
                  aria-label={`Delete the forward of port ${forward.publicPort}`}
                  onClick={() => void removeForward(forward)}
                >
                  <Trash2 size={14} aria-hidden />
                </ActionIcon>
              ),
            },
          ]}
        />
      )}
      <AddPortForward guest={guest} opened={adding} close={() => setAdding(false)} added={refresh} />
    </Section>
  );
}
