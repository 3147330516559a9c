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
import { count, some, span } from "../../format.js";
import {
  EvacuationCandidatesDocument,
  StartEvacuationDocument,
  type EvacuationCandidatesQuery,
} from "../../generated/documents.js";
import { CandidateTable } from "./CandidateTable.js";

export type Candidate = EvacuationCandidatesQuery["evacuationCandidates"][number];

interface Destination {
  readonly target: string | null;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
}

const ANYWHERE: Destination = { target: null, ipZoneId: null, dropPortForwards: false };

export function NewEvacuation() {
  const { hostId, node } = useSearch({ from: "/shell/evacuations/new" });
  const navigate = useNavigate({ from: "/evacuations/new" });
  const { nameOf } = useHostNames();
  const [destination, setDestination] = useState(ANYWHERE);
  return (
    <Page title="Empty a host" above={[<TextLink to="/evacuations">Evacuations</TextLink>]}>
      <Grid gap="sm">
        <Grid.Col span={12}>
          <Section title="Which, and where to">
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="sm">
              <HostSelect
                label="Host to empty"
                placeholder="Choose a host"
                value={hostId === undefined ? null : String(hostId)}
                onChange={(value) => void navigate({ search: { hostId: value === null ? undefined : Number(value) } })}
              />
              <NodeSelect
                label="Only this node"
                clearable
                placeholder="Every node"
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
            <Section title="Guests">
              <Text fz="sm" c="dimmed">
                Choose the host to empty. Nothing moves until you start.
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
        label="Target"
        clearable
        placeholder="Wherever there is most room"
        otherThan={from ?? null}
        value={destination.target}
        onChange={(target) => change({ ...destination, target, ipZoneId: null })}
      />
      {targetHostId !== null && (
        <ZoneSelect
          label="IP zone of the target"
          clearable
          placeholder="Chosen for you"
          hostId={targetHostId}
          value={destination.ipZoneId === null ? null : zoneRef(destination.ipZoneId)}
          onChange={(_, zone) => change({ ...destination, ipZoneId: zone?.id ?? null })}
        />
      )}
      <Checkbox
        mt={{ base: 0, sm: 26 }}
        label="Give up port forwards that cannot move"
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
  useEffect(() => setIds(null), [destination.target]);
  const started = useRef(false);
  useUnsaved(() => ids !== null && !started.current);
  const [start, starting] = useAct(StartEvacuationDocument, { failed: `${name} is not emptied` });
  async function begin(): Promise<void> {
    const agreed = await confirm({
      title: `Empty ${name}${node === null ? "" : ` / ${node}`}?`,
      verb: `Move ${count(chosen.length, "guest")}`,
      children: (
        <Text fz="sm">
          {name} goes into maintenance and {count(chosen.length, "guest")} leave it, one at a time:{" "}
          {some(chosen.map(({ guest }) => guest.name))}.
        </Text>
      ),
    });
    const begun = agreed ? await start({ input: { ...route, guestIds: chosen.map(({ guest }) => guest.id) } }) : null;
    if (begun === null) return;
    started.current = true;
    await navigate({ to: "/evacuations/$id", params: { id: String(begun.startEvacuation.id) } });
  }
  return (
    <Section
      title="Guests"
      actions={
        <Group gap="sm">
          <Text fz="sm" c="dimmed" className="number">
            {candidates === undefined
              ? "Looking where each guest could go…"
              : `${chosen.length} of ${candidates.length} chosen, about ${durationOf(chosen)}`}
          </Text>
          <Button disabled={chosen.length === 0} loading={starting} onClick={() => void begin()}>
            Empty {name}
          </Button>
        </Group>
      }
    >
      <Answer live={live} lines={8}>
        {({ evacuationCandidates }) => (
          <Stack gap="xs">
            {startable.length < evacuationCandidates.length && (
              <Alert color="yellow">
                {count(evacuationCandidates.length - startable.length, "guest")} cannot go as things are; the reasons
                are in the list.
              </Alert>
            )}
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
  if (known.length === 0) return "an unknown time";
  const sum = known.reduce((total, seconds) => total + seconds, 0);
  return known.length < chosen.length ? `${span(sum)} and more` : span(sum);
}
