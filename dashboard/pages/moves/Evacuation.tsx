// One evacuation, followed live; it can be stopped.
import { Alert, Button, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useSubscription } from "urql";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { isUnderWay, RunView } from "../../components/RunView.js";
import { Status } from "../../components/Status.js";
import { confirm } from "../../components/tell.js";
import { count } from "../../format.js";
import {
  EvacuationDocument,
  EvacuationProgressDocument,
  HostInMaintenanceDocument,
  StopEvacuationDocument,
  type EvacuationQuery,
} from "../../generated/documents.js";

type ShownEvacuation = EvacuationQuery["evacuation"];

export function EvacuationPage() {
  const { id } = useParams({ from: "/shell/evacuations/$id" });
  const variables = { id: Number(id) };
  const live = useLive({ query: EvacuationDocument, variables, kinds: ["RUN"], keep: false });
  const [{ data: followed }] = useSubscription({ query: EvacuationProgressDocument, variables });
  const told = followed?.evacuationProgress;
  const run = told?.id === Number(id) && isUnderWay(told) ? told : (live.data?.evacuation ?? told);
  const { nameOf } = useHostNames();
  const name =
    run === undefined
      ? `Evacuation ${id}`
      : `Evacuation of ${nameOf(run.hostId)}${run.node === null ? "" : ` / ${run.node}`}`;
  return (
    <Page
      title={name}
      mark={run && <Status value={run.status} work />}
      above={[<TextLink to="/evacuations">Evacuations</TextLink>]}
      readAt={live.readAt}
      actions={run && <Stop run={run} name={name} refresh={live.refresh} />}
    >
      <Answer live={live} lines={10}>
        {(data) => (
          <>
            {run !== undefined && !isUnderWay(run) && <Afterwards run={run} name={nameOf(run.hostId)} />}
            <RunView run={run ?? data.evacuation} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Maintenance is not turned off by itself: that would bring guests back at once. */
function Afterwards({ run, name }: { readonly run: ShownEvacuation; readonly name: string }) {
  const { data } = useLive({ query: HostInMaintenanceDocument, variables: { id: run.hostId }, kinds: ["HOST"] });
  if (data?.host.maintenance !== true) return null;
  return (
    <Alert color="blue" mb="sm">
      <TextLink to="/hosts/$hostId" params={{ hostId: String(run.hostId) }}>
        {name}
      </TextLink>{" "}
      stays in maintenance until you turn that off on its page.
    </Alert>
  );
}

interface StopProperties {
  readonly run: ShownEvacuation;
  readonly name: string;
  readonly refresh: () => void;
}

function Stop({ run, name, refresh }: StopProperties) {
  const [stop, stopping] = useAct(StopEvacuationDocument, {
    done: () => "The guest that moves is let finish; the others stay.",
    failed: "It was not stopped",
  });
  if (!isUnderWay(run)) return null;
  const waiting = run.items.filter(({ status }) => status === "WAITING").length;
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: `Stop the ${name.replace("Evacuation", "evacuation")}?`,
      verb: "Stop",
      danger: true,
      children: (
        <Text fz="sm">
          {count(waiting, "guest")} whose turn has not come stay where they are; the one that moves is let finish.
        </Text>
      ),
    });
    if (agreed && (await stop({ id: run.id })) !== null) refresh();
  }
  return (
    <Button color="red.9" disabled={run.status === "STOPPING"} loading={stopping} onClick={() => void ask()}>
      {run.status === "STOPPING" ? "Stopping…" : "Stop"}
    </Button>
  );
}
