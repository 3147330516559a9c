// Cases of queries of what new guests are made of.
import { items, type Answered } from "./answered.js";

export const catalogueCases: readonly Answered[] = [
  {
    must: "shows active plans to those who do not manage hosts",
    as: "plain",
    query: "{ plans { items { name trafficGb runtimeDays } } }",
    data: { plans: items([{ name: "small", trafficGb: null, runtimeDays: 30 }]) },
  },
  {
    must: "shows every plan to those who do",
    as: "manager",
    query: "{ plans { items { name active } } }",
    data: {
      plans: items([
        { name: "small", active: true },
        { name: "old", active: false },
      ]),
    },
  },
  {
    must: "shows the active plans of a host",
    as: "manager",
    query: "{ plans(hostId: 1) { items { name } } }",
    data: { plans: items([{ name: "small" }]) },
  },
  {
    must: "finds plans by part of the name, and leaves inactive ones out on demand",
    as: "manager",
    query:
      '{ found: plans(search: "L") { items { name } } active: plans(search: "L", activeOnly: true) { items { name } } }',
    data: { found: items([{ name: "small" }, { name: "old" }]), active: items([{ name: "small" }]) },
  },
  {
    must: "lists active OS templates",
    as: "plain",
    query: "{ osTemplates(hostId: 1) { items { ref node vmid minDiskGb furtherDiskGb active } } }",
    data: {
      osTemplates: items([{ ref: "tpl:1", node: "a1", vmid: 9000, minDiskGb: 3, furtherDiskGb: null, active: true }]),
    },
  },
  {
    must: "lists inactive OS templates on demand",
    as: "plain",
    query: "{ osTemplates(hostId: 1, includeInactive: true) { meta { total } } }",
    data: { osTemplates: { meta: { total: 2 } } },
  },
  {
    must: "finds templates by part of their names, those of virtual machines by their VMID too",
    as: "plain",
    query:
      '{ named: osTemplates(hostId: 1, search: "N 12") { items { vmid } } numbered: osTemplates(hostId: 1, includeInactive: true, search: "9001") { items { name } } files: ctTemplates(hostId: 1, search: ".TAR") { items { name } } none: ctTemplates(hostId: 1, search: "%") { items { name } } }',
    data: {
      named: items([{ vmid: 9000 }]),
      numbered: items([{ name: "Debian 10" }]),
      files: items([{ name: "debian-12.tar.zst" }]),
      none: items([]),
    },
  },
  {
    must: "lists the managed library, then the files of nodes",
    as: "plain",
    query: "{ ctTemplates(hostId: 1) { items { id name volid node storage sizeBytes managed } } }",
    data: {
      ctTemplates: items([
        {
          id: 1,
          name: "Debian 12",
          volid: "local:vztmpl/debian-12.tar.zst",
          node: null,
          storage: "local",
          sizeBytes: 1234,
          managed: true,
        },
        {
          id: null,
          name: "debian-12.tar.zst",
          volid: "local:vztmpl/debian-12.tar.zst",
          node: "a1",
          storage: "local",
          sizeBytes: 1234,
          managed: false,
        },
      ]),
    },
  },
  {
    must: "lists the files of one node",
    as: "plain",
    query: '{ ctTemplates(hostId: 2, node: "b2") { items { managed } } }',
    data: { ctTemplates: items([{ managed: true }]) },
  },
  {
    must: "tells how full zones are, also beyond what a number holds",
    as: "plain",
    query: "{ ipZones(hostId: 1) { items { ref name cidr family gateway total used free } } }",
    data: {
      ipZones: items([
        {
          ref: "zone:1",
          name: "public",
          cidr: "198.51.100.0/24",
          family: 4,
          gateway: "198.51.100.1",
          total: 11,
          used: 1,
          free: 10,
        },
        {
          ref: "zone:2",
          name: "six",
          cidr: "2001:db8::/64",
          family: 6,
          gateway: null,
          total: Number.MAX_SAFE_INTEGER,
          used: 0,
          free: Number.MAX_SAFE_INTEGER,
        },
      ]),
    },
  },
  {
    must: "lists the zones of all hosts, and finds them by name, network and an address in it",
    as: "plain",
    query:
      '{ ipZones { items { id } meta { total } } named: ipZones(search: "UBL") { items { id } } network: ipZones(search: "2001:db8:") { items { id } } around: ipZones(hostId: 1, search: "198.51.100.250") { items { id } } elsewhere: ipZones(hostId: 2, search: "198.51.100.250") { items { id } } }',
    data: {
      ipZones: { items: [{ id: 1 }, { id: 2 }], meta: { total: 2 } },
      named: items([{ id: 1 }]),
      network: items([{ id: 2 }]),
      around: items([{ id: 1 }]),
      elsewhere: items([]),
    },
  },
  {
    must: "lists the addresses of a zone with their owners and history",
    as: "manager",
    query: `{ ipAddresses(zoneId: 1) { items {
      zoneId address jobId guest { vmid } owner { username } history { hostId zoneName address vmid guestName ownerName until }
    } meta { total } } }`,
    data: {
      ipAddresses: {
        items: [
          {
            zoneId: 1,
            address: "198.51.100.10",
            jobId: null,
            guest: { vmid: 100 },
            owner: { username: "carl" },
            history: [
              {
                hostId: 1,
                zoneName: "public",
                address: "198.51.100.10",
                vmid: 100,
                guestName: "web-0",
                ownerName: "carl",
                until: null,
              },
            ],
          },
        ],
        meta: { total: 1 },
      },
    },
  },
  {
    must: "pages the history of an address, and takes what is no page for the first",
    as: "manager",
    query: `{ ipAddresses(zoneId: 1) { items {
      first: history(perPage: 1) { vmid } second: history(page: 2, perPage: 1) { vmid } none: history(page: -3, perPage: 0) { vmid }
    } } }`,
    data: { ipAddresses: items([{ first: [{ vmid: 100 }], second: [], none: [{ vmid: 100 }] }]) },
  },
  {
    must: "finds who holds an address, in whatever form it is written",
    as: "manager",
    query: `{ ipAddressHistory(filter: { hostIds: [1], zoneId: 1, address: "::ffff:198.51.100.10", guestId: 1, ownerId: 3 })
      { items { guestId jobId } } }`,
    data: { ipAddressHistory: items([{ guestId: 1, jobId: null }]) },
  },
  {
    must: "knows that nobody held it before",
    as: "manager",
    query: '{ ipAddressHistory(filter: { at: "2020-01-01T00:00:00Z" }) { meta { total } } }',
    data: { ipAddressHistory: { meta: { total: 0 } } },
  },
  {
    must: "shows a token no history of hosts out of its scope",
    as: "scopedManager",
    query: "{ ipAddressHistory { meta { total } } }",
    data: { ipAddressHistory: { meta: { total: 1 } } },
  },
];
