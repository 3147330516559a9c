// Endpoints of customers and their SSH keys.
import { userProblems } from "../../src/core/access/userInput.js";
import type { Problem } from "../../src/core/problem.js";
import { guestType, META, PAGED, paging, PAGING, subjects, userId } from "../fields.js";
import { externalId, positive, text, yesOrNo, type Kind } from "../kinds.js";
import type { RequestField, Route, Variables } from "../route.js";
import { GUEST } from "./guests.js";

const USER = "id email username user_id: userId guest_count: guestCount created_at: createdAt";
/** Where one user is asked for, or changed. */
const ONE_USER = `${USER} enabled`;

const filter = (name: string, kind: Kind, [variable, description]: readonly [string, string]): RequestField => ({
  name,
  in: "query",
  kind,
  variable,
  description,
});

export const userRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/users",
    summary: "Customers",
    fields: [
      ...paging,
      filter("user_id", externalId, ["externalId", "Only the customer with this id in the caller's own system"]),
      filter("email", text, ["email", "Only the customer of this e-mail address, in any case"]),
      filter("username", text, ["username", "Only the customer of this login name, in any case"]),
    ],
    rawJson: true,
    document: `query Users($externalId: String, $email: String, $username: String, ${PAGING}) {
      data: users(role: CUSTOMER, userId: $externalId, email: $email, username: $username, ${PAGED}) { items { ${USER} } ${META} }
    }`,
  },
  {
    method: "GET",
    path: "/users/{id}",
    summary: "One user whom the token may know, and whether they may come in",
    fields: [userId],
    document: `query User($userId: Int!) { data: user(id: $userId) { ${ONE_USER} } }`,
  },
  {
    method: "PATCH",
    path: "/users/{id}",
    summary: "Changes a customer or reseller; what is not sent stays",
    fields: [
      userId,
      { name: "email", in: "body", kind: text, variable: "input.email", description: "E-mail address, unique" },
      { name: "username", in: "body", kind: text, variable: "input.username", description: "Login name, unique" },
      {
        name: "user_id",
        in: "body",
        kind: externalId,
        variable: "input.userId",
        clearable: true,
        description: "Id in the caller's own system; null or blank: none (a blank field of a form stays as it is)",
      },
      {
        name: "enabled",
        in: "body",
        kind: yesOrNo,
        variable: "input.enabled",
        description: "Whether the person may come in",
      },
    ],
    subject: subjects.account,
    problems: ({ input }) => changeProblems(input),
    document: `mutation UpdateUser($userId: Int!, $input: UserUpdateInput!) {
      data: updateUser(id: $userId, input: $input) { ${ONE_USER} }
    }`,
  },
  {
    method: "POST",
    path: "/users/{id}/reset-password",
    summary: "Gives a customer or reseller a generated password, which is shown once, and ends their sessions",
    fields: [userId],
    document: "mutation ResetPassword($userId: Int!) { data: resetPassword(userId: $userId) { password } }",
  },
  {
    method: "GET",
    path: "/users/{id}/ssh-keys",
    summary: "Name and fingerprint of a user's SSH keys",
    fields: [userId, ...paging],
    subject: subjects.user,
    rawJson: true,
    document: `query SshKeys($userId: Int!, ${PAGING}) {
      data: sshKeys(userId: $userId, ${PAGED}) { items { name fingerprint } ${META} }
    }`,
  },
  {
    method: "POST",
    path: "/users",
    summary: "Makes a customer; the generated password is shown once",
    fields: [
      {
        name: "email",
        in: "body",
        kind: text,
        variable: "email",
        whenAbsent: "",
        description: "E-mail address, unique",
      },
      {
        name: "username",
        in: "body",
        kind: text,
        variable: "username",
        whenAbsent: "",
        description: "Login name, unique",
      },
      {
        name: "user_id",
        in: "body",
        kind: externalId,
        variable: "externalId",
        description: "Id in the caller's own system",
      },
    ],
    problems: problemsBeside,
    status: 201,
    document: `mutation CreateUser($email: String!, $username: String!, $externalId: String) {
      data: createUser(email: $email, username: $username, userId: $externalId) { user { ${USER} } password }
    }`,
    payload: withPassword,
  },
  {
    method: "POST",
    path: "/users/{id}/guests",
    summary: "Gives a guest to a user",
    fields: [
      userId,
      {
        name: "host_id",
        in: "body",
        kind: positive,
        variable: "hostId",
        required: true,
        description: "Id of the guest's host",
      },
      { name: "type", in: "body", kind: guestType, variable: "type", required: true, description: "qemu or lxc" },
      {
        name: "vmid",
        in: "body",
        kind: positive,
        variable: "vmid",
        required: true,
        description: "VMID of the guest",
      },
    ],
    subject: subjects.user,
    mayFailWith: ["conflict"],
    document: `mutation AssignGuest($userId: Int!, $hostId: Int!, $type: GuestType!, $vmid: Int!) {
      data: assignGuest(userId: $userId, hostId: $hostId, type: $type, vmid: $vmid) { ${GUEST} }
    }`,
  },
  {
    method: "DELETE",
    path: "/users/{id}",
    summary: "Deletes a customer; their guests stay, without an owner",
    fields: [userId],
    document: "mutation DeleteUser($userId: Int!) { deleted: deleteUser(id: $userId) }",
  },
];

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The rules for what could be read, when something else could not. */
function problemsBeside({ email, username, externalId: id }: Variables): readonly Problem[] {
  return userProblems({ email: asText(email), username: asText(username), externalId: asText(id) || null });
}

/** The same for what is to change: what stays is not looked at. */
function changeProblems(input: unknown): readonly Problem[] {
  const given = typeof input === "object" && input !== null ? new Map(Object.entries(input)) : new Map();
  return problemsBeside({
    email: given.get("email"),
    username: given.get("username"),
    externalId: given.get("userId"),
  }).filter(({ field }) => given.has(field));
}

/** One record: the user with the password beside. */
function withPassword(created: unknown): unknown {
  if (typeof created !== "object" || created === null || !("user" in created)) return created;
  const { user, ...rest } = created;
  return { ...(typeof user === "object" ? user : {}), ...rest };
}
