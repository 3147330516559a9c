// Cases of what all endpoints have in common: routes, methods, paging, headers.
import type { Case } from "../support/case.js";

const envelope = (error: string): unknown => ({ success: false, data: null, error });

export const protocolCases: readonly Case[] = [
  {
    id: "protocol/unknown-route",
    must: "MUST answer 404 with the envelope for an unknown route",
    request: { method: "GET", path: "/nonsense" },
    status: 404,
    body: envelope("There is no such route"),
  },
  {
    id: "protocol/root",
    must: "MUST answer 404 at the base path",
    request: { method: "GET", path: "" },
    status: 404,
    body: envelope("There is no such route"),
  },
  {
    id: "protocol/trailing",
    must: "MUST answer 404 when more follows a known path",
    request: { method: "GET", path: "/hosts/1/guests/qemu/100/nonsense" },
    status: 404,
  },
  {
    id: "protocol/bad-encoding",
    must: "MUST answer 404 when an id is not valid percent-encoding",
    request: { method: "GET", path: "/hosts/%ff/nodes" },
    status: 404,
    body: envelope("There is no such record"),
  },
  {
    id: "protocol/wrong-method",
    must: "MUST answer 405 with Allow when the path does not have the method",
    request: { method: "PUT", path: "/hosts" },
    status: 405,
    body: envelope("This path does not have that method"),
    headers: { allow: /^GET, HEAD$/ },
  },
  {
    id: "protocol/head",
    must: "MUST answer HEAD as GET without a body",
    request: { method: "HEAD", path: "/hosts" },
    status: 200,
    headers: { "content-length": /^[1-9]\d+$/ },
  },
  {
    id: "protocol/request-id",
    must: "MUST name every request",
    request: { method: "GET", path: "/hosts", token: null },
    status: 401,
    headers: { "x-request-id": /^[0-9a-f-]{36}$/ },
  },
  {
    id: "protocol/request-id-given",
    must: "MUST keep the name that the caller gave a request",
    request: { method: "GET", path: "/hosts", headers: { "X-Request-Id": "order-4711" } },
    status: 200,
    headers: { "x-request-id": /^order-4711$/ },
  },
  {
    id: "protocol/request-id-unsafe",
    must: "MUST NOT echo a name that could break a log line",
    request: { method: "GET", path: "/hosts", headers: { "X-Request-Id": "a b<script>" } },
    status: 200,
    headers: { "x-request-id": /^[0-9a-f-]{36}$/ },
  },
  {
    id: "protocol/content-type",
    must: "MUST answer JSON",
    request: { method: "GET", path: "/hosts" },
    status: 200,
    headers: { "content-type": /^application\/json/, "cache-control": /^no-store$/ },
  },
];

const guests = (query: string): Case["request"] => ({ method: "GET", path: `/hosts/1/guests${query}` });

export const pagingCases: readonly Case[] = [
  {
    id: "paging/default",
    must: "MUST give page 1 with 50 records when nothing is said",
    request: guests(""),
    status: 200,
    body: { success: true, error: null, meta: { page: 1, perPage: 50, total: 60 } },
  },
  {
    id: "paging/second",
    must: "MUST give the rest on the last page",
    request: guests("?page=2"),
    status: 200,
    body: { data: [{ vmid: 150 }], meta: { page: 2, perPage: 50, total: 60 } },
  },
  {
    id: "paging/beyond",
    must: "MUST give an empty list beyond the last page",
    request: guests("?page=3"),
    status: 200,
    body: { data: [], meta: { page: 3, perPage: 50, total: 60 } },
  },
  {
    id: "paging/one",
    must: "MUST take 1 as the smallest page",
    request: guests("?perPage=1&page=60"),
    status: 200,
    body: { data: [{ vmid: 159 }], meta: { page: 60, perPage: 1, total: 60 } },
  },
  {
    id: "paging/maximum",
    must: "MUST take 200 records a page",
    request: guests("?perPage=200"),
    status: 200,
    body: { meta: { perPage: 200 } },
  },
  {
    id: "paging/above-maximum",
    must: "MUST count more than 200 records a page as 200",
    request: guests("?perPage=201"),
    status: 200,
    body: { meta: { perPage: 200 } },
  },
  {
    id: "paging/far-above-maximum",
    must: "MUST count any larger number as 200",
    request: guests("?perPage=99999999999"),
    status: 200,
    body: { meta: { perPage: 200 } },
  },
  ...["0", "-1", "1.5", "abc", "", "1e2", "0x10", "%00"].map((page): Case => ({
    id: `paging/page-${page}`,
    must: `MUST answer 422 that names page when it is ${JSON.stringify(page)}`,
    request: guests(`?page=${page}`),
    status: 422,
    body: envelope("page: must be a positive integer"),
  })),
  {
    id: "paging/far-beyond-the-last",
    must: "MUST answer an empty page however far it is, and say which it is",
    request: guests("?page=99999999999&perPage=99999999999999999999"),
    status: 200,
    body: { data: [], meta: { page: 2_147_483_647, perPage: 200, total: 60 } },
  },
  {
    id: "paging/both-wrong",
    must: "MUST name every offending parameter",
    request: guests("?page=x&perPage=0"),
    status: 422,
    body: envelope("page: must be a positive integer; perPage: must be a positive integer"),
  },
  {
    id: "paging/unknown-host-first",
    must: "MUST answer 404 for an unknown host before it looks at the page",
    request: { method: "GET", path: "/hosts/99/guests?page=x" },
    status: 404,
    body: envelope("Host 99 not found"),
  },
];
