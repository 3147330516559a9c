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

import {
  EvacuationDocument,
  EvacuationProgressDocument,
  HostInMaintenanceDocument,
  StopEvacuationDocument,
  type EvacuationQuery,
} from "../../generated/documents.js";
import { texts as common } from "../../texts/common.js";
import { texts as evacuationTexts } from "../../texts/evacuations.js";

const texts = evacuationTexts.page;

type ShownEvacuation = EvacuationQuery["evacuation"];

export function EvacuationPage() {
  const { id } = useParams({ from: "/shell/evacuations/$id" });
  const variables = { id: Number(id) };
  const live = useLive({ query: EvacuationDocument, variables, kinds: ["RUN"], keep: false });
  const [{ data: followed }] = useSubscription({ query: EvacuationProgressDocument, variables });
  const told = followed?.evacuationProgress;
  const run = told?.id === Number(id) && isUnderWay(told) ? told : (live.data?.evacuation ?? told);
  const { nameOf } = useHostNames();
  const place = run === undefined ? null : placeOf(nameOf(run.hostId), run.node);
  return (
    <Page
      title={place === null ? texts.number(id) : texts.title(place)}
      mark={run && <Status value={run.status} work />}
      above={[<TextLink to="/evacuations">{evacuationTexts.title}</TextLink>]}
      readAt={live.readAt}
      actions={run && <Stop run={run} place={place ?? ""} refresh={live.refresh} />}
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

const placeOf = (host: string, node: string | null): string => (node === null ? host : common.hostAndNode(host, node));

/** Maintenance is not turned off by itself: that would bring guests back at once. */
function Afterwards({ run, name }: { readonly run: ShownEvacuation; readonly name: string }) {
  const { data } = useLive({ query: HostInMaintenanceDocument, variables: { id: run.hostId }, kinds: ["HOST"] });
  if (data?.host.maintenance !== true) return null;
  return (
    <Alert color="blue" mb="sm">
      {texts.maintenanceStaysOn}{" "}
      <TextLink to="/hosts/$hostId" params={{ hostId: String(run.hostId) }}>
        {name}
      </TextLink>
      .
    </Alert>
  );
}

interface StopProperties {
  readonly run: ShownEvacuation;
  readonly place: string;
  readonly refresh: () => void;
}

function Stop({ run, place, refresh }: StopProperties) {
  const [stop, stopping] = useAct(StopEvacuationDocument, {
    done: () => texts.stopped,
    failed: texts.stopFailed,
  });
  if (!isUnderWay(run)) return null;
  const waiting = run.items.filter(({ status }) => status === "WAITING").length;
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.stopQuestion(place),
      verb: texts.stop,
      danger: true,
      children: <Text fz="sm">{texts.stopWarning(waiting)}</Text>,
    });
    if (agreed && (await stop({ id: run.id })) !== null) refresh();
  }
  return (
    <Button color="red.9" disabled={run.status === "STOPPING"} loading={stopping} onClick={() => void ask()}>
      {run.status === "STOPPING" ? texts.stopping : texts.stop}
    </Button>
  );
}
