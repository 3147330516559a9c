// One balance run, followed live; it can be stopped.
import { Button, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useSubscription } from "urql";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { isUnderWay, RunView } from "../../components/RunView.js";
import { Status } from "../../components/Status.js";
import { confirm } from "../../components/tell.js";
import { BalanceRunDocument, BalanceRunProgressDocument, StopBalanceRunDocument } from "../../generated/documents.js";

export function BalanceRunPage() {
  const { id } = useParams({ from: "/shell/balance/$id" });
  const variables = { id: Number(id) };
  const live = useLive({ query: BalanceRunDocument, variables, kinds: ["RUN"], keep: false });
  const [{ data: followed }] = useSubscription({ query: BalanceRunProgressDocument, variables });
  const told = followed?.balanceRunProgress;
  const run = told?.id === Number(id) && isUnderWay(told) ? told : (live.data?.balanceRun ?? told);
  const [stop, stopping] = useAct(StopBalanceRunDocument, {
    done: () => "The guest that moves is let finish; the others stay.",
    failed: "It was not stopped",
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: `Stop balance run ${id}?`,
      verb: "Stop",
      danger: true,
      children: (
        <Text fz="sm">Guests whose turn has not come stay where they are; the one that moves is let finish.</Text>
      ),
    });
    if (agreed && (await stop(variables)) !== null) live.refresh();
  }
  return (
    <Page
      title={`Balance run ${id}`}
      mark={run && <Status value={run.status} work />}
      above={[<TextLink to="/balance">Balance</TextLink>]}
      readAt={live.readAt}
      actions={
        run !== undefined &&
        isUnderWay(run) && (
          <Button color="red.9" disabled={run.status === "STOPPING"} loading={stopping} onClick={() => void ask()}>
            {run.status === "STOPPING" ? "Stopping…" : "Stop"}
          </Button>
        )
      }
    >
      <Answer live={live} lines={10}>
        {(data) => <RunView run={run ?? data.balanceRun} />}
      </Answer>
    </Page>
  );
}
