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
import { texts } from "../../texts/balance.js";

export function BalanceRunPage() {
  const { id } = useParams({ from: "/shell/balance/$id" });
  const variables = { id: Number(id) };
  const live = useLive({ query: BalanceRunDocument, variables, kinds: ["RUN"], keep: false });
  const [{ data: followed }] = useSubscription({ query: BalanceRunProgressDocument, variables });
  const told = followed?.balanceRunProgress;
  const run = told?.id === Number(id) && isUnderWay(told) ? told : (live.data?.balanceRun ?? told);
  const [stop, stopping] = useAct(StopBalanceRunDocument, {
    done: () => texts.stopped,
    failed: texts.stopFailed,
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.stopQuestion(id),
      verb: texts.stop,
      danger: true,
      children: <Text fz="sm">{texts.stopWarning}</Text>,
    });
    if (agreed && (await stop(variables)) !== null) live.refresh();
  }
  return (
    <Page
      title={texts.run(id)}
      mark={run && <Status value={run.status} work />}
      above={[<TextLink to="/balance">{texts.title}</TextLink>]}
      readAt={live.readAt}
      actions={
        run !== undefined &&
        isUnderWay(run) && (
          <Button color="red.9" disabled={run.status === "STOPPING"} loading={stopping} onClick={() => void ask()}>
            {run.status === "STOPPING" ? texts.stopping : texts.stop}
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
