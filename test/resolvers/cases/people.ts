// Cases of queries of users, viewers and settings.
import { items, type Answered } from "./answered.js";

export const peopleCases: readonly Answered[] = [
  {
    must: "shows tokens customers and resellers, and nobody who works for the operator",
    as: "plain",
    query: "{ users { items { username userId role permissions } } }",
    data: {
      users: items([
        {
          username: "rita",
          userId: null,
          role: "RESELLER",
          permissions: ["hosts.read", "guests.create", "guests.operate", "users.manage"],
        },
        { username: "carl", userId: "crm-77", role: "CUSTOMER", permissions: ["guests.operate"] },
        { username: "dora", userId: null, role: "CUSTOMER", permissions: ["guests.operate"] },
      ]),
    },
  },
  {
    must: "counts a user's guests in scope",
    as: "scoped",
    query: '{ users(search: "carl") { items { guestCount } } user(id: 3) { guestCount } }',
    data: { users: items([{ guestCount: 40 }]), user: { guestCount: 40 } },
  },
  {
    must: "counts no guests out of scope",
    as: "scopedElsewhere",
    query: '{ users(search: "carl") { items { guestCount } } user(id: 3) { guestCount } }',
    data: { users: items([{ guestCount: 0 }]), user: { guestCount: 0 } },
  },
  {
    must: "shows operators everybody, and searches",
    as: "admin",
    query:
      '{ users { meta { total } } found: users(search: "CRM-") { items { id } } admins: users(role: ADMIN) { items { id } } }',
    data: { users: { meta: { total: 4 } }, found: items([{ id: 3 }]), admins: items([{ id: 1 }]) },
  },
  {
    must: "shows resellers themselves and their customers",
    as: "reseller",
    query: "{ users { items { id } } }",
    data: { users: items([{ id: 2 }, { id: 3 }]) },
  },
  {
    must: "shows customers themselves",
    as: "customer",
    query: "{ user(id: 3) { username sshKeys { name fingerprint } } sshKeys(userId: 3) { meta { total } } }",
    data: {
      user: { username: "carl", sshKeys: [{ name: "laptop", fingerprint: "SHA256:abc" }] },
      sshKeys: { meta: { total: 1 } },
    },
  },
  {
    must: "tells the settings",
    as: "manager",
    query:
      "{ settings { ramWeight cpuWeight storageWeight ramThresholdPercent cpuThresholdPercent maxSuggestions safetyCopyRetentionDays requestLogRetentionDays requestLogMaxMb addressHistoryRetentionDays migrationBandwidthMib lockWaitSeconds clonesPerTemplate sessionHours rememberedSessionDays sessionIdleMinutes } }",
    data: {
      settings: {
        ramWeight: 0.5,
        cpuWeight: 0.3,
        storageWeight: 0.2,
        ramThresholdPercent: 80,
        cpuThresholdPercent: 85,
        maxSuggestions: 10,
        safetyCopyRetentionDays: 7,
        requestLogRetentionDays: 30,
        requestLogMaxMb: 20_480,
        addressHistoryRetentionDays: 365,
        migrationBandwidthMib: null,
        lockWaitSeconds: 300,
        clonesPerTemplate: 8,
        sessionHours: 12,
        rememberedSessionDays: 30,
        sessionIdleMinutes: null,
      },
    },
  },
  {
    must: "tells a person who they are",
    as: "reseller",
    query: "{ viewer { user { username } apiToken { id } hostIds permissions } }",
    data: {
      viewer: {
        user: { username: "rita" },
        apiToken: null,
        hostIds: null,
        permissions: ["hosts.read", "guests.create", "guests.operate", "users.manage"],
      },
    },
  },
];
