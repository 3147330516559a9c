// Prepares the emptying of a host: which guests, in which order, where each would go and what is in its way.
import { Alert, Button, Checkbox, Grid, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { useHostNames } from "../../components/hostNames.js";
import { HostSelect } from "../../components/HostSelect.js";
import { TextLink } from "../../components/links.js";
import { nodeOfValue, NodeSelect, TargetSelect } from "../../components/NodeSelect.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { confirm } from "../../components/tell.js";
import { useUnsaved } from "../../components/unsaved.js";
import { ZoneSelect, zoneRef } from "../../components/ZoneSelect.js";
import { some, span } from "../../format.js";
import { EvacuationCandidatesDocument, StartEvacuationDocument } from "../../generated/documents.js";
import { CandidateTable, type Candidate } from "./CandidateTable.js";
import { texts as common } from "../../texts/common.js";
import { texts as evacuationTexts } from "../../texts/evacuations.js";

const texts = evacuationTexts.create;

interface Destination {
  readonly target: string | null;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
}

/** Longer lists are refused by the API. */
const MOST_LISTED = 1_000;

const ANYWHERE: Destination = { target: null, ipZoneId: null, dropPortForwards: false };

export function NewEvacuation() {
  const { hostId, node } = useSearch({ from: "/shell/evacuations/new" });
  const navigate = useNavigate({ from: "/evacuations/new" });
  const { nameOf } = useHostNames();
  const [destination, setDestination] = useState(ANYWHERE);
  return (
    <Page title={evacuationTexts.evacuateHost} above={[<TextLink to="/evacuations">{evacuationTexts.title}</TextLink>]}>
      <Grid gap="sm">
        <Grid.Col span={12}>
          <Section title={texts.source}>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="sm">
              <HostSelect
                label={texts.host}
                placeholder={texts.selectHost}
                value={hostId === undefined ? null : String(hostId)}
                onChange={(value) => void navigate({ search: { hostId: value === null ? undefined : Number(value) } })}
              />
              <NodeSelect
                label={texts.node}
                clearable
                placeholder={texts.allNodes}
                hostId={hostId ?? null}
                value={node ?? null}
                onChange={(value) => void navigate({ search: { hostId, node: value ?? undefined } })}
              />
              <DestinationChoice from={hostId} destination={destination} change={setDestination} />
            </SimpleGrid>
          </Section>
        </Grid.Col>
        <Grid.Col span={12}>
          {hostId === undefined ? (
            <Section title={texts.guests}>
              <Text fz="sm" c="dimmed">
                {texts.noHost}
              </Text>
            </Section>
          ) : (
            <Chooser
              key={`${hostId}/${node ?? ""}`}
              hostId={hostId}
              node={node ?? null}
              destination={destination}
              name={nameOf(hostId)}
            />
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

interface DestinationProperties {
  readonly from: number | undefined;
  readonly destination: Destination;
  readonly change: (destination: Destination) => void;
}

function DestinationChoice({ from, destination, change }: DestinationProperties) {
  const targetHostId = destination.target === null ? null : nodeOfValue(destination.target).hostId;
  return (
    <>
      <TargetSelect
        label={texts.target}
        clearable
        placeholder={texts.targetPlaceholder}
        otherThan={from ?? null}
        value={destination.target}
        onChange={(target) => change({ ...destination, target, ipZoneId: null })}
      />
      {targetHostId !== null && (
        <ZoneSelect
          label={texts.targetZone}
          clearable
          placeholder={texts.automatic}
          hostId={targetHostId}
          value={destination.ipZoneId === null ? null : zoneRef(destination.ipZoneId)}
          onChange={(_, zone) => change({ ...destination, ipZoneId: zone?.id ?? null })}
        />
      )}
      <Checkbox
        mt={{ base: 0, sm: 26 }}
        label={texts.dropForwards}
        checked={destination.dropPortForwards}
        onChange={({ currentTarget }) => change({ ...destination, dropPortForwards: currentTarget.checked })}
      />
    </>
  );
}

interface ChooserProperties {
  readonly hostId: number;
  readonly node: string | null;
  readonly destination: Destination;
  readonly name: string;
}

function Chooser({ hostId, node, destination, name }: ChooserProperties) {
  const navigate = useNavigate();
  const target = destination.target === null ? null : nodeOfValue(destination.target);
  const route = {
    hostId,
    node,
    targetHostId: target?.hostId ?? null,
    targetNode: target?.node ?? null,
    ipZoneId: destination.ipZoneId,
    dropPortForwards: destination.dropPortForwards,
  };
  const live = useLive({ query: EvacuationCandidatesDocument, variables: route, kinds: ["HOST", "GUEST"] });
  const candidates = live.data?.evacuationCandidates;
  const [ids, setIds] = useState<readonly number[] | null>(null);
  const startable = (candidates ?? []).filter((each) => each.startable);
  // Everything that can go is chosen to begin with; what cannot go any more is not chosen.
  const kept = ids === null ? null : new Set(ids);
  const chosen = startable.filter(({ guest }) => kept?.has(guest.id) ?? true);
  const areTooMany = chosen.length > MOST_LISTED && chosen.length < startable.length;
  useEffect(() => setIds(null), [destination.target]);
  const started = useRef(false);
  useUnsaved(() => ids !== null && !started.current);
  const [start, starting] = useAct(StartEvacuationDocument, { failed: texts.failed(name) });
  async function begin(): Promise<void> {
    const agreed = await confirm({
      title: texts.question(node === null ? name : common.hostAndNode(name, node)),
      verb: texts.verb(chosen.length),
      children: <Text fz="sm">{texts.warning(name, chosen.length, some(chosen.map(({ guest }) => guest.name)))}</Text>,
    });
    // Guests that cannot go are skipped, with the reason.
    const choice =
      chosen.length > MOST_LISTED
        ? { guestIds: [], allGuests: true }
        : { guestIds: chosen.map(({ guest }) => guest.id) };
    const begun = agreed ? await start({ input: { ...route, ...choice } }) : null;
    if (begun === null) return;
    started.current = true;
    await navigate({ to: "/evacuations/$id", params: { id: String(begun.startEvacuation.id) } });
  }
  return (
    <Section
      title={texts.guests}
      actions={
        <Group gap="sm">
          <Text fz="sm" c="dimmed" className="number">
            {candidates === undefined
              ? texts.calculating
              : texts.selected(chosen.length, candidates.length, durationOf(chosen))}
          </Text>
          <Button disabled={chosen.length === 0 || areTooMany} loading={starting} onClick={() => void begin()}>
            {texts.start(name)}
          </Button>
        </Group>
      }
    >
      <Answer live={live} lines={8}>
        {({ evacuationCandidates }) => (
          <Stack gap="xs">
            {startable.length < evacuationCandidates.length && (
              <Alert color="yellow">{texts.blocked(evacuationCandidates.length - startable.length)}</Alert>
            )}
            {areTooMany && <Alert color="red">{texts.tooMany(MOST_LISTED)}</Alert>}
            <CandidateTable
              candidates={evacuationCandidates}
              chosen={chosen}
              choose={(next) => setIds(next.map(({ guest }) => guest.id))}
            />
          </Stack>
        )}
      </Answer>
    </Section>
  );
}

/** Of those whose duration is known. */
function durationOf(chosen: readonly Candidate[]): string {
  const known = chosen.flatMap(({ expectedSeconds }) => (expectedSeconds === null ? [] : [expectedSeconds]));
  if (known.length === 0) return texts.unknownDuration;
  const sum = known.reduce((total, seconds) => total + seconds, 0);
  return known.length < chosen.length ? texts.atLeast(span(sum)) : span(sum);
}
