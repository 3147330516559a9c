// All entities, one for each table: the schema that statements are typed by.
import { AgentEntity, AgentJobEntity } from "./agent.js";
import { ApiTokenEntity } from "./apiToken.js";
import { GuestEntity } from "./guest.js";
import { GuestCountEntity } from "./guestCount.js";
import { HostEntity } from "./host.js";
import {
  IpZoneEntity,
  IpZoneExclusionEntity,
  IpZoneReturnedEntity,
  IpAddressEntity,
  IpAddressHoldingEntity,
} from "./ipZone.js";
import { JobEntity, JobStepEntity } from "./job.js";
import { MigrationEntity, TemporaryTokenEntity, TokenRefusalEntity } from "./migration.js";
import {
  NodeEntity,
  NodeSampleEntity,
  StorageEntity,
  NetworkEntity,
  NodeFileEntity,
  ResellerNodeEntity,
} from "./node.js";
import { PlacementChangeEntity } from "./placementChange.js";
import { PlanEntity } from "./plan.js";
import { PortForwardEntity } from "./portForward.js";
import { RequestLogEntity, RequestLogBudgetEntity, RateWindowEntity } from "./requestLog.js";
import {
  CapacityReservationEntity,
  CloneTurnEntity,
  ResourceLockEntity,
  VmidRefusalEntity,
  VmidReservationEntity,
} from "./reservation.js";
import { RunEntity, RunItemEntity } from "./run.js";
import { RecoveryCodeEntity, TotpEntity } from "./secondFactor.js";
import { SessionEntity } from "./session.js";
import { SettingEntity } from "./setting.js";
import { KnownAddressEntity, SignInEntity } from "./signIn.js";
import { SshKeyEntity } from "./sshKey.js";
import { OsTemplateEntity, CtTemplateEntity } from "./template.js";
import { UserAccountEntity } from "./userAccount.js";
import { DrainEntity, ScheduleEntity, TaskRunEntity, WorkerEntity } from "./worker.js";

export const entities = [
  AgentEntity,
  AgentJobEntity,
  ApiTokenEntity,
  CapacityReservationEntity,
  CtTemplateEntity,
  DrainEntity,
  GuestEntity,
  GuestCountEntity,
  HostEntity,
  IpAddressEntity,
  IpAddressHoldingEntity,
  IpZoneEntity,
  IpZoneExclusionEntity,
  IpZoneReturnedEntity,
  JobEntity,
  JobStepEntity,
  MigrationEntity,
  NetworkEntity,
  NodeEntity,
  NodeFileEntity,
  NodeSampleEntity,
  OsTemplateEntity,
  PlacementChangeEntity,
  PlanEntity,
  PortForwardEntity,
  RateWindowEntity,
  RequestLogEntity,
  RequestLogBudgetEntity,
  ResellerNodeEntity,
  ResourceLockEntity,
  RunEntity,
  RunItemEntity,
  ScheduleEntity,
  TaskRunEntity,
  TotpEntity,
  RecoveryCodeEntity,
  SessionEntity,
  SettingEntity,
  SignInEntity,
  KnownAddressEntity,
  SshKeyEntity,
  StorageEntity,
  TemporaryTokenEntity,
  TokenRefusalEntity,
  UserAccountEntity,
  VmidRefusalEntity,
  CloneTurnEntity,
  VmidReservationEntity,
  WorkerEntity,
] as const;
