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
import { GuestMenu, useGuestPower } from "../../components/GuestMenu.js";
import { JobList } from "../../components/JobList.js";
import { JobProgress } from "../../components/JobProgress.js";
import { AddressLink, ButtonLink, TextLink, UserLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Table } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { mebibytes, percent, span } from "../../format.js";
import { diskText } from "../../guestDisk.js";
import { DeletePortForwardDocument, GuestDocument, type GuestQuery } from "../../generated/documents.js";
import { AddPortForward } from "../hosts/AddPortForward.js";
import { AssignGuest } from "./AssignGuest.js";
import { ReinstallGuest } from "./ReinstallGuest.js";
import type { ShownGuest } from "./shownGuest.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/guests.js";
import { powerText } from "../../texts/terms.js";

/** The type as addresses write it. */
export const typeOf = (text: string): "QEMU" | "LXC" => (text.toLowerCase() === "lxc" ? "LXC" : "QEMU");

export function GuestPage() {
  const { hostId, type, vmid } = useParams({ from: "/shell/guests/$hostId/$type/$vmid" });
  const variables = { hostId: Number(hostId), type: typeOf(type), vmid: Number(vmid) };
  const live = useLive({ query: GuestDocument, variables, kinds: ["GUEST", "JOB"], keep: false });
  const guest = live.data?.guest;
  return (
    <Page
      title={guest?.name ?? texts.guestNumber(vmid)}
      mark={guest && <Marks guest={guest} />}
      above={[<TextLink to="/guests">{texts.title}</TextLink>]}
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
      {guest.template && <Badge color="gray">{texts.marks.template}</Badge>}
      {guest.safetyCopy && <Badge color="violet">{texts.marks.safetyCopy}</Badge>}
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
          {powerText(first)}
        </Button>
      )}
      {!guest.template && !guest.safetyCopy && guest.activeJob === null && (
        <ButtonLink
          to="/guests/$hostId/$type/$vmid/move"
          params={guestParams(guest)}
          variant="default"
          leftSection={<ArrowRightLeft size={14} aria-hidden />}
        >
          {texts.migrate}
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
        <Section title={texts.page.runningJob}>
          <JobProgress id={guest.activeJob.id} onEnd={refresh} />
        </Section>
      )}
      {guest.safetyCopy && (
        <Alert color="violet">
          {texts.page.safetyCopy}{" "}
          {guest.safetyCopyDeleteAt !== null && (
            <>
              {texts.page.autoDelete} <Age at={guest.safetyCopyDeleteAt} />
            </>
          )}
        </Alert>
      )}
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title={texts.page.guest}>
            <Facts facts={factsOf(guest)} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="sm">
            <Section title={texts.page.usage}>
              <Facts
                facts={[
                  [
                    common.cpu,
                    <Meter
                      key="cpu"
                      label={common.cpu}
                      value={guest.cpuUsage}
                      figure={common.ofCores(percent(guest.cpuUsage), guest.cores)}
                      width={160}
                    />,
                  ],
                  [
                    common.ram,
                    <Meter
                      key="ram"
                      label={common.ram}
                      value={guest.memoryUsedMb === null ? null : guest.memoryUsedMb / guest.memoryMb}
                      figure={common.of(mebibytes(guest.memoryUsedMb), mebibytes(guest.memoryMb))}
                      limit={1}
                      width={160}
                    />,
                  ],
                  [texts.columns.disk, diskText(guest)],
                  [texts.columns.uptime, span(guest.uptimeSeconds)],
                  [texts.page.lastUpdated, <Age key="seen" at={guest.lastSeenAt} />],
                ]}
              />
            </Section>
            <Section
              title={texts.page.jobs}
              actions={
                <TextLink to="/jobs" search={{ hostId: guest.hostId, vmid: guest.vmid }}>
                  {texts.page.allJobs}
                </TextLink>
              }
            >
              <JobList jobs={jobs.items} empty={texts.page.noJobs} />
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
    [texts.columns.vmid, texts.page.type(guest.vmid, guest.type)],
    [
      texts.page.host,
      <TextLink key="host" to="/hosts/$hostId" params={{ hostId: String(guest.hostId) }}>
        {guest.host.name}
      </TextLink>,
    ],
    [
      texts.columns.node,
      <TextLink key="node" to="/hosts/$hostId/nodes/$node" params={{ hostId: String(guest.hostId), node: guest.node }}>
        {guest.node}
      </TextLink>,
    ],
    [texts.page.size, texts.page.sizes(guest.cores, mebibytes(guest.memoryMb), diskText(guest))],
    [texts.page.plan, guest.plan?.name ?? "–"],
    [texts.columns.owner, guest.owner === null ? texts.page.noOwner : <UserLink key="owner" user={guest.owner} />],
    [
      texts.page.addresses,
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
    [texts.page.tags, guest.tags.length === 0 ? "–" : guest.tags.join(", ")],
    [texts.page.created, <Age key="first" at={guest.createdAt} />],
  ] as const;

function PortForwards({ guest, refresh }: { readonly guest: ShownGuest; readonly refresh: () => void }) {
  const [adding, setAdding] = useState(false);
  const [remove] = useAct(DeletePortForwardDocument, {
    done: () => texts.forwards.deleted,
    failed: texts.forwards.deleteFailed,
  });
  async function removeForward({ id, protocol, publicPort, node }: ShownGuest["portForwards"][number]): Promise<void> {
    const agreed = await confirm({
      title: texts.forwards.deleteQuestion(protocol, publicPort),
      verb: texts.delete,
      danger: true,
      children: <Text fz="sm">{texts.forwards.deleteWarning(guest.name, publicPort, node)}</Text>,
    });
    if (agreed && (await remove({ id })) !== null) refresh();
  }
  return (
    <Section
      title={texts.forwards.title}
      actions={
        !guest.template && (
          <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
            {texts.forwards.add}
          </Button>
        )
      }
    >
      {guest.portForwards.length === 0 ? (
        <Nothing>{texts.forwards.none}</Nothing>
      ) : (
        <Table
          rows={guest.portForwards}
          empty=""
          columns={[
            { accessor: "protocol", title: texts.forwards.protocol },
            {
              accessor: "publicPort",
              title: texts.forwards.publicPort,
              render: ({ node, publicPort }) => texts.forwards.publicPortOn(publicPort, node),
            },
            {
              accessor: "guestPort",
              title: texts.forwards.destination,
              render: ({ guestAddress, guestPort }) => texts.forwards.destinationPort(guestAddress, guestPort),
            },
            {
              accessor: "actions",
              title: <span className="unseen">{texts.actions}</span>,
              width: 44,
              render: (forward) => (
                <ActionIcon
                  size="sm"
                  aria-label={texts.forwards.deleteLabel(forward.publicPort)}
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
