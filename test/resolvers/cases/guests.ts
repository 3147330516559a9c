// Cases of queries of guests, their jobs and the next VMID.
import { items, type Answered } from "./answered.js";

export const guestsCases: readonly Answered[] = [
  {
    must: "tells a guest with everything around it",
    as: "plain",
    query:
      "{ guest(hostId: 1, type: QEMU, vmid: 100) { id name status tags diskGb memoryMb ipAddresses owner { username guestCount } plan { name } portForwards { publicPort guestAddress hostId node } activeJob { id kind } host { name } safetyCopy } }",
    data: {
      guest: {
        id: 1,
        name: "web-0",
        status: "RUNNING",
        tags: ["prod", "web"],
        diskGb: 5,
        memoryMb: 1024,
        ipAddresses: ["10.0.0.5", "198.51.100.10"],
        owner: { username: "carl", guestCount: 40 },
        plan: { name: "small" },
        portForwards: [{ publicPort: 2222, guestAddress: "198.51.100.10", hostId: 1, node: "a1" }],
        activeJob: { id: 1, kind: "GUEST_REINSTALL" },
        host: { name: "alpha" },
        safetyCopy: false,
      },
    },
  },
  {
    must: "tells when a safety copy is deleted, to the millisecond",
    as: "plain",
    query: "{ guest(hostId: 2, type: QEMU, vmid: 101) { safetyCopy safetyCopyDeleteAt } }",
    data: { guest: { safetyCopy: true, safetyCopyDeleteAt: "2027-01-02T03:04:05.678Z" } },
  },
  {
    must: "leaves out guests that are gone",
    as: "plain",
    query: '{ guests(filter: { search: "gone" }) { meta { total } } }',
    data: { guests: { meta: { total: 0 } } },
  },
  {
    must: "filters guests by everything at once",
    as: "plain",
    query:
      '{ guests(filter: { hostIds: [1, 2], node: "a1", type: QEMU, status: RUNNING, ownerId: 3, tag: "prod", search: "EB-", safetyCopy: false }) { items { vmid } meta { total } } }',
    data: { guests: { items: [{ vmid: 100 }, { vmid: 106 }], meta: { total: 2 } } },
  },
  {
    must: "finds a guest by its VMID",
    as: "plain",
    query: '{ guests(filter: { search: "219" }) { items { name } } }',
    data: { guests: items([{ name: "web-119" }]) },
  },
  {
    must: "takes % and _ of a search as they are",
    as: "plain",
    query: '{ guests(filter: { search: "0%_b" }) { items { name } } }',
    data: { guests: items([{ name: "100%_box" }]) },
  },
  {
    must: "finds guests by an address of a zone and of their configuration, and by whom they belong to",
    as: "manager",
    query:
      '{ zone: guests(filter: { search: "198.51.100.10" }) { items { vmid } } own: guests(filter: { search: "10.0.0.5" }) { items { vmid } } part: guests(filter: { search: "10.0.0." }) { items { vmid } } login: guests(filter: { search: "CARL" }, perPage: 1) { meta { total } } ownId: guests(filter: { search: "rm-7" }, perPage: 1) { meta { total } } }',
    data: {
      zone: items([{ vmid: 100 }]),
      own: items([{ vmid: 100 }]),
      part: items([]),
      login: { meta: { total: 40 } },
      ownId: { meta: { total: 40 } },
    },
  },
  {
    must: "finds resellers' guests by their customers",
    as: "reseller",
    query: '{ guests(filter: { search: "carl@" }, perPage: 1) { meta { total } } }',
    data: { guests: { meta: { total: 40 } } },
  },
  {
    must: "finds nothing by owners for a token that may not know them",
    as: "plain",
    query: '{ guests(filter: { search: "carl" }) { meta { total } } }',
    data: { guests: { meta: { total: 0 } } },
  },
  {
    must: "finds safety copies",
    as: "plain",
    query: "{ guests(filter: { safetyCopy: true }) { items { vmid } } }",
    data: { guests: items([{ vmid: 101 }]) },
  },
  {
    must: "sorts guests, those without a figure last",
    as: "plain",
    query: "{ guests(sort: { field: CPU, direction: DESC }, perPage: 2) { items { vmid } } }",
    data: { guests: items([{ vmid: 219 }, { vmid: 218 }]) },
  },
  {
    must: "sorts guests upwards unless told otherwise",
    as: "plain",
    query: "{ guests(sort: { field: MEMORY }, filter: { hostIds: [1] }, perPage: 2) { items { vmid } } }",
    data: { guests: items([{ vmid: 100 }, { vmid: 101 }]) },
  },
  {
    must: "shows customers their own guests",
    as: "customer",
    query: "{ guests(perPage: 1) { items { vmid ownerId } meta { total } } }",
    data: { guests: { items: [{ vmid: 100, ownerId: 3 }], meta: { total: 40 } } },
  },
  {
    must: "narrows customers' guests by a host they cannot see",
    as: "customer",
    query: "{ guests(filter: { hostIds: [99] }) { meta { total } } }",
    data: { guests: { meta: { total: 0 } } },
  },
  {
    must: "shows resellers their customers' guests",
    as: "reseller",
    query: "{ guests { meta { total } } }",
    data: { guests: { meta: { total: 40 } } },
  },
  {
    must: "passes over VMIDs of guests, safety copies and reservations",
    as: "plain",
    query: "{ nextVmid(hostId: 2) }",
    data: { nextVmid: 103 },
  },
  { must: "starts VMIDs at 100", as: "plain", query: "{ nextVmid(hostId: 3) }", data: { nextVmid: 100 } },
  {
    must: "tells a job",
    as: "plain",
    query: "{ job(id: 1, hostId: 1) { kind status progress step upids hostId node vmid error finishedAt } }",
    data: {
      job: {
        kind: "GUEST_REINSTALL",
        status: "RUNNING",
        progress: 0.5,
        step: "clone",
        upids: ["UPID:a1:1"],
        hostId: 1,
        node: "a1",
        vmid: 100,
        error: null,
        finishedAt: null,
      },
    },
  },
  {
    must: "lists jobs, newest first",
    as: "plain",
    query:
      "{ jobs { items { id } } queued: jobs(filter: { status: QUEUED, kind: GUEST_CREATE, hostIds: [2], vmid: 102 }) { items { id } } known: jobs(filter: { ids: [1, 99] }) { items { id } } }",
    data: { jobs: items([{ id: 2 }, { id: 1 }]), queued: items([{ id: 2 }]), known: items([{ id: 1 }]) },
  },
  {
    must: "shows customers the jobs of their guests",
    as: "customer",
    query: "{ jobs { items { id } } }",
    data: { jobs: items([{ id: 1 }]) },
  },
  {
    must: "shows resellers the jobs they started, too",
    as: "reseller",
    query: "{ jobs { items { id } } }",
    data: { jobs: items([{ id: 2 }, { id: 1 }]) },
  },
];
