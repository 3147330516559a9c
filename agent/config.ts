// Decides what a valid agent configuration is and names every fault of a bad one at once.
import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { isHost, isObject, isText } from "./check.js";

/** What the agent runs with; paths are absolute, URLs have no trailing slash. */
export interface AgentConfig {
  /** Base URL of the service, without `/api/v1`. */
  readonly url: string;
  /** The agent token itself, or the file that holds it (read again at every heartbeat, so that it can be replaced). */
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** File with the PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** SHA-256 of the service's certificate, as 64 hexadecimal digits; trusted instead of any authority. */
  readonly fingerprint?: string | undefined;
  /** Where jobs are carried out: on this node, or at a simulated host's control address. */
  readonly platform: "proxmox" | "control";
  readonly control?: string | undefined;
  /** Name of this node on its host. */
  readonly node: string;
  /** Address that port forwards are published on; without it the node does no NAT. */
  readonly publicAddress?: string | undefined;
  /** Where results and forwards are kept over restarts; without it nothing is kept. */
  readonly stateDirectory?: string | undefined;
}

interface ConfigDefaults {
  readonly node: string;
  readonly stateDirectory: string;
}

/** Every fault of a configuration in one message. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly faults: readonly string[]) {
    super(`the configuration is not valid: ${faults.join("; ")}`);
  }
}

const KEYS = [
  "url",
  "token",
  "token_file",
  "ca",
  "fingerprint",
  "platform",
  "control",
  "node",
  "public_address",
  "state_directory",
];
const FINGERPRINT = /^([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i;
const NODE_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Reads the parsed configuration file. Throws {@link ConfigError} that names every fault. */
export function parseConfig(input: unknown, defaults: ConfigDefaults): AgentConfig {
  if (!isObject(input)) throw new ConfigError(["it must be a JSON object"]);
  const faults = Object.keys(input)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `${key} is not known`);
  const read = (key: string, problem: (value: string) => string | null): string | undefined => {
    const value = input[key];
    if (value === undefined || value === null) return undefined;
    const fault = isText(value) ? problem(value) : "must be a text that is not empty";
    if (fault === null && isText(value)) return value;
    faults.push(`${key} ${fault ?? ""}`);
    return undefined;
  };
  const config = {
    url: withoutSlash(read("url", serviceUrlProblem)) ?? "",
    token: read("token", tokenProblem),
    tokenFile: read("token_file", pathProblem),
    ca: read("ca", pathProblem),
    fingerprint: read("fingerprint", fingerprintProblem)?.replace(/:/g, "").toLowerCase(),
    platform: read("platform", platformProblem) === "control" ? ("control" as const) : ("proxmox" as const),
    control: withoutSlash(read("control", webUrlProblem)),
    node: read("node", nodeProblem) ?? defaults.node,
    publicAddress: read("public_address", addressProblem),
    stateDirectory: read("state_directory", pathProblem) ?? defaults.stateDirectory,
  };
  faults.push(...combinationFaults(input));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function combinationFaults(input: Readonly<Record<string, unknown>>): string[] {
  const has = (key: string): boolean => input[key] !== undefined && input[key] !== null;
  const plainHttp = isText(input["url"]) && /^http:/i.test(input["url"]);
  const rules: [boolean, string][] = [
    [!has("url"), "url is missing"],
    [!has("token") && !has("token_file"), "token or token_file is missing"],
    [has("token") && has("token_file"), "token and token_file exclude each other"],
    [has("ca") && has("fingerprint"), "ca and fingerprint exclude each other"],
    [plainHttp && (has("ca") || has("fingerprint")), "ca and fingerprint need an https url"],
    [input["platform"] === "control" && !has("control"), 'control is missing (platform is "control")'],
    [input["platform"] !== "control" && has("control"), 'control is only for platform "control"'],
  ];
  return rules.filter(([broken]) => broken).map(([, fault]) => fault);
}

function serviceUrlProblem(value: string): string | null {
  const problem = webUrlProblem(value);
  if (problem !== null) return problem;
  const url = new URL(value);
  const inClear = url.protocol === "http:" && !LOOPBACK.test(url.hostname);
  return inClear ? "must be https: the token would travel readable (http is for loopback addresses only)" : null;
}

function webUrlProblem(value: string): string | null {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return "is not a URL";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must start with https:// or http://";
  if (url.username !== "" || url.password !== "") return "must not carry a user or a password";
  if (url.search !== "" || url.hash !== "") return "must not have a query or a fragment";
  return isHost(url.hostname.replace(/^\[|\]$/g, "")) ? null : "has no valid host";
}

/** The token goes into a header: visible ASCII only (RFC 6750, `b64token` is a subset). */
function tokenProblem(value: string): string | null {
  return /^[\x21-\x7e]+$/.test(value) ? null : "has characters that no token has";
}

function pathProblem(value: string): string | null {
  return isAbsolute(value) ? null : "must be an absolute path";
}

function fingerprintProblem(value: string): string | null {
  return FINGERPRINT.test(value) ? null : "must be a SHA-256 fingerprint: 64 hexadecimal digits, colons allowed";
}

function platformProblem(value: string): string | null {
  return value === "proxmox" || value === "control" ? null : 'must be "proxmox" or "control"';
}

function nodeProblem(value: string): string | null {
  return NODE_NAME.test(value) ? null : "must be a node name (a DNS label)";
}

function addressProblem(value: string): string | null {
  return isIP(value) === 0 ? "must be an IPv4 or IPv6 address" : null;
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, "");
}
