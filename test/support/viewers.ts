// Who asks in a test.
import { Permission } from "../../src/core/access/permissions.js";
import type { Viewer } from "../../src/access/viewer.js";
import type { Context } from "../../src/context/context.js";
import type { TestServices } from "./services.js";

/** An API token without a scope that may do everything. */
export const anyToken: Viewer = {
  kind: "token",
  tokenId: 1,
  name: "test",
  permissions: new Set(Object.values(Permission)),
  hostIds: null,
};

/** A request's context; the token of `anyToken` is put on record. */
export async function contextFor(services: TestServices, viewer: Viewer = anyToken): Promise<Context> {
  await services.pool.query(
    `insert into api_token (id, name, prefix, token_hash) overriding system value values (1, 'test', 'drv_test', 'hash')
     on conflict do nothing`,
  );
  return { ...services, viewer, requestId: "test", sourceIp: "127.0.0.1" };
}
