// Splits a request's address into formatter, method path and query.
import { unescapePercent } from "./urlEncoding.js";

/** A request address. */
export interface RequestAddress {
  /** Whole path, unescaped. */
  path: string;
  query: string;
  /** Null outside the API. */
  api: ApiAddress | null;
}

/** The part of an address below `/api2`. */
export interface ApiAddress {
  /** Formatter name, or null when the address names none. */
  format: string | null;
  /** Path of the method as refusals show it: `/nodes/pve1/qemu`. */
  methodPath: string;
  /** Parts between slashes; an escaped slash separates them as well. */
  segments: string[];
}

/** Reads `/api2/<formatter>/<method path>?<query>`. */
export function readAddress(url: string): RequestAddress {
  const cut = url.indexOf("?");
  const escaped = cut < 0 ? url : url.slice(0, cut);
  const path = unescapePercent(escaped);
  const query = cut < 0 ? "" : url.slice(cut + 1);
  return { path, query, api: path.startsWith("/api2") ? apiAddress(path) : null };
}

function apiAddress(path: string): ApiAddress {
  const [, format = null, methodPath = "/"] = split(path);
  return { format, methodPath, segments: methodPath.split("/").filter((segment) => segment !== "") };
}

function split(path: string): RegExpExecArray | [] {
  return /^\/api2\/+([a-z][a-z0-9]+)(\/.*)?$/s.exec(path) ?? [];
}
