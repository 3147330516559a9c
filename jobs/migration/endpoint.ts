// Finds how the source's node reaches the target's.
import { DroverError } from "../../src/errors.js";
import type { NodeEndpoint } from "../../src/hypervisor/observed.js";
import { inputOf, targetHost, type MigrationWorld } from "./world.js";

/** @throws DroverError platform; notFound when the target host is no longer connected */
export async function targetEndpoint(world: MigrationWorld): Promise<NodeEndpoint> {
  const { target } = inputOf(world);
  const [{ host, fingerprint }, { rows }] = await Promise.all([
    (await targetHost(world)).endpoint(target.node),
    world.services.pool.query<{ hostname: string; port: number; isCluster: boolean }>(
      `select hostname, port, kind = 'cluster' as "isCluster" from host where id = $1`,
      [target.hostId],
    ),
  ]);
  const [record] = rows;
  if (record === undefined) throw new DroverError("notFound", "the target host is no longer connected");
  return { host: record.isCluster ? host : record.hostname, port: record.port, fingerprint };
}
