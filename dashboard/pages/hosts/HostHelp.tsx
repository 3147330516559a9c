// Helps who connects a host: where token and fingerprint come from, how they may be pasted, and what to look at after a refusal.
import { Alert, Button, Code, Group, Text } from "@mantine/core";

/** Proxmox VE shows a token as `user@realm!name`: pasted as a whole, it says whose it is. */
export function tokenOf(user: string, tokenId: string): { readonly user: string; readonly tokenId: string } {
  const [owner = "", name] = tokenId.trim().split("!");
  return name === undefined ? { user, tokenId: owner } : { user: owner, tokenId: name };
}

/** As openssl prints it too: `sha256 Fingerprint=AA:BB:…`. */
export const fingerprintOf = (text: string): string => text.trim().replace(/^.*=/, "");

/** What the service tells of the certificate that the host has shown. */
const SHOWN_FINGERPRINT = /has the SHA-256 fingerprint ((?:[\dA-F]{2}:){31}[\dA-F]{2})/;

interface RefusalProperties {
  /** Null: it was not refused. */
  readonly message: string | null;
  /** Takes the fingerprint that the host has shown. */
  readonly pin: (fingerprint: string) => void;
}

/** Why the host was not connected, and what may help. */
export function HostRefusal({ message, pin }: RefusalProperties) {
  if (message === null) return null;
  const [, shown] = SHOWN_FINGERPRINT.exec(message) ?? [];
  return (
    <Alert color="red" title="The host was not connected" role="alert" style={{ overflowWrap: "anywhere" }}>
      {message}
      <Text fz="sm" mt={4}>
        {shown === undefined
          ? adviceOn(message)
          : "No credential was sent. If the host itself tells the fingerprint that it has shown, it is the right machine."}
      </Text>
      {shown !== undefined && (
        <Group mt={6}>
          <Button variant="default" onClick={() => pin(shown)}>
            It is the same: use it
          </Button>
        </Group>
      )}
    </Alert>
  );
}

function adviceOn(message: string): string {
  if (message.includes("unreachable")) {
    return "The machine on which this service runs must reach this address and port: look at the address, at firewalls, and whether pveproxy runs on the host.";
  }
  return "Look at the login user, at the token's name (what stands behind the ! in Proxmox VE), at its secret, and whether it has expired.";
}

export function HostHelp() {
  return (
    <details className="help">
      <summary>Where do I get the token and the fingerprint?</summary>
      <Text fz="sm">On the Proxmox VE host, as root, make a token; its secret is shown once:</Text>
      <Code block>pveum user token add root@pam drover --privsep 0</Code>
      <Text fz="sm">and ask for the fingerprint (of pveproxy-ssl.pem where that file is there):</Text>
      <Code block>openssl x509 -noout -fingerprint -sha256 -in /etc/pve/local/pve-ssl.pem</Code>
      <Text fz="sm">
        In its web interface: Datacenter, Permissions, API Tokens, Add, with “Privilege Separation” off; and the node,
        System, Certificates. Of a cluster, connect one node: the others are found.
      </Text>
    </details>
  );
}
