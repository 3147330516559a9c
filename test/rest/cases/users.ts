// Cases of making and deleting customers, and of previewing a placement.
import type { Case } from "../support/case.js";

const post = (json: unknown): Case["request"] => ({ method: "POST", path: "/users", json });

export const userCases: readonly Case[] = [
  {
    id: "users/create",
    must: "MUST make a customer and tell the password once",
    request: post({ email: "bob@example.com", username: "bob", user_id: "4711" }),
    status: 201,
    fields: ["id", "email", "username", "user_id", "guest_count", "created_at", "password"],
    body: {
      success: true,
      data: { email: "bob@example.com", username: "bob", user_id: "4711", guest_count: 0 },
      error: null,
    },
  },
  {
    id: "users/create-form",
    must: "MUST take a form",
    request: { method: "POST", path: "/users", form: { email: "eve@example.com", username: "eve", user_id: "" } },
    status: 201,
    body: { data: { username: "eve", user_id: null } },
  },
  {
    id: "users/numeric-id",
    must: "MUST take an external id that is a number",
    request: post({ email: "n@example.com", username: "n", user_id: 42 }),
    status: 201,
    body: { data: { user_id: "42" } },
  },
  {
    id: "users/duplicate",
    must: "MUST answer 422 that names every duplicate, whatever its case",
    request: post({ email: "ANN@example.com", username: "Ann" }),
    status: 422,
    error: /^email: [^;]+; username: [^;]+$/,
  },
  {
    id: "users/malformed",
    must: "MUST answer 422 that names every offending field",
    request: post({ email: "nobody", username: "a b", user_id: { a: 1 } }),
    status: 422,
    error: /^user_id: [^;]+; email: [^;]+; username: [^;]+$/,
  },
  {
    id: "users/delete",
    must: "MUST delete a customer",
    given: async ({ services }) => {
      await services.pool.query(
        `insert into user_account (id, email, username, password_hash) overriding system value values (500, 'gone@x', 'gone', '')`,
      );
    },
    request: { method: "DELETE", path: "/users/500" },
    status: 200,
    body: { success: true, data: { deleted: true }, error: null },
  },
  {
    id: "users/delete-unknown",
    must: "MUST answer 404 for an unknown user",
    request: { method: "DELETE", path: "/users/99" },
    status: 404,
  },
  {
    id: "users/delete-operator",
    must: "MUST NOT delete who is no customer",
    request: { method: "DELETE", path: "/users/1" },
    status: 404,
  },
  {
    id: "users/wrong-method",
    must: "MUST answer 405 with Allow for a method that a user does not have",
    request: { method: "GET", path: "/users/2" },
    status: 405,
    headers: { allow: /^DELETE$/ },
  },
];

const suggest = (query: string, token: "full" | "scoped" = "full"): Case["request"] => ({
  method: "GET",
  path: `/placement/suggest?${query}`,
  token,
});

export const placementCases: readonly Case[] = [
  {
    id: "placement/suggest",
    must: "MUST rank eligible nodes and say why the others are dropped",
    request: suggest("type=lxc&memory_mb=1024&cores=1&disk_gb=10"),
    status: 200,
    fields: ["best", "ranked", "dropped"],
    body: {
      data: {
        best: { host_id: 1, node: "pve1", storage: "local" },
        ranked: [{ host_id: 1 }],
        dropped: [{ host_id: 1, node: "pve2", code: "NODE_OFFLINE" }],
      },
    },
  },
  {
    id: "placement/least",
    must: "MUST preview even what is smaller than any guest",
    request: suggest("type=lxc&memory_mb=1&cores=1&disk_gb=1"),
    status: 200,
    body: { data: { best: { node: "pve1" } } },
  },
  {
    id: "placement/nothing",
    must: "MUST answer 200 without a best node when nothing fits",
    request: suggest("type=qemu&memory_mb=999999&cores=1&disk_gb=10", "scoped"),
    status: 200,
    body: { data: { best: null, ranked: [], dropped: [{ code: "NOT_ENOUGH_MEMORY" }, { code: "NODE_OFFLINE" }] } },
  },
  {
    id: "placement/malformed",
    must: "MUST answer 422 that names every offending parameter",
    request: suggest("type=kvm&memory_mb=0&cores=x"),
    status: 422,
    error: /^type: [^;]+; memory_mb: [^;]+; cores: [^;]+; disk_gb: is required$/,
  },
];
