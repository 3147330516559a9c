// Connects simulated hosts by their API token, as operators do.
import type { RunningHost } from "../../../simulator/host.js";
import { addHost } from "../../../src/actions/host/host.js";
import type { HostInput } from "../../../src/actions/host/hostInput.js";
import type { Context } from "../../../src/context/context.js";
import { SECRET, Site } from "../../inventory/support/site.js";
import { contextOf, managingToken } from "../../support/context.js";

/** What an operator says of a host. */
export const hostInput = ({ port, fingerprint }: Pick<RunningHost, "port" | "fingerprint">): HostInput => ({
  name: "alpha",
  hostname: "127.0.0.1",
  port,
  user: "root@pam",
  tokenId: "panel",
  tokenSecret: SECRET,
  tlsFingerprint: fingerprint,
});

/** A site with one host, who manages it, and the host's id. */
interface Connected {
  readonly site: Site;
  readonly context: Context;
  readonly id: number;
}

/** Opens a site and connects its first host; to be closed by the caller. */
export async function openConnected(): Promise<Connected> {
  const site = await Site.open();
  const context = contextOf(site.services, managingToken());
  return { site, context, id: await addHost(context, hostInput(await site.startHost())) };
}
