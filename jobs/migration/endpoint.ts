// Finds the address at which the source's node reaches the target's.
import { endpointOf } from "../../src/migration/endpoint.js";
import { DroverError } from "../../src/errors/errors.js";
import type { NodeEndpoint } from "../../src/hypervisor/observed.js";
import * as hosts from "../../src/store/host/record.js";
import { inputOf, targetHost, type MigrationContext } from "./context.js";

/** @throws DroverError platform; notFound when the target host is no longer connected */
export async function targetEndpoint(context: MigrationContext): Promise<NodeEndpoint> {
  const { target } = inputOf(context);
  const [said, record] = await Promise.all([
    (await targetHost(context)).endpoint(target.node),
    hosts.moveTarget(context.services.pool, target.hostId),
  ]);
  if (record === null) throw new DroverError("notFound", "the target host is no longer connected");
  return endpointOf(record, said);
}
