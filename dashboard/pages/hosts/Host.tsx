// One host: its connection, its nodes with their load, its maintenance switch.
import { Alert, Badge, Button, Grid, Group, Menu, ActionIcon, Stack, Switch, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { EllipsisVertical, RefreshCw, Truck } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useHopes, type HopeFor } from "../../client/hopes.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { ButtonLink, TextLink } from "../../components/links.js";
import { LoadChart } from "../../components/LoadChart.js";
import { NODES_A_PAGE, NodeTable } from "../../components/NodeTable.js";
import { Page } from "../../components/Page.js";
import { Paged, usePages } from "../../components/Pager.js";
import { Section } from "../../components/Section.js";
import { confirm } from "../../components/tell.js";
import { endpoint } from "../../format.js";
import {
  HostDocument,
  RemoveHostDocument,
  SetHostActiveDocument,
  SetMaintenanceDocument,
  SyncHostDocument,
  type HostQuery,
} from "../../generated/documents.js";
import { GuestList } from "../guests/GuestList.js";
import { HostState } from "./Hosts.js";
import { RenameHost } from "./RenameHost.js";
import { UnrestrictedTokensItem } from "./UnrestrictedTokens.js";
import { texts } from "../../texts/hosts.js";
import { hostTypeText } from "../../texts/terms.js";

type ShownHost = HostQuery["host"];

export function HostPage() {
  const { hostId } = useParams({ from: "/shell/hosts/$hostId" });
  const id = Number(hostId);
  const live = useLive({ query: HostDocument, variables: { id }, kinds: ["HOST"], keep: false });
  const [[host], hopeFor] = useHopes(live.data === undefined ? [] : [live.data.host]);
  return (
    <Page
      title={host?.name ?? texts.hostNumber(hostId)}
      mark={host && <HostState host={host} />}
      above={[<TextLink to="/hosts">{texts.title}</TextLink>]}
      readAt={live.readAt}
      actions={host && <Actions host={host} hopeFor={hopeFor} refresh={live.refresh} />}
    >
      <Answer live={live} lines={12}>
        {(data) => <Whole host={host ?? data.host} />}
      </Answer>
    </Page>
  );
}

interface ActionProperties {
  readonly host: ShownHost;
  readonly hopeFor: HopeFor<ShownHost>;
}

function Actions({ host, hopeFor, refresh }: ActionProperties & { readonly refresh: () => void }) {
  const [sync, syncing] = useAct(SyncHostDocument, {
    done: ({ syncHost }) => texts.page.refreshed(syncHost.name),
    failed: texts.page.refreshFailed(host.name),
  });
  return (
    <>
      <Maintenance host={host} hopeFor={hopeFor} />
      <Button
        variant="default"
        leftSection={<RefreshCw size={14} aria-hidden />}
        loading={syncing}
        onClick={() => void sync({ id: host.id }).then(refresh)}
      >
        {texts.page.refresh}
      </Button>
      <ButtonLink
        to="/evacuations/new"
        search={{ hostId: host.id }}
        variant="default"
        leftSection={<Truck size={14} aria-hidden />}
      >
        {texts.page.evacuate}
      </ButtonLink>
      <More host={host} hopeFor={hopeFor} />
    </>
  );
}

interface MaintenanceProperties {
  readonly host: Pick<ShownHost, "id" | "name" | "maintenance">;
  readonly hopeFor: HopeFor<Pick<ShownHost, "maintenance">>;
}

/** Off at once; on after a word, since new guests stay away from then on. */
export function Maintenance({ host, hopeFor }: MaintenanceProperties) {
  const [set] = useAct(SetMaintenanceDocument, {
    done: ({ setMaintenance }) =>
      setMaintenance.maintenance
        ? texts.maintenance.on(setMaintenance.name)
        : texts.maintenance.off(setMaintenance.name),
    failed: texts.maintenance.failed,
  });
  async function change(on: boolean): Promise<void> {
    const agreed =
      !on ||
      (await confirm({
        title: texts.maintenance.question(host.name),
        verb: texts.maintenance.verb,
        children: <Text fz="sm">{texts.maintenance.warning(host.name)}</Text>,
      }));
    if (agreed) await hopeFor(host.id, { maintenance: on }, () => set({ hostId: host.id, on }));
  }
  return (
    <Switch
      label={texts.maintenance.label}
      checked={host.maintenance}
      onChange={({ currentTarget }) => void change(currentTarget.checked)}
    />
  );
}

function More({ host, hopeFor }: ActionProperties) {
  const navigate = useNavigate();
  const [renaming, setRenaming] = useState(false);
  const [remove] = useAct(RemoveHostDocument, {
    done: () => texts.page.removed(host.name),
    failed: texts.page.removeFailed(host.name),
  });
  const [activate] = useAct(SetHostActiveDocument, {
    done: ({ updateHost }) => (updateHost.active ? texts.page.enabled : texts.page.disabled)(updateHost.name),
    failed: texts.page.changeFailed(host.name),
  });
  const use = (active: boolean): Promise<void> => hopeFor(host.id, { active }, () => activate({ id: host.id, active }));
  async function forget(): Promise<void> {
    const agreed = await confirm({
      title: texts.page.removeQuestion(host.name),
      verb: texts.page.removeVerb(host.name),
      danger: true,
      children: <Text fz="sm">{texts.page.removeWarning(host.name, host.guestCount)}</Text>,
    });
    if (agreed && (await remove({ id: host.id })) !== null) await navigate({ to: "/hosts" });
  }
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={texts.page.more(host.name)} variant="default">
            <EllipsisVertical size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setRenaming(true)}>{texts.page.rename}</Menu.Item>
          <Menu.Item onClick={() => void use(!host.active)}>
            {host.active ? texts.page.disable : texts.page.enable}
          </Menu.Item>
          <UnrestrictedTokensItem host={host} hopeFor={hopeFor} />
          <Menu.Item className="danger" onClick={() => void forget()}>
            {texts.page.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renaming && <RenameHost host={host} hopeFor={hopeFor} close={() => setRenaming(false)} />}
    </>
  );
}

const CHARTS_A_PAGE = 6;

function Whole({ host }: { readonly host: ShownHost }) {
  const nodes = host.nodes.map((node) => ({ ...node, hostName: host.name, host }));
  const { shown, paging } = usePages(nodes, NODES_A_PAGE);
  return (
    <Stack gap="sm">
      {host.lastSyncError !== null && (
        <Alert color="red" title={texts.page.syncFailed}>
          {host.lastSyncError} · {texts.page.lastSync} <Age at={host.lastSyncAt} />
        </Alert>
      )}
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title={texts.page.connection}>
            <Facts facts={factsOf(host)} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title={texts.page.load}>
            <Paged rows={host.nodes} perPage={CHARTS_A_PAGE}>
              {(charted) => (
                <Grid>
                  {charted.map((node) => (
                    <Grid.Col key={node.name} span={{ base: 12, lg: host.nodes.length > 1 ? 6 : 12 }}>
                      <Group gap={6} mb={2}>
                        <Text fz="sm" fw={600}>
                          {node.name}
                        </Text>
                        {node.hot && <Badge color="red">{texts.marks.overloaded}</Badge>}
                      </Group>
                      <LoadChart
                        label={texts.page.loadOf(node.name)}
                        samples={node.samples}
                        memoryMb={node.memoryMb}
                        height={130}
                      />
                    </Grid.Col>
                  ))}
                </Grid>
              )}
            </Paged>
          </Section>
        </Grid.Col>
      </Grid>
      <Section title={texts.page.nodes}>
        <NodeTable nodes={shown} paging={paging} withHost={false} />
      </Section>
      <Section
        title={texts.page.guests}
        actions={
          <TextLink to="/guests" search={{ hostId: host.id }}>
            {texts.page.filterGuests}
          </TextLink>
        }
      >
        <GuestList filter={{ hostIds: [host.id] }} />
      </Section>
    </Stack>
  );
}

const factsOf = (host: ShownHost) =>
  [
    [texts.page.address, endpoint(host.hostname, host.port)],
    [texts.page.user, host.user],
    [texts.columns.type, hostTypeText(host)],
    [texts.columns.version, host.version ?? "–"],
    [texts.columns.guests, host.guestCount],
    [texts.columns.lastSync, <Age key="read" at={host.lastSyncAt} />],
    [texts.maintenance.label, host.maintenance ? <Age key="since" at={host.maintenanceSince} /> : texts.page.off],
    [
      texts.migrationTokens.label,
      host.allowUnrestrictedMoveToken ? texts.migrationTokens.allowed : texts.migrationTokens.notAllowed,
    ],
    [
      texts.page.certificate,
      host.tlsFingerprint === null ? (
        texts.page.trusted
      ) : (
        <span key="print" className="mono" style={{ wordBreak: "break-all" }}>
          {host.tlsFingerprint}
        </span>
      ),
    ],
  ] as const;
