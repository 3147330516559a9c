// All resolvers of the schema.
import { AlertResolver } from "./alert.js";
import { ApiTokenResolver } from "./apiToken.js";
import { BalanceQueries } from "./balance.js";
import { BalanceRunResolver } from "./balanceRun.js";
import { Changes } from "./changes.js";
import { CtTemplateResolver } from "./ctTemplate.js";
import { EvacuationResolver } from "./evacuation.js";
import { GuestChanged } from "./guestChanged.js";
import { GuestMutations } from "./guestMutation.js";
import { GuestQueries } from "./guest.js";
import { HostResolver } from "./host.js";
import { HostMutations } from "./hostMutation.js";
import { IpAddressResolver } from "./ipAddress.js";
import { IpZoneResolver } from "./ipZone.js";
import { IpZoneMutations } from "./ipZoneMutation.js";
import { JobMutations, JobQueries } from "./job.js";
import { JobProgress } from "./jobProgress.js";
import { MigrationQueries } from "./migration.js";
import { MigrationMutations } from "./migrationMutation.js";
import { MigrationProgress } from "./migrationProgress.js";
import { NetworkResolver } from "./network.js";
import { NextVmidResolver } from "./nextVmid.js";
import { NodeResolver } from "./node.js";
import { OsTemplateResolver } from "./osTemplate.js";
import { PlacementResolver } from "./placement.js";
import { PlanResolver } from "./plan.js";
import { PlanMutations } from "./planMutation.js";
import { PortForwardMutations } from "./portForward.js";
import { RequestLogResolver } from "./requestLog.js";
import { SafetyCopyMutations } from "./safetyCopy.js";
import { SecondFactorMutations } from "./secondFactor.js";
import { SessionResolver } from "./session.js";
import { SettingsResolver } from "./settings.js";
import { StorageResolver } from "./storage.js";
import { TaskResolver } from "./task.js";
import { TemplateMutations } from "./templateMutation.js";
import { UserQueries } from "./user.js";
import { UserMutations } from "./userMutation.js";
import { ViewerResolver } from "./viewer.js";

export const resolvers = [
  ViewerResolver,
  AlertResolver,
  HostResolver,
  NodeResolver,
  StorageResolver,
  NetworkResolver,
  GuestQueries,
  PlanResolver,
  OsTemplateResolver,
  CtTemplateResolver,
  IpZoneResolver,
  IpAddressResolver,
  NextVmidResolver,
  UserQueries,
  JobQueries,
  JobMutations,
  TaskResolver,
  ApiTokenResolver,
  RequestLogResolver,
  SettingsResolver,
  PlacementResolver,
  BalanceQueries,
  BalanceRunResolver,
  EvacuationResolver,
  SessionResolver,
  SecondFactorMutations,
  HostMutations,
  GuestMutations,
  PlanMutations,
  TemplateMutations,
  IpZoneMutations,
  PortForwardMutations,
  UserMutations,
  MigrationQueries,
  MigrationMutations,
  SafetyCopyMutations,
  JobProgress,
  MigrationProgress,
  GuestChanged,
  Changes,
] as const;
