// Decides whether a transfer may still run although its job has ended: it would break without its temporary token.
import type { Services } from "../context/context.js";
import { DroverError } from "../errors/errors.js";
import type { MoveSide, MoveSides } from "../store/temporaryToken.js";

type Parts = Pick<Services, "hypervisors" | "log">;

/** Whether something works on the guest at either end; a source that does not tell may be at work. @throws DroverError of the target */
export const mayBeAtWork = async (parts: Parts, { source, target }: MoveSides): Promise<boolean> =>
  (await worksAt(parts, target)) || (await mayWorkAt(parts, source));

const worksAt = async ({ hypervisors }: Parts, { hostId, node, vmid }: MoveSide): Promise<boolean> =>
  (await (await hypervisors.of(hostId)).activeTasks(node, vmid)).length > 0;

async function mayWorkAt(parts: Parts, end: MoveSide): Promise<boolean> {
  try {
    return await worksAt(parts, end);
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    // A host that is no longer connected can never be asked again.
    if (error.kind === "notFound") return false;
    parts.log.info({ err: error, ...end }, "whether a transfer is at work is not known: its token stays until it ends");
    return true;
  }
}
