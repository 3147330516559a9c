// Work that has failed and is rolled back, or waits for a host, does not look like work that goes well.
import type { Page } from "playwright-core";
import { panel } from "../support/panel.js";

const REASON = "The node refused: storage 'local-lvm' is full";
const ROLLBACK = {
  __typename: "Rollback",
  reason: REASON,
  step: "clone",
  since: "2026-01-01T00:00:00.000Z",
  doing: "the disks of 4242 are removed",
};

const JOB = {
  __typename: "Job",
  id: 4242,
  kind: "GUEST_CREATE",
  status: "RUNNING",
  step: "clone",
  progress: 0.4,
  error: null,
  hostId: 1,
  node: "ams1",
  vmid: 4242,
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  rollback: ROLLBACK,
  waitingFor: null,
};

const UNREACHABLE = "Host amsterdam is unreachable: no connection within 5 s";
const HELD_UP = {
  ...JOB,
  id: 4243,
  rollback: null,
  waitingFor: {
    __typename: "WaitingFor",
    hostId: 1,
    reason: UNREACHABLE,
    since: "2026-01-01T00:00:00.000Z",
    triesAgainAt: "2026-01-01T00:00:10.000Z",
  },
};

const AT = "2026-01-01T00:00:00.000Z";
const undone = (step: string, status: string, error: string | null) => ({
  __typename: "UndoneStep",
  step,
  status,
  error,
  startedAt: AT,
  finishedAt: AT,
});
const MIGRATION = {
  __typename: "Migration",
  id: 4242,
  jobId: 4244,
  guestName: "web1",
  guestType: "QEMU",
  vmid: 4242,
  targetVmid: 4242,
  sourceHostId: 1,
  sourceNode: "ams1",
  targetHostId: 2,
  targetNode: "fra1",
  mode: "LIVE",
  status: "FAILED",
  step: "TRANSFER",
  progress: 0.3,
  bytesCopied: 1,
  bytesTotal: 3,
  averageBytesPerSecond: 1,
  durationSeconds: 3,
  startedAt: AT,
  finishedAt: AT,
  error: `${REASON}; left behind: volume vm-4242-disk-0 on node fra1 (locked)`,
  retryable: false,
  evacuationId: null,
  balanceRunId: null,
  rollback: null,
  waitingFor: null,
  notice: null,
  log: [],
  warnings: [],
  planWarnings: [],
  transferDone: false,
  safetyCopy: "NONE",
  safetyCopyDeleteAt: null,
  undoneSteps: [
    undone("transfer", "FAILED", "volume vm-4242-disk-0 on node fra1"),
    undone("target_token", "KEPT", null),
  ],
};

describe("work that does not go well", () => {
  it("is called rolling back or blocked among the jobs, with the reason", async () => {
    const { page } = await panel.open("/settings");
    await answer(page, "Jobs", { jobs: { __typename: "JobPage", items: [JOB, HELD_UP], meta: { total: 2 } } });
    await page.goto(`${panel.url}/jobs`);
    const line = page.getByRole("row", { name: /^4242 / });
    await line.getByText("rolling back").waitFor();
    await line.getByText(REASON).waitFor();
    await line.getByRole("progressbar").waitFor({ state: "detached" });
    const heldUp = page.getByRole("row", { name: /^4243 / });
    await heldUp.getByText("blocked").waitFor();
    await heldUp.getByText(UNREACHABLE).waitFor();
  });
});

describe("a migration that was rolled back", () => {
  it("shows what became of each step, and what one has left behind", async () => {
    const { page } = await panel.open("/settings");
    await answer(page, "Migration", { migration: MIGRATION });
    await page.goto(`${panel.url}/migrations/4242`);
    await page.getByText("Rollback by step").waitFor();
    await page.getByText(/^Transfer: not fully undone/).waitFor();
    await page.getByText("volume vm-4242-disk-0 on node fra1", { exact: true }).waitFor();
    await page.getByText(/^Temporary credentials: kept as it is/).waitFor();
  });
});

/** Answers the operation of this name in the service's place. */
async function answer(page: Page, operation: string, data: object): Promise<void> {
  await page.route("**/graphql", async (route) => {
    const asked: unknown = route.request().postDataJSON();
    const isIt =
      typeof asked === "object" && asked !== null && "operationName" in asked && asked.operationName === operation;
    await (isIt ? route.fulfill({ json: { data } }) : route.fallback());
  });
}
