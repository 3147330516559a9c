// Answers small facts of a node: its subscription, its hosts file, its resolver, and how the cluster's configuration names it.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { namedNode } from "./nodes.js";

/** `GET /nodes/{node}/subscription`: there is none; the server's id shows to who may audit the node. */
export function readSubscription(call: Call): ApiAnswer {
  const node = namedNode(call);
  const mayAudit = call.platform.permissions.has(call.identity.label, `/nodes/${node.name}`, ["Sys.Audit"]);
  const serverid = createHash("md5").update(`${node.name} ${node.fingerprint}`).digest("hex").toUpperCase();
  return answer({
    status: "notfound",
    message: "There is no subscription key",
    url: "https://www.proxmox.com/en/proxmox-virtual-environment/pricing",
    ...(mayAudit ? { serverid } : {}),
  });
}

/** `GET /nodes/{node}/hosts`: the file as it is, with its digest. */
export function readHosts(call: Call): ApiAnswer {
  const { address, name } = namedNode(call);
  const data = `127.0.0.1 localhost\n${address} ${name}\n`;
  return answer({ data, digest: createHash("sha1").update(data).digest("hex") });
}

/** `GET /nodes/{node}/dns`: an empty file; a simulated node resolves no names. */
export const readResolver = (): ApiAnswer => answer({});

/** `GET /cluster/config/nodes`: the members as the cluster's engine has them; a standalone node has no such file. */
export function listConfiguredNodes({ platform }: Call): ApiAnswer {
  const { clusterName, nodes } = platform.state;
  if (clusterName === null) return answer([]);
  return answer(
    [...nodes.values()].map(({ name, nodeId, address }) => ({
      node: name,
      name,
      nodeid: String(nodeId),
      quorum_votes: "1",
      ring0_addr: address,
    })),
  );
}
