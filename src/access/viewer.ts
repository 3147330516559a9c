// Who is asking: an API token, a signed-in user, or nobody.
import type { Permission } from "../core/access/permissions.js";
import type { UserRole } from "../core/enums.js";

interface TokenViewer {
  readonly kind: "token";
  readonly tokenId: number;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Hosts in scope; null: every host. */
  readonly hostIds: readonly number[] | null;
}

interface UserViewer {
  readonly kind: "user";
  readonly userId: number;
  readonly username: string;
  readonly role: UserRole;
  readonly permissions: ReadonlySet<Permission>;
  /** Null: every host. Resellers and customers are narrowed by nodes and ownership instead. */
  readonly hostIds: null;
  readonly sessionId: number;
  /** Whether a second factor must be set up before anything else: the role needs one, and the person has none. */
  readonly mustSetUp: boolean;
}

/** Nobody is signed in: only `login` answers. */
interface AnonymousViewer {
  readonly kind: "anonymous";
  readonly permissions: ReadonlySet<Permission>;
  readonly hostIds: readonly number[];
}

export type Viewer = TokenViewer | UserViewer | AnonymousViewer;

export const anonymous: AnonymousViewer = { kind: "anonymous", permissions: new Set(), hostIds: [] };
