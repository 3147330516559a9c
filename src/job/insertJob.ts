// Records a job, with who asked for it and its encrypted secrets.
import type { PoolClient } from "pg";
import type { Viewer } from "../access/viewer.js";
import type { Context } from "../context/context.js";
import type { JobKind } from "../core/enums.js";
import { insertJob as insertJobRow } from "../store/job/job.js";
import { sealedSecrets } from "./jobSecrets.js";
import { versionOf } from "./kinds.js";

interface NewJob {
  readonly kind: JobKind;
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  /** The guest in the inventory; null while there is none. */
  readonly guestId: number | null;
  /** What was asked for, frozen; can be set later in the same transaction. */
  readonly input?: unknown;
  /** Null: the job needs none. */
  readonly secrets: unknown;
}

/** @returns its id; a worker is woken when the transaction is committed */
export async function insertJob(context: Context, client: PoolClient, job: NewJob): Promise<number> {
  const { userId, tokenId } = createdBy(context.viewer);
  return insertJobRow(client, {
    kind: job.kind,
    host_id: job.hostId,
    node: job.node,
    vmid: job.vmid,
    guest_id: job.guestId,
    input: JSON.stringify(job.input ?? {}),
    version: versionOf(job.kind),
    secrets_encrypted: job.secrets === null ? null : sealedSecrets(context.secrets, job),
    created_by_user: userId,
    created_by_token: tokenId,
  });
}

/** Who asked for a job, as its row names them. */
export const createdBy = (viewer: Viewer): { readonly userId: number | null; readonly tokenId: number | null } => ({
  userId: viewer.kind === "user" ? viewer.userId : null,
  tokenId: viewer.kind === "token" ? viewer.tokenId : null,
});
