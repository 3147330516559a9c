// What an operator says of a simulated host to connect it by its API token.
import type { RunningHost } from "../../../simulator/host.js";
import type { HostInput } from "../../../src/actions/host/hostInput.js";
import { SECRET } from "../../inventory/support/site.js";

export const hostInput = ({ port, fingerprint }: RunningHost): HostInput => ({
  name: "alpha",
  hostname: "127.0.0.1",
  port,
  user: "root@pam",
  tokenId: "panel",
  tokenSecret: SECRET,
  tlsFingerprint: fingerprint,
});
