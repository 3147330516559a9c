// Endpoints of customers and their SSH keys.
import { userProblems } from "../../src/core/access/userInput.js";
import type { Problem } from "../../src/core/problem.js";
import { guestType, META, PAGED, paging, PAGING, subjects, userId } from "../fields.js";
import { externalId, positive, text } from "../kinds.js";
import type { Route } from "../route.js";
import type { Variables } from "../route.js";
import { GUEST } from "./guests.js";

const USER = "id email username user_id: userId guest_count: guestCount created_at: createdAt";

export const userRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/users",
    summary: "Customers",
    fields: paging,
    rawJson: true,
    document: `query Users(${PAGING}) { data: users(role: CUSTOMER, ${PAGED}) { items { ${USER} } ${META} } }`,
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

/** One record: the user with the password beside. */
function withPassword(created: unknown): unknown {
  if (typeof created !== "object" || created === null || !("user" in created)) return created;
  const { user, ...rest } = created;
  return { ...(typeof user === "object" ? user : {}), ...rest };
}
