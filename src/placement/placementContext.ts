// Determines the conditions under which a viewer's guest is placed: scope, assigned nodes, nodes that have the template.
import { UserRole } from "../core/enums.js";
import { isInScope, type Scope } from "../core/access/scope.js";
import { architectureOfFile } from "../core/guest/reference.js";
import { EVERY_NODE, type PlacementContext, type PlacementSettings } from "../core/placement/context.js";
import { nodeSet, type NodeSet } from "../core/placement/nodeSet.js";
import type { Viewer } from "../access/viewer.js";
import * as resellerNodes from "../store/resellerNode.js";
import type { Connection } from "../store/tables.js";
import type { CreateGuestFacts } from "./createGuestFacts.js";

/** Whom a placement is for. */
interface Asker {
  readonly viewer: Viewer;
  /** In a transaction its client: whoever waits for a second connection there may wait for those who wait for the first. */
  readonly database: Connection;
}

interface ConditionsRequest {
  readonly scope: Scope;
  readonly node: string | null;
  readonly facts: Pick<CreateGuestFacts, "template" | "file" | "fileNodes">;
}

/** The context of one placement for this viewer. */
export async function placementContext(
  { viewer, database }: Asker,
  settings: PlacementSettings,
  { scope, node, facts }: ConditionsRequest,
): Promise<PlacementContext> {
  const isReseller = viewer.kind === "user" && viewer.role === UserRole.RESELLER;
  const assigned = isReseller ? await assignedNodes(database, viewer.userId) : null;
  return {
    ...EVERY_NODE,
    settings,
    // Hosts of which a reseller has no node are invisible; other nodes of his hosts are dropped, with the reason.
    scope: assigned === null ? scope : [...assigned.keys()].filter((hostId) => isInScope(scope, hostId)),
    node,
    assignedNodes: assigned,
    templateNodes: imageNodes(facts),
    templateArchitecture: imageArchitecture(facts),
  };
}

/** The nodes that have what the guest is made from; null when nothing was said about it. */
function imageNodes({ template, fileNodes }: ConditionsRequest["facts"]): NodeSet | null {
  if (template === null) return fileNodes && nodeSet(fileNodes);
  return nodeSet(template.nodes.map((name) => ({ hostId: template.hostId, node: name })));
}

/** What the guest's image is built for: a template's node has it, a file's name says it. */
const imageArchitecture = ({ template, file }: ConditionsRequest["facts"]): string | null =>
  template === null ? file && architectureOfFile(file) : template.architecture;

/** The nodes that a reseller may create on. */
const assignedNodes = async (database: Connection, userId: number): Promise<NodeSet> =>
  nodeSet(await resellerNodes.ofUser(database, userId));
