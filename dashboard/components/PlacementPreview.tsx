// Where a guest would be placed now: every node in order of preference, and why the others are out.
import { Alert, Badge, Group, Progress, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useLive } from "../client/live.js";
import { percent } from "../format.js";
import { PlacementDocument, type PlacementQuery, type PlacementRequest } from "../generated/documents.js";
import { Answer } from "./Answer.js";
import { useHostNames } from "./hostNames.js";
import { Paged } from "./Pager.js";
import { texts } from "../texts/common.js";

const TYPING_PAUSE_MS = 250;
const RANKED_A_PAGE = 20;
const DROPPED_A_PAGE = 25;
const NO_REQUEST: PlacementRequest = { cores: 1, memoryMb: 16, diskGb: 1, type: "QEMU" };

interface Properties {
  /** Null while its size is not known. */
  readonly request: PlacementRequest | null;
  /** Set: the node was named, not left to placement. */
  readonly chosenNode?: string | null;
}

export function PlacementPreview({ request, chosenNode = null }: Properties) {
  const [settled] = useDebouncedValue(JSON.stringify(request), TYPING_PAUSE_MS);
  const asked: PlacementRequest | null = JSON.parse(settled);
  const variables = { input: asked ?? NO_REQUEST };
  const live = useLive({ query: PlacementDocument, variables, kinds: ["HOST", "JOB"], pause: asked === null });
  if (asked === null) {
    return (
      <Text fz="sm" c="dimmed">
        {texts.placement.sizeNeeded}
      </Text>
    );
  }
  return (
    <Answer live={live} lines={5}>
      {({ placementSuggest }) => <Result result={placementSuggest} chosenNode={chosenNode} />}
    </Answer>
  );
}

type PlacementAnswer = PlacementQuery["placementSuggest"];

function Result({ result, chosenNode }: { readonly result: PlacementAnswer; readonly chosenNode: string | null }) {
  const { best, ranked, dropped } = result;
  return (
    <Stack gap="sm" aria-live="polite">
      {best === null ? (
        <Alert color="red" title={texts.placement.noNode}>
          {texts.placement.seeReasons}
        </Alert>
      ) : (
        <Text fz="sm">{best.explanation}</Text>
      )}
      <Paged rows={ranked} perPage={RANKED_A_PAGE}>
        {(shown) =>
          shown.map((node) => (
            <RankedNode
              key={`${node.hostId}/${node.node}`}
              node={node}
              best={node === ranked[0]}
              chosen={node.node === chosenNode}
            />
          ))
        }
      </Paged>
      {dropped.length > 0 && (
        <Stack gap={4}>
          <Text fz="xs" fw={600} c="dimmed">
            {texts.placement.excluded}
          </Text>
          <Paged rows={dropped} perPage={DROPPED_A_PAGE}>
            {(shown) => shown.map((node) => <Dropped key={`${node.hostId}/${node.node}`} node={node} />)}
          </Paged>
        </Stack>
      )}
    </Stack>
  );
}

interface RankedProperties {
  readonly node: PlacementAnswer["ranked"][number];
  readonly best: boolean;
  readonly chosen: boolean;
}

function RankedNode({ node, best, chosen }: RankedProperties) {
  const { nameOf } = useHostNames();
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={3}>
        <Group gap={6}>
          <Text fz="sm" fw={best ? 600 : 400}>
            {texts.hostAndNode(nameOf(node.hostId), node.node)}
          </Text>
          {best && <Badge color="teal">{texts.placement.best}</Badge>}
          {chosen && <Badge color="blue">{texts.placement.selected}</Badge>}
          <Text fz="xs" c="dimmed">
            {node.storage}
          </Text>
        </Group>
        <Text fz="sm" className="number">
          {percent(node.score)}
        </Text>
      </Group>
      <Progress
        value={node.score * 100}
        size={6}
        color={best ? "teal.6" : "harbour.5"}
        aria-label={texts.placement.score(node.node)}
      />
      <Text fz="xs" c="dimmed" mt={2} className="number">
        {texts.placement.scores(
          percent(node.ramScore),
          percent(node.cpuScore),
          percent(node.storageScore),
          node.guestCount,
        )}
      </Text>
    </div>
  );
}

function Dropped({ node }: { readonly node: PlacementAnswer["dropped"][number] }) {
  const { nameOf } = useHostNames();
  return (
    <Text fz="xs">
      <b>{texts.hostAndNode(nameOf(node.hostId), node.node)}:</b> {node.reason}
    </Text>
  );
}
