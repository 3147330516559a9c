// All entities, one for each table: the schema that statements are typed by.
import { Agent, AgentJob } from "./agent.js";
import { ApiToken } from "./apiToken.js";
import { Guest } from "./guest.js";
import { GuestCount } from "./guestCount.js";
import { Host } from "./host.js";
import { IpZone, IpZoneExclusion, IpZoneReturned, IpAddress, IpAddressHolding } from "./ipZone.js";
import { Job, JobStep } from "./job.js";
import { Migration, TemporaryToken, TokenRefusal } from "./migration.js";
import { Node, NodeSample, Storage, Network, NodeFile, ResellerNode } from "./node.js";
import { PlacementChange } from "./placementChange.js";
import { Plan } from "./plan.js";
import { PortForward } from "./portForward.js";
import { RequestLog, RequestLogBudget, RateWindow } from "./requestLog.js";
import { CapacityReservation, CloneTurn, ResourceLock, VmidRefusal, VmidReservation } from "./reservation.js";
import { Run, RunItem } from "./run.js";
import { Session } from "./session.js";
import { Setting } from "./setting.js";
import { SshKey } from "./sshKey.js";
import { OsTemplate, CtTemplate } from "./template.js";
import { UserAccount } from "./userAccount.js";
import { Drain, Schedule, TaskRun, Worker } from "./worker.js";

export const entities = [
  Agent,
  AgentJob,
  ApiToken,
  CapacityReservation,
  CtTemplate,
  Drain,
  Guest,
  GuestCount,
  Host,
  IpAddress,
  IpAddressHolding,
  IpZone,
  IpZoneExclusion,
  IpZoneReturned,
  Job,
  JobStep,
  Migration,
  Network,
  Node,
  NodeFile,
  NodeSample,
  OsTemplate,
  PlacementChange,
  Plan,
  PortForward,
  RateWindow,
  RequestLog,
  RequestLogBudget,
  ResellerNode,
  ResourceLock,
  Run,
  RunItem,
  Schedule,
  TaskRun,
  Session,
  Setting,
  SshKey,
  Storage,
  TemporaryToken,
  TokenRefusal,
  UserAccount,
  VmidRefusal,
  CloneTurn,
  VmidReservation,
  Worker,
] as const;
