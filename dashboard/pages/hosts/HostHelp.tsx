// Helps who connects a host: where token and fingerprint come from, how they may be pasted, and what to look at after a refusal.
import { Alert, Button, Code, Group, Text } from "@mantine/core";
import { texts } from "../../texts/addHost.js";

/** Proxmox VE shows a token as `user@realm!name`: pasted as a whole, it says whose it is. */
export function tokenOf(user: string, tokenId: string): { readonly user: string; readonly tokenId: string } {
  const pasted = tokenId.trim();
  const at = pasted.lastIndexOf("!");
  return at < 0 ? { user, tokenId: pasted } : { user: pasted.slice(0, at), tokenId: pasted.slice(at + 1) };
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
    <Alert color="red" title={texts.failed} role="alert" style={{ overflowWrap: "anywhere" }}>
      {message}
      <Text fz="sm" mt={4}>
        {shown === undefined ? adviceOn(message) : texts.refusal.fingerprint}
      </Text>
      {shown !== undefined && (
        <Group mt={6}>
          <Button variant="default" onClick={() => pin(shown)}>
            {texts.refusal.useFingerprint}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

function adviceOn(message: string): string {
  return message.includes("unreachable") ? texts.refusal.unreachable : texts.refusal.credentials;
}

export function HostHelp() {
  return (
    <details className="help">
      <summary>{texts.help.question}</summary>
      <Text fz="sm">{texts.help.token}</Text>
      <Code block>pveum user token add root@pam drover --privsep 0</Code>
      <Text fz="sm">{texts.help.fingerprint}</Text>
      <Code block>openssl x509 -noout -fingerprint -sha256 -in /etc/pve/local/pve-ssl.pem</Code>
      <Text fz="sm">{texts.help.webInterface}</Text>
    </details>
  );
}
