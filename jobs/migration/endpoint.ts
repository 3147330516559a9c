// Finds the address at which the source's node reaches the target's.
import { endpointOf, type TargetHost } from "../../src/actions/migration/endpoint.js";
import { DroverError } from "../../src/errors/errors.js";
import type { NodeEndpoint } from "../../src/hypervisor/observed.js";
import { inputOf, targetHost, type MigrationContext } from "./context.js";

/** @throws DroverError platform; notFound when the target host is no longer connected */
export async function targetEndpoint(context: MigrationContext): Promise<NodeEndpoint> {
  const { target } = inputOf(context);
  const [said, { rows }] = await Promise.all([
    (await targetHost(context)).endpoint(target.node),
    context.services.pool.query<TargetHost>(
      `select hostname, port, kind = 'cluster' as "isCluster", tls_fingerprint as "tlsFingerprint" from host where id = $1`,
      [target.hostId],
    ),
  ]);
  const [record] = rows;
  if (record === undefined) throw new DroverError("notFound", "the target host is no longer connected");
  return endpointOf(record, said);
}
