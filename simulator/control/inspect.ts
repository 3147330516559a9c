// Looks at a platform through its own API as the superuser would, so that the control address never disagrees with it.
import type { Identity } from "../api.js";
import { ApiError } from "../api.js";
import { callMethod } from "../callMethod.js";
import type { Platform } from "../platform.js";

const root: Identity = { user: "root@pam", tokenId: null, label: "root@pam", ticket: true };

/** Rows of a list method; nothing where the node is down. */
export async function listRows(platform: Platform, path: string): Promise<Record<string, unknown>[]> {
  const segments = path.split("/").filter((segment) => segment !== "");
  try {
    const { data } = await callMethod(platform, {
      method: "GET",
      path,
      segments,
      parameters: {},
      identity: root,
      sourceAddress: "127.0.0.1",
    });
    return Array.isArray(data) ? data.filter(isRow) : [];
  } catch (error) {
    if (error instanceof ApiError && error.status === 595) return [];
    throw error;
  }
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
