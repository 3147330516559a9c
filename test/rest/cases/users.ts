// Cases of making and deleting customers, and of previewing a placement.
import type { UserRole } from "../../../src/core/enums.js";
import type { Case } from "../support/case.js";

/** Has a user whose login name is the word and the id. */
const someone =
  (id: number, word: string, externalId: string | null = null, role: UserRole = "customer"): Case["given"] =>
  async ({ services }) => {
    await services.pool.query(
      `insert into user_account (id, email, username, external_id, role, password_hash) overriding system value
       values ($1, $2, $3, $4, $5, '')`,
      [id, `${word}${id}@x`, `${word}${id}`, externalId, role],
    );
  };

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
    id: "users/get",
    must: "MUST answer one customer, and whether they may come in",
    request: { method: "GET", path: "/users/2" },
    status: 200,
    fields: ["id", "email", "username", "user_id", "guest_count", "created_at", "enabled"],
    body: { data: { id: 2, username: "ann", enabled: true } },
  },
  {
    id: "users/get-operator",
    must: "MUST NOT show who works for the operator to a token that does not manage hosts",
    request: { method: "GET", path: "/users/1" },
    status: 404,
  },
  {
    id: "users/filters",
    must: "MUST list the customer of an id, an e-mail address or a login name",
    request: { method: "GET", path: "/users?email=ANN@example.com&username=Ann&perPage=5" },
    status: 200,
    fields: ["id", "email", "username", "user_id", "guest_count", "created_at"],
    body: { data: [{ id: 2, username: "ann" }], meta: { total: 1 } },
  },
  {
    id: "users/filter-unknown",
    must: "MUST list nobody for an id that no customer has",
    request: { method: "GET", path: "/users?user_id=4711-unknown" },
    status: 200,
    body: { data: [], meta: { total: 0 } },
  },
  {
    id: "users/patch",
    must: "MUST change what is sent, and leave the rest",
    given: someone(501, "patched", "crm-501"),
    request: { method: "PATCH", path: "/users/501", json: { email: "new501@example.com", enabled: false } },
    status: 200,
    fields: ["id", "email", "username", "user_id", "guest_count", "created_at", "enabled"],
    body: {
      data: { id: 501, email: "new501@example.com", username: "patched501", user_id: "crm-501", enabled: false },
    },
  },
  {
    id: "users/patch-form",
    must: "MUST take a form, whose blank fields count as left out",
    given: someone(502, "form", "crm-502"),
    request: { method: "PATCH", path: "/users/502", form: { user_id: "", enabled: "0" } },
    status: 200,
    body: { data: { user_id: "crm-502", enabled: false } },
  },
  {
    id: "users/patch-null",
    must: "MUST take away the id for null, and leave what else is null",
    given: someone(503, "null", "crm-503"),
    request: {
      method: "PATCH",
      path: "/users/503",
      json: { user_id: null, email: null, username: null, enabled: null },
    },
    status: 200,
    body: { data: { user_id: null, email: "null503@x", username: "null503", enabled: true } },
  },
  {
    id: "users/patch-nothing",
    must: "MUST answer the user as it is when nothing is sent",
    request: { method: "PATCH", path: "/users/2" },
    status: 200,
    body: { data: { id: 2, username: "ann", enabled: true } },
  },
  {
    id: "users/patch-reseller",
    must: "MUST change a reseller",
    given: someone(504, "reseller", null, "reseller"),
    request: { method: "PATCH", path: "/users/504", json: { username: "resold" } },
    status: 200,
    body: { data: { username: "resold" } },
  },
  {
    id: "users/patch-malformed",
    must: "MUST answer 422 that names every offending field, and none that stays",
    request: { method: "PATCH", path: "/users/2", json: { email: "nobody", enabled: "perhaps", user_id: [1] } },
    status: 422,
    error: /^user_id: [^;]+; enabled: [^;]+; email: [^;]+$/,
  },
  {
    id: "users/patch-duplicate",
    must: "MUST answer 422 for what another has",
    given: someone(505, "twin"),
    request: { method: "PATCH", path: "/users/505", json: { username: "ANN" } },
    status: 422,
    error: /^username: /,
  },
  {
    id: "users/patch-operator",
    must: "MUST NOT change who is neither customer nor reseller",
    request: { method: "PATCH", path: "/users/1", json: { email: "x" } },
    status: 404,
  },
  {
    id: "users/patch-operator-malformed",
    must: "MUST answer 404 before 422 to a token that manages hosts too",
    request: { method: "PATCH", path: "/users/1", json: { enabled: "perhaps" } },
    status: 404,
  },
  {
    id: "users/patch-blank-id",
    must: "MUST take away the id for blank text in JSON",
    given: someone(507, "blank", "crm-507"),
    request: { method: "PATCH", path: "/users/507", json: { user_id: " " } },
    status: 200,
    body: { data: { user_id: null } },
  },
  {
    id: "users/reset-password",
    must: "MUST tell the generated password once",
    given: someone(506, "forgot"),
    request: { method: "POST", path: "/users/506/reset-password" },
    status: 200,
    fields: ["password"],
  },
  {
    id: "users/reset-password-operator",
    must: "MUST NOT reset the password of who is neither customer nor reseller",
    request: { method: "POST", path: "/users/1/reset-password" },
    status: 404,
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
    request: { method: "POST", path: "/users/2" },
    status: 405,
    headers: { allow: /^GET, HEAD, PATCH, DELETE$/ },
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
