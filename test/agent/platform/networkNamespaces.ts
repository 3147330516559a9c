// Builds a small network for tests out of Linux network namespaces: a client, a node that forwards, a guest behind it.
import { execFileSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";

const PUBLIC_ADDRESS = "203.0.113.4";
const GUEST_ADDRESS = "10.77.0.5";
const GUEST_PORT = 2022;

export interface Network {
  readonly publicAddress: string;
  readonly guestAddress: string;
  readonly guestPort: number;
  /** The command that runs a program inside the node. */
  onNode(...line: string[]): [string, ...string[]];
  /** What a connection of the client to this port of the public address reads, or "refused". */
  connect(port: number): string;
  remove(): void;
}

/** Why this machine cannot have such a network, or null when it can. */
export function networkProblem(): string | null {
  if (process.platform !== "linux") return "not on Linux";
  if (process.getuid?.() !== 0) return "not root";
  try {
    execFileSync("ip", ["-V"], { stdio: "ignore" });
    execFileSync("nft", ["--version"], { stdio: "ignore" });
    execFileSync("unshare", ["--net", "nft", "list", "ruleset"], { stdio: "ignore" });
    return null;
  } catch (error) {
    return `nft or ip cannot be used here (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Makes the network with a guest that greets everybody who connects. */
export function createNetwork(): Network {
  const prefix = `drv${process.pid}`;
  const [client, node, guest] = [`${prefix}c`, `${prefix}n`, `${prefix}g`];
  for (const name of [client, node, guest]) {
    ip(`netns add ${name}`);
    ip(`-n ${name} link set lo up`);
  }
  join([client, "203.0.113.1/24"], [node, `${PUBLIC_ADDRESS}/24`], "wan");
  join([node, "10.77.0.1/24"], [guest, `${GUEST_ADDRESS}/24`], "lan");
  ip(`-n ${guest} route add default via 10.77.0.1`);
  execFileSync("ip", ["netns", "exec", node, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
  const greeter = greet(guest);
  return {
    publicAddress: PUBLIC_ADDRESS,
    guestAddress: GUEST_ADDRESS,
    guestPort: GUEST_PORT,
    onNode: (...line) => ["ip", "netns", "exec", node, ...line],
    connect: (port) => read(client, port),
    remove: () => {
      greeter.kill();
      for (const name of [client, node, guest]) ip(`netns del ${name}`);
    },
  };
}

function ip(line: string): void {
  execFileSync("ip", line.split(" "), { stdio: "pipe" });
}

type Side = [namespace: string, address: string];

function join(left: Side, right: Side, name: string): void {
  const [one, other] = [`${name}0`, `${name}1`];
  ip(`-n ${left[0]} link add ${one} type veth peer name ${other} netns ${right[0]}`);
  for (const [[namespace, address], device] of [[left, one] as const, [right, other] as const]) {
    ip(`-n ${namespace} addr add ${address} dev ${device}`);
    ip(`-n ${namespace} link set ${device} up`);
  }
}

function greet(namespace: string): ChildProcess {
  const program = `require("net").createServer((s) => s.end("hello from the guest")).listen(${GUEST_PORT})`;
  return spawn("ip", ["netns", "exec", namespace, process.execPath, "-e", program], { stdio: "ignore" });
}

function read(namespace: string, port: number): string {
  const program = `const s = require("net").connect(${port}, "${PUBLIC_ADDRESS}");
    s.setTimeout(3000, () => s.destroy(new Error("timeout")));
    s.on("data", (d) => process.stdout.write(d)); s.on("error", () => process.stdout.write("refused"));`;
  return execFileSync("ip", ["netns", "exec", namespace, process.execPath, "-e", program], { encoding: "utf8" });
}
