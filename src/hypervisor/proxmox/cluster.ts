// Asks a host who it is: versions, members of its cluster, privileges of the connection.
import { z } from "zod";
import type { Permissions } from "./rights/privileges.js";
import type { ClusterMembership, HostVersion, Member } from "../observed.js";
import { MOST_NODES } from "./answerBounds.js";
import type { Ask } from "./client.js";
import { flag, isTrue, listOf, nameOrNull, senseless, text, textOrNull, understand } from "./parse.js";
import { apiPath, type ApiParameters } from "./path.js";
import { unlessRefused, unlessUnknown } from "./refusedAnswer.js";

/** `version` is the package's, `release` the first two numbers of it. */
const versionAnswer = z.object({ version: textOrNull, release: textOrNull });

const nodesAnswer = listOf(z.object({ node: text, status: textOrNull, ssl_fingerprint: nameOrNull }));

/** An unreported quorum counts as present: a host without it refuses what it cannot do. */
const quorum = z
  .unknown()
  .optional()
  .transform((value) => value === undefined || value === null || isTrue(value));

const statusAnswer = listOf(z.object({ type: text, name: text, online: flag, local: flag, quorate: quorum }));

const permissionsAnswer = z.record(z.string(), z.record(z.string(), z.unknown()).nullish()).nullish();

/** The node that answers, which is any member of a cluster. */
export const readVersion = (ask: Ask): Promise<HostVersion> => versionAt(ask, "/version");

/** A host that does not tell it for each node runs one version as a rule. */
export const readNodeVersion = (ask: Ask, node: string): Promise<HostVersion> =>
  unlessRefused(versionAt(ask, apiPath`/nodes/${node}/version`), () => readVersion(ask));

async function versionAt(ask: Ask, path: string): Promise<HostVersion> {
  const { data, source } = await ask({ method: "GET", path });
  const { version: reported, release } = understand(versionAnswer, data, source);
  const version = (reported ?? release)?.replace(/^pve-manager\//, "");
  if (version === undefined) throw senseless(source, "version: expected a text");
  const [major = 0, minor = 0] = version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  return { version, major, minor };
}

/** A host that does not know the question may know its nodes. */
export const readCluster = (ask: Ask): Promise<ClusterMembership> =>
  unlessUnknown(readStatus(ask), () => readNodes(ask));

/** The answer does not name its node. */
async function readNodes(ask: Ask): Promise<ClusterMembership> {
  const { data, source } = await ask({ method: "GET", path: "/nodes" });
  const nodes = understand(nodesAnswer, data, source);
  requireFew(nodes, source);
  return {
    kind: nodes.length > 1 ? "cluster" : "standalone",
    name: null,
    quorate: true,
    nodes: nodes.map(({ node, status }) => ({ name: node, online: status === "online", local: nodes.length === 1 })),
  };
}

/** Whoever is let in is told the certificates; who stands between may refuse the question. */
export const readMembers = (ask: Ask): Promise<readonly Member[]> => unlessRefused(askMembers(ask), () => []);

async function askMembers(ask: Ask): Promise<readonly Member[]> {
  const { data, source } = await ask({ method: "GET", path: "/nodes" });
  return understand(nodesAnswer, data, source).map(({ node, ssl_fingerprint: certificate }) => ({
    name: node,
    certificate: certificate?.toUpperCase() ?? null,
  }));
}

function requireFew(nodes: readonly unknown[], source: string): void {
  if (nodes.length > MOST_NODES) throw senseless(source, `more than ${MOST_NODES} nodes`);
}

/** A standalone node answers with itself alone; a cluster adds an entry of its own. */
async function readStatus(ask: Ask): Promise<ClusterMembership> {
  const { data, source } = await ask({ method: "GET", path: "/cluster/status" });
  const entries = understand(statusAnswer, data, source);
  const cluster = entries.find(({ type }) => type === "cluster");
  const members = entries.filter(({ type }) => type === "node");
  requireFew(members, source);
  return {
    kind: cluster === undefined ? "standalone" : "cluster",
    name: cluster?.name ?? null,
    quorate: cluster?.quorate ?? true,
    nodes: members.map(({ name, online, local }) => ({ name, online, local })),
  };
}

/** Null: the host does not know the question; it is asked of nobody who may not. */
export const readPermissions = (ask: Ask): Promise<Permissions | null> => permissionsBy(ask, {});

/** The same of one path alone, which need not have rules of its own. */
export const readPermissionsOn = (ask: Ask, path: string): Promise<Permissions | null> => permissionsBy(ask, { path });

async function permissionsBy(ask: Ask, parameters: ApiParameters): Promise<Permissions | null> {
  const answer = await unlessUnknown(ask({ method: "GET", path: "/access/permissions", parameters }), () => null);
  if (answer === null) return null;
  const paths = understand(permissionsAnswer, answer.data, answer.source);
  return new Map(
    Object.entries(paths ?? {}).map(([path, privileges]) => [
      path,
      new Map(Object.entries(privileges ?? {}).map(([name, propagates]) => [name, isTrue(propagates)])),
    ]),
  );
}
