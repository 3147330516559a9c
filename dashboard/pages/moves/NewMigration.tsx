// Plans the move of a guest: target, mappings, address and forwards, with what blocks, warns and is in order; then starts it.
import { Alert, Checkbox, Grid, Group, NumberInput, Select, Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useQuery } from "urql";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer, Waiting } from "../../components/Answer.js";
import { guestAddress } from "../../components/guestColumns.js";
import { TextLink } from "../../components/links.js";
import { nodeOfValue, nodeValue, TargetSelect } from "../../components/NodeSelect.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { confirm } from "../../components/tell.js";
import { useUnsaved } from "../../components/unsaved.js";
import { ZoneSelect, zoneRef } from "../../components/ZoneSelect.js";
import {
  GuestDocument,
  HostCountDocument,
  MigrationPlanDocument,
  StartMigrationDocument,
  type MapEntry,
  type MigrationInput,
  type MigrationPlanQuery,
} from "../../generated/documents.js";
import { typeOf } from "../guests/Guest.js";
import type { ShownGuest } from "../guests/shownGuest.js";
import { Checks, Plan, StartButton } from "./MigrationPlanView.js";
import { texts as migrationTexts } from "../../texts/migrations.js";

const texts = migrationTexts.plan;

export function NewMigration() {
  const { hostId, type, vmid } = useParams({ from: "/shell/guests/$hostId/$type/$vmid/move" });
  const variables = { hostId: Number(hostId), type: typeOf(type), vmid: Number(vmid) };
  const live = useLive({ query: GuestDocument, variables, kinds: ["GUEST"], keep: false });
  const guest = live.data?.guest;
  return (
    <Page
      title={texts.title(guest?.name ?? vmid)}
      above={[
        <TextLink to="/guests">{migrationTexts.guests}</TextLink>,
        <TextLink to="/guests/$hostId/$type/$vmid" params={{ hostId, type, vmid }}>
          {guest?.name ?? vmid}
        </TextLink>,
      ]}
    >
      <Answer live={live}>{(data) => <Wizard guest={data.guest} />}</Answer>
    </Page>
  );
}

/** What the operator has decided so far. */
export interface Choices {
  readonly target: { readonly hostId: number; readonly node: string } | null;
  readonly storageMap: readonly MapEntry[];
  readonly bridgeMap: readonly MapEntry[];
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
  readonly bandwidthMib: number | null;
  readonly targetVmid: number | null;
}

const UNDECIDED: Choices = {
  target: null,
  storageMap: [],
  bridgeMap: [],
  ipZoneId: null,
  dropPortForwards: false,
  bandwidthMib: null,
  targetVmid: null,
};

const inputOf = (guestId: number, { target, ...choices }: Choices): MigrationInput => ({
  guestId,
  targetHostId: target?.hostId ?? 0,
  targetNode: target?.node ?? "",
  ...choices,
});

function Wizard({ guest }: { readonly guest: ShownGuest }) {
  const navigate = useNavigate();
  const [choices, setChoices] = useState(UNDECIDED);
  const choose = (changed: Partial<Choices>): void => setChoices((before) => ({ ...before, ...changed }));
  const input = inputOf(guest.id, choices);
  const live = useLive({
    query: MigrationPlanDocument,
    variables: { input },
    kinds: ["HOST", "GUEST", "MIGRATION"],
    pause: choices.target === null,
  });
  const plan = choices.target === null ? undefined : live.data?.migrationPlan;
  const started = useRef(false);
  useUnsaved(() => choices !== UNDECIDED && !started.current);
  const [start, starting] = useAct(StartMigrationDocument, { failed: texts.failed(guest.name) });
  async function move(): Promise<void> {
    const agreed = await confirm({
      title: texts.question(guest.name, guest.vmid, input.targetNode),
      verb: texts.title(guest.name),
      children: <Text fz="sm">{plan?.summary.downtime}</Text>,
    });
    const begun = agreed ? await start({ input }) : null;
    if (begun === null) return;
    started.current = true;
    await navigate({ to: "/migrations/$id", params: { id: String(begun.startMigration.id) } });
  }
  return (
    <Grid gap="sm">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="sm">
          <Target guest={guest} choices={choices} choose={choose} />
          {plan !== undefined && <Mappings plan={plan} choices={choices} choose={choose} />}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        {choices.target === null ? (
          <Section title={texts.heading}>
            <Text fz="sm" c="dimmed">
              {texts.noTarget}
            </Text>
          </Section>
        ) : (
          <Answer live={live} lines={8}>
            {() =>
              plan === undefined ? (
                <Waiting />
              ) : (
                <Stack gap="sm">
                  <Plan plan={plan} />
                  <Checks plan={plan} />
                  <StartButton plan={plan} name={guest.name} busy={starting} start={() => void move()} />
                </Stack>
              )
            }
          </Answer>
        )}
      </Grid.Col>
    </Grid>
  );
}

interface TargetProperties {
  readonly guest: ShownGuest;
  readonly choices: Choices;
  readonly choose: (changed: Partial<Choices>) => void;
}

function Target({ guest, choices, choose }: TargetProperties) {
  const { target } = choices;
  const [{ data }] = useQuery({ query: HostCountDocument, variables: {} });
  const alone = data?.hosts.meta.total === 1;
  return (
    <Section title={texts.target}>
      <Stack gap="xs">
        <Text fz="sm">
          <TextLink {...guestAddress(guest)}>{guest.name}</TextLink> {texts.currentlyOn(guest.host.name, guest.node)}
        </Text>
        <TargetSelect
          label={texts.targetNode}
          placeholder={texts.selectNode}
          otherThan={guest.hostId}
          value={target === null ? null : nodeValue(target)}
          allowDeselect={false}
          onChange={(value) => value !== null && choose({ ...UNDECIDED, target: nodeOfValue(value) })}
        />
        {alone && <Alert color="yellow">{texts.noOtherHost}</Alert>}
      </Stack>
    </Section>
  );
}

interface MappingsProperties {
  readonly plan: MigrationPlanQuery["migrationPlan"];
  readonly choices: Choices;
  readonly choose: (changed: Partial<Choices>) => void;
}

function Mappings({ plan, choices, choose }: MappingsProperties) {
  return (
    <Section title={texts.options}>
      <Stack gap="xs">
        {plan.storages.map(({ source, target, options, preselected }) => (
          <Select
            key={source}
            label={texts.storageMapping(source)}
            description={preselected ? texts.preselected : undefined}
            data={[...options]}
            value={target}
            allowDeselect={false}
            onChange={(value) => value !== null && choose({ storageMap: replaced(choices.storageMap, source, value) })}
          />
        ))}
        {plan.bridges.map(({ source, target, options, preselected }) => (
          <Select
            key={source}
            label={texts.networkMapping(source)}
            description={preselected ? texts.preselected : undefined}
            data={[...options]}
            value={target}
            allowDeselect={false}
            onChange={(value) => value !== null && choose({ bridgeMap: replaced(choices.bridgeMap, source, value) })}
          />
        ))}
        {plan.ipPlan.kind !== "UNTOUCHED" && (
          <ZoneSelect
            label={texts.targetZone}
            placeholder={texts.automatic}
            clearable
            hostId={plan.targetHostId}
            value={choices.ipZoneId === null ? null : zoneRef(choices.ipZoneId)}
            onChange={(_, zone) => choose({ ipZoneId: zone?.id ?? null })}
          />
        )}
        {plan.portForwards.length > 0 && (
          <Checkbox
            label={texts.dropForwards}
            checked={choices.dropPortForwards}
            onChange={({ currentTarget }) => choose({ dropPortForwards: currentTarget.checked })}
          />
        )}
        <Group gap="xs" grow align="start">
          <NumberInput
            label={texts.bandwidth}
            placeholder={texts.fromSettings}
            min={1}
            value={choices.bandwidthMib ?? ""}
            onChange={(value) => choose({ bandwidthMib: value === "" ? null : Number(value) })}
          />
          <NumberInput
            label={texts.targetVmid}
            placeholder={String(plan.targetVmid)}
            min={100}
            value={choices.targetVmid ?? ""}
            onChange={(value) => choose({ targetVmid: value === "" ? null : Number(value) })}
          />
        </Group>
      </Stack>
    </Section>
  );
}

/** The map with another target for one source. */
const replaced = (map: readonly MapEntry[], source: string, target: string): MapEntry[] => [
  ...map.filter((entry) => entry.source !== source),
  { source, target },
];
