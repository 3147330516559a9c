// All schema changes in the order in which they are applied; one that has been released is never edited.
import { Change0001Access } from "./0001Access.js";
import { Change0002Inventory } from "./0002Inventory.js";
import { Change0003Addressing } from "./0003Addressing.js";
import { Change0004Jobs } from "./0004Jobs.js";
import { Change0005Events } from "./0005Events.js";
import { Change0006Queue } from "./0006Queue.js";
import { Change0007AgentJobs } from "./0007AgentJobs.js";
import { Change0008Migration } from "./0008Migration.js";
import { Change0009Runs } from "./0009Runs.js";
import { Change0010ListIndexes } from "./0010ListIndexes.js";
import { Change0011AddressHistory } from "./0011AddressHistory.js";
import { Change0012GuestStorages } from "./0012GuestStorages.js";
import { Change0013Workers } from "./0013Workers.js";
import { Change0014HostSeen } from "./0014HostSeen.js";
import { Change0015AddressesReturned } from "./0015AddressesReturned.js";
import { Change0016Announcements } from "./0016Announcements.js";
import { Change0017PowerHolds } from "./0017PowerHolds.js";
import { Change0018AddressRetention } from "./0018AddressRetention.js";
import { Change0019PlacementChanges } from "./0019PlacementChanges.js";
import { Change0020GuestRoom } from "./0020GuestRoom.js";
import { Change0021TokenDescent } from "./0021TokenDescent.js";
import { Change0022LogIndexes } from "./0022LogIndexes.js";

export const schemaChanges = [
  { name: "0001-access", class: Change0001Access },
  { name: "0002-inventory", class: Change0002Inventory },
  { name: "0003-addressing", class: Change0003Addressing },
  { name: "0004-jobs", class: Change0004Jobs },
  { name: "0005-events", class: Change0005Events },
  { name: "0006-queue", class: Change0006Queue },
  { name: "0007-agent-jobs", class: Change0007AgentJobs },
  { name: "0008-migration", class: Change0008Migration },
  { name: "0009-runs", class: Change0009Runs },
  { name: "0010-list-indexes", class: Change0010ListIndexes },
  { name: "0011-address-history", class: Change0011AddressHistory },
  { name: "0012-guest-storages", class: Change0012GuestStorages },
  { name: "0013-workers", class: Change0013Workers },
  { name: "0014-host-seen", class: Change0014HostSeen },
  { name: "0015-addresses-returned", class: Change0015AddressesReturned },
  { name: "0016-announcements", class: Change0016Announcements },
  { name: "0017-power-holds", class: Change0017PowerHolds },
  { name: "0018-address-retention", class: Change0018AddressRetention },
  { name: "0019-placement-changes", class: Change0019PlacementChanges },
  { name: "0020-guest-room", class: Change0020GuestRoom },
  { name: "0021-token-descent", class: Change0021TokenDescent },
  { name: "0022-log-indexes", class: Change0022LogIndexes },
];
