// Decides what is believed of a server that has not shown yet that it is a Proxmox VE node: its status, and words from a closed set.
import type { HostConnection } from "../connection.js";
import { isSuccess } from "./errors.js";
import type { HttpAnswer } from "./exchange.js";
import { isRecord, textIn } from "./parse.js";

/** Every node tells its version to whoever it lets in. */
export const VERSION_PATH = "/version";

const VERSION = /^(?:pve-manager\/)?\d{1,3}\.\d{1,4}[\w.~+/-]{0,60}$/;

/** @param data of the answer to `VERSION_PATH` @returns whether a Proxmox VE node answers like this */
export const isVersion = (data: unknown): boolean =>
  isRecord(data) && VERSION.test(textIn(data["version"]) ?? textIn(data["release"]) ?? "");

/**
 * The sentences in which a node does not let a caller in, as it has written them since 7.3: whole ones, and with no names
 * but those that it was asked with. @source PVE::AccessControl, PVE::APIServer::AnyEvent
 */
export function sentencesFor({ user, credential }: Pick<HostConnection, "user" | "credential">): ReadonlySet<string> {
  const ofUser = [`no such user ('${user}')`, `user '${user}' is disabled`, `user '${user}' access expired`];
  if (credential.kind === "password") return new Set([...OF_ANY_CALLER, ...ofUser]);
  const { tokenId } = credential;
  return new Set([
    ...OF_ANY_CALLER,
    ...ofUser,
    `no such token '${tokenId}' for user '${user}'`,
    `token '${tokenId}' access expired`,
  ]);
}

const OF_ANY_CALLER = [
  "No ticket",
  "Authentication failed!",
  "authentication failure",
  "invalid token value!",
  "no tokenid specified",
  "permission denied - invalid PVE ticket",
];

/**
 * What is read of an answer: a service inside the network that somebody points a connection to would have its words told to
 * them otherwise.
 * @returns a success as it is, since none of its values is passed on before it is understood
 */
export function believed(answer: HttpAnswer, sentences: ReadonlySet<string>): HttpAnswer {
  if (isSuccess(answer)) return answer;
  const { status, reasonPhrase } = answer;
  const words = sentences.has(reasonPhrase) ? reasonPhrase : `HTTP status ${status}, not in the words of Proxmox VE`;
  return { status, reasonPhrase: words, location: null, body: "" };
}
