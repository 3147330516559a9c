// Cases of what stands in bodies: forms, types, encodings, sizes, characters.
import { gzipSync } from "node:zlib";
import type { Case, CaseRequest } from "../support/case.js";

const MIB = 1024 * 1024;
const JSON_TYPE = { "Content-Type": "application/json" };

const sent = (raw: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): CaseRequest => ({
  method: "POST",
  path: "/users",
  raw,
  headers,
});
const user = (name: string, more: object = {}): object => ({ email: `${name}@example.com`, username: name, ...more });
const userText = (name: string): string => JSON.stringify(user(name));

export const encodingCases: readonly Case[] = [
  {
    id: "body/no-type",
    must: "MUST take a body without a type for JSON",
    request: sent(new TextEncoder().encode(userText("typeless")), {}),
    status: 201,
  },
  {
    id: "body/upper-case-type",
    must: "MUST read the type of a body in any case, with parameters",
    request: sent(userText("upper"), { "Content-Type": "Application/JSON ; charset=UTF-8" }),
    status: 201,
  },
  {
    id: "body/byte-order-mark",
    must: "MUST read JSON behind a byte order mark",
    request: sent(`\uFEFF${userText("marked")}`, JSON_TYPE),
    status: 201,
  },
  {
    id: "body/compressed",
    must: "MUST read a compressed body",
    request: sent(new Uint8Array(gzipSync(userText("packed"))), { ...JSON_TYPE, "Content-Encoding": "gzip" }),
    status: 201,
  },
  {
    id: "body/compressed-broken",
    must: "MUST answer 422 when a compressed body cannot be read",
    request: sent("no gzip at all", { ...JSON_TYPE, "Content-Encoding": "gzip" }),
    status: 422,
    error: /^body: cannot be read$/,
  },
  {
    id: "body/compressed-large",
    must: "MUST answer 413 for a body that is above 1 MiB once it is unpacked",
    request: sent(new Uint8Array(gzipSync(" ".repeat(MIB + 1))), { ...JSON_TYPE, "Content-Encoding": "gzip" }),
    status: 413,
  },
  {
    id: "body/largest",
    must: "MUST read a body of exactly 1 MiB",
    request: sent(userText("exact").padEnd(MIB), JSON_TYPE),
    status: 201,
  },
  {
    id: "body/large-without-token",
    must: "MUST answer 401 and not 413 to a large body without a token",
    request: { ...sent(" ".repeat(MIB + 1), JSON_TYPE), token: null },
    status: 401,
  },
  {
    id: "body/empty-object",
    must: "MUST answer 422 that names what is missing in an empty object",
    request: sent("{}", JSON_TYPE),
    status: 422,
    error: /^email: [^;]+; username: [^;]+$/,
  },
  {
    id: "body/empty-form",
    must: "MUST answer 422 that names what is missing in an empty form",
    request: sent("", { "Content-Type": "application/x-www-form-urlencoded" }),
    status: 422,
    error: /^email: [^;]+; username: [^;]+$/,
  },
  {
    id: "body/unknown-fields",
    must: "MUST ignore unknown fields, whatever they hold",
    request: { method: "POST", path: "/users", json: user("plain", { id: 1, role: "admin", extra: [{ deep: {} }] }) },
    status: 201,
    body: { data: { username: "plain" } },
  },
];

const post = (json: unknown): CaseRequest => ({ method: "POST", path: "/users", json });

export const textCases: readonly Case[] = [
  {
    id: "users/form-characters",
    must: "MUST decode the characters of a form",
    request: sent("email=a%2Bb%40example.com&username=J%C3%BCrgen&user_id=a+b%26c", {
      "Content-Type": "application/x-www-form-urlencoded",
    }),
    status: 201,
    body: { data: { email: "a+b@example.com", username: "Jürgen", user_id: "a b&c" } },
  },
  {
    id: "users/form-other-characters",
    must: "MUST NOT keep something else instead of escaped characters that are not UTF-8",
    request: sent("email=j%FCrgen%40example.com&username=latin", {
      "Content-Type": "application/x-www-form-urlencoded",
    }),
    status: 422,
    error: /^body: is not UTF-8$/,
  },
  {
    id: "users/unicode",
    must: "MUST keep characters beyond the basic plane",
    request: post(user("crane", { user_id: "顧客-🏗️" })),
    status: 201,
    body: { data: { user_id: "顧客-🏗️" } },
  },
  {
    id: "users/trimmed",
    must: "MUST take e-mail and name without the blanks around them",
    request: post({ email: " blank@example.com ", username: " blank " }),
    status: 201,
    body: { data: { email: "blank@example.com", username: "blank" } },
  },
  {
    id: "users/longest-id",
    must: "MUST keep an external id of 255 characters",
    request: post(user("long", { user_id: "9".repeat(255) })),
    status: 201,
  },
  {
    id: "users/longer-id",
    must: "MUST answer 422 for an external id of 256 characters",
    request: post(user("longer", { user_id: "9".repeat(256) })),
    status: 422,
    error: /^user_id: [^;]+$/,
  },
  {
    id: "users/same-external-id",
    must: "MUST let two customers have one external id: it is the caller's own",
    request: post(user("twin", { user_id: "4711" })),
    status: 201,
  },
  {
    id: "users/wrong-types",
    must: "MUST answer 422 for a list, a number and a truth value where text is wanted",
    request: post({ email: ["a@example.com"], username: 5, user_id: true }),
    status: 422,
    error: /^email: must be text; username: must be text; user_id: must be text$/,
  },
  {
    id: "users/null-byte",
    must: "MUST answer 422 for a null byte in text",
    request: post({ email: "a\0@example.com", username: "null" }),
    status: 422,
    error: /^email: [^;]+$/,
  },
  {
    id: "users/same-name-only",
    must: "MUST name only the field that is a duplicate",
    request: post({ email: "second@example.com", username: "ANN" }),
    status: 422,
    error: /^username: is already in use$/,
  },
  {
    id: "users/delete-with-body",
    must: "MUST ignore the body of a deletion",
    given: async ({ services }) => {
      await services.pool.query(`
        insert into user_account (id, email, username, password_hash) overriding system value values (510, 'left@x', 'left', '');
        update guest set owner_id = 510 where host_id = 1 and vmid = 110;
        insert into ssh_key (user_id, name, public_key, fingerprint) values (510, 'k', 'ssh-ed25519 BBBB', 'SHA256:left')`);
    },
    request: { method: "DELETE", path: "/users/510", raw: "{", headers: JSON_TYPE },
    status: 200,
  },
  {
    id: "users/deleted-guests",
    must: "MUST keep a deleted customer's guests, without an owner",
    request: { method: "GET", path: "/hosts/1/guests/qemu/110" },
    status: 200,
    body: { data: { vmid: 110, owner_id: null } },
  },
  {
    id: "users/delete-again",
    must: "MUST answer 404 to the second deletion of a customer",
    request: { method: "DELETE", path: "/users/510" },
    status: 404,
  },
];

const MACHINE = {
  type: "qemu",
  node: "pve1",
  name: "typed",
  cores: 1,
  memory_mb: 1024,
  disk_gb: 10,
  os_template: "tpl:1",
  password: "correct horse",
};

const mistyped = (id: string, changes: Readonly<Record<string, unknown>>, error: RegExp): Case => ({
  id: `creation/type-of-${id}`,
  must: `MUST answer 422 that names the fields of ${JSON.stringify(changes)}`,
  request: { method: "POST", path: "/hosts/1/guests", json: { ...MACHINE, vmid: 5200, ...changes } },
  status: 422,
  error,
});

export const numberCases: readonly Case[] = [
  mistyped("truth", { cores: true }, /^cores: must be a positive integer$/),
  mistyped("list", { vmid: [5200] }, /^vmid: must be a positive integer$/),
  mistyped("exponent", { vmid: "5e3", memory_mb: "1e3" }, /^memory_mb: [^;]+; vmid: [^;]+$/),
  mistyped("fraction", { disk_gb: "10.0", owner_id: 1.5 }, /^disk_gb: [^;]+; owner_id: [^;]+$/),
  mistyped("blanks", { cores: " 1" }, /^cores: [^;]+$/),
  mistyped("huge", { memory_mb: 2 ** 31, plan_id: null }, /^memory_mb: [^;]+$/),
  mistyped("password", { password: 12_345_678 }, /^password: must be text$/),
  mistyped("object", { os_template: { id: 1 } }, /^os_template: must be text$/),
  {
    id: "creation/whole-fraction",
    must: "MUST take a whole number that JSON writes with a fraction",
    request: {
      method: "POST",
      path: "/hosts/1/guests",
      raw: JSON.stringify({ ...MACHINE, name: "whole" }).replace('"cores":1', '"cores":1.0,"vmid":5.201e3'),
      headers: JSON_TYPE,
    },
    status: 202,
    body: { data: { vmid: 5201 } },
  },
  {
    id: "creation/repeated-field",
    must: "MUST answer 422 that names a form field that is sent twice",
    request: { method: "POST", path: "/hosts/1/guests", form: "type=qemu&type=lxc&node=auto&name=a&plan_id=1" },
    status: 422,
    error: /^type: must be qemu or lxc/,
  },
];
