// Lists the inventory endpoints and what they require.
import { anyone, anyPrivilege, privileges, superuserOnly } from "../access/requirement.js";
import { currentStatus, listResources, readResource } from "../guests/haReads.js";
import { listJobs, listReplication, readJob, readJobStatus } from "../guests/replication.js";
import { node as nodeName, text } from "../parameters/common.js";
import type { Route } from "../route.js";
import { answer } from "../route.js";
import { changeVolume, copyVolume, deleteVolume, listContent, makeVolume, readVolume } from "./content.js";
import { listInterfaces, readInterface } from "./network.js";
import { certificates, clusterStatus, listNodes, nodeStatus } from "./nodes.js";
import { listConfiguredNodes, readHosts, readResolver, readSubscription } from "./nodeFacts.js";
import { readOptions } from "./options.js";
import { packageVersions } from "./packages.js";
import { nextId, resources } from "./resources.js";
import { nodeRrd, storageRrd } from "../metrics/rrd.js";
import {
  createStorage,
  deleteStorage,
  listDefinitions,
  readDefinition,
  updateStorage,
} from "../storage/definitions.js";
import { listNodeStorages, storageStatus } from "./storages.js";
import { nodeTime } from "./time.js";
import { version } from "./version.js";

const node = "/nodes/{node}";
const content = `${node}/storage/{storage}/content`;
const jobName = { type: "string", pattern: "[1-9][0-9]{2,8}-\\d{1,9}" };
const auditCluster = privileges("/", ["Sys.Audit"]);
const auditNode = privileges(node, ["Sys.Audit"]);
const allocatesStorages = privileges("/storage", ["Datastore.Allocate"]);
const seeStorage = anyPrivilege("/storage/{storage}", ["Datastore.Audit", "Datastore.AllocateSpace"]);
export const inventoryRoutes: Route[] = [
  { method: "GET", path: "/version", requires: anyone, handle: version },
  { method: "GET", path: `${node}/version`, requires: anyone, handle: version },
  { method: "GET", path: "/nodes", requires: anyone, handle: listNodes },
  { method: "GET", path: `${node}/status`, requires: auditNode, handle: nodeStatus },
  { method: "GET", path: `${node}/rrddata`, requires: auditNode, proxied: false, handle: nodeRrd },
  {
    method: "GET",
    path: `${node}/storage/{storage}/rrddata`,
    requires: seeStorage,
    proxied: false,
    handle: storageRrd,
  },
  { method: "GET", path: `${node}/certificates/info`, requires: anyone, handle: certificates },
  { method: "GET", path: `${node}/network`, requires: anyone, handle: listInterfaces },
  { method: "GET", path: `${node}/network/{iface}`, requires: auditNode, handle: readInterface },
  { method: "GET", path: `${node}/time`, requires: auditNode, handle: nodeTime },
  { method: "GET", path: `${node}/replication`, requires: anyone, handle: listReplication },
  { method: "GET", path: `${node}/apt/versions`, requires: auditNode, handle: packageVersions },
  {
    method: "GET",
    path: `${node}/replication/{id}`,
    requires: anyone,
    proxied: false,
    accepts: { node: nodeName, id: jobName },
    handle: () => answer(["schedule_now", "log", "status"].map((name) => ({ name }))),
  },
  {
    method: "GET",
    path: `${node}/replication/{id}/status`,
    requires: anyone,
    accepts: { node: nodeName, id: jobName },
    handle: readJobStatus,
  },
  { method: "GET", path: "/cluster/replication", requires: anyone, accepts: {}, handle: listJobs },
  {
    method: "GET",
    path: "/cluster/replication/{id}",
    requires: anyone,
    accepts: { id: jobName },
    handle: readJob,
  },
  {
    method: "GET",
    path: "/cluster/ha/resources",
    requires: auditCluster,
    accepts: { type: { ...text, enum: ["ct", "vm"] } },
    handle: listResources,
  },
  {
    method: "GET",
    path: "/cluster/ha/resources/{sid}",
    requires: auditCluster,
    accepts: { sid: { type: "string" } },
    handle: readResource,
  },
  { method: "GET", path: "/cluster/ha/status/current", requires: auditCluster, accepts: {}, handle: currentStatus },
  { method: "GET", path: "/cluster/config/nodes", requires: auditCluster, accepts: {}, handle: listConfiguredNodes },
  {
    method: "GET",
    path: `${node}/subscription`,
    requires: anyone,
    accepts: { node: nodeName },
    handle: readSubscription,
  },
  { method: "GET", path: `${node}/hosts`, requires: auditNode, accepts: { node: nodeName }, handle: readHosts },
  { method: "GET", path: `${node}/dns`, requires: auditNode, accepts: { node: nodeName }, handle: readResolver },
  { method: "GET", path: "/cluster/status", requires: auditCluster, handle: clusterStatus },
  { method: "GET", path: "/cluster/resources", requires: anyone, handle: resources },
  { method: "GET", path: "/cluster/nextid", requires: anyone, handle: nextId },
  { method: "GET", path: "/cluster/options", requires: anyone, handle: readOptions },
  { method: "GET", path: "/storage", requires: anyone, handle: listDefinitions },
  {
    method: "GET",
    path: "/storage/{storage}",
    requires: privileges("/storage/{storage}", ["Datastore.Allocate"]),
    handle: readDefinition,
  },
  { method: "POST", path: "/storage", requires: allocatesStorages, handle: createStorage },
  { method: "PUT", path: "/storage/{storage}", requires: allocatesStorages, handle: updateStorage },
  { method: "DELETE", path: "/storage/{storage}", requires: allocatesStorages, handle: deleteStorage },
  { method: "GET", path: `${node}/storage`, requires: anyone, handle: listNodeStorages },
  { method: "GET", path: `${node}/storage/{storage}/status`, requires: seeStorage, handle: storageStatus },
  { method: "GET", path: content, requires: seeStorage, handle: listContent },
  {
    method: "POST",
    path: content,
    requires: privileges("/storage/{storage}", ["Datastore.AllocateSpace"]),
    handle: makeVolume,
  },
  { method: "GET", path: `${content}/{volume}`, requires: anyone, handle: readVolume },
  { method: "PUT", path: `${content}/{volume}`, requires: anyone, handle: changeVolume },
  { method: "POST", path: `${content}/{volume}`, requires: superuserOnly, handle: copyVolume },
  { method: "DELETE", path: `${content}/{volume}`, requires: anyone, handle: deleteVolume },
];
