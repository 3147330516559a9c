// The context of one request in tests: services, and who is asking.
import { Permission, permissionsOfRole, permissionsOfToken } from "../../src/core/access/permissions.js";
import type { UserRole } from "../../src/core/enums.js";
import type { Context, Services } from "../../src/context/context.js";
import { anonymous, type Viewer } from "../../src/access/viewer.js";

const CALLER = "203.0.113.5";

/** A request of this viewer. */
export const contextOf = (services: Services, viewer: Viewer): Context => ({
  ...services,
  viewer,
  requestId: "test",
  sourceIp: CALLER,
});

/** A program; `hosts.manage` must be granted. */
export const tokenViewer = (hostIds: readonly number[] | null = null, granted: readonly Permission[] = []): Viewer => ({
  kind: "token",
  tokenId: 0,
  name: "test",
  permissions: new Set(permissionsOfToken(granted)),
  hostIds,
});

/** A program that may do everything. */
export const managingToken = (hostIds: readonly number[] | null = null): Viewer =>
  tokenViewer(hostIds, [Permission.HOSTS_MANAGE]);

/** A person. */
export const userViewer = (role: UserRole, userId: number): Viewer =>
  signedIn({ role, userId, username: `${role}${userId}`, sessionId: 0 });

type Person = Extract<Viewer, { kind: "user" }>;

interface SignedIn extends Pick<Person, "role" | "userId" | "username" | "sessionId"> {
  /** Whether a second factor must be set up first. Default: no. */
  readonly mustSetUp?: boolean;
}

/** A person in a certain session. */
export const signedIn = ({ mustSetUp = false, ...person }: SignedIn): Viewer => ({
  ...person,
  kind: "user",
  permissions: new Set(mustSetUp ? [] : permissionsOfRole(person.role)),
  hostIds: null,
  mustSetUp,
});

export { anonymous };
