// Texts of the form that adds a host, its help and its refusals.
export const texts = {
  title: "Add host",
  verb: "Add",
  note: "The inventory is synced immediately.",
  done: (name: string): string => `${name} added. Its inventory is synced.`,
  failed: "The host could not be added",
  name: "Name",
  address: "Address",
  port: "Port",
  user: "User",
  authentication: "Authentication",
  apiToken: "API token",
  password: "Password",
  tokenId: "Token ID",
  tokenSecret: "Token secret",
  fingerprint: "SHA-256 certificate fingerprint",
  fingerprintHint: "Empty = the certificate must be signed by a trusted CA.",
  missing: {
    name: "Enter a name",
    address: "Enter an address",
    user: "Enter a user with its realm, such as root@pam",
    tokenId: "Enter the token ID",
    tokenSecret: "Enter the token secret",
    password: "Enter the password",
  },
  refusal: {
    fingerprint:
      "No credentials were sent. Compare this fingerprint with the one on the host; use it only if they are identical.",
    useFingerprint: "Fingerprints match: use it",
    unreachable:
      "This service must reach the address and port: check the address, the firewalls, and that pveproxy is running on the host.",
    credentials: "Check the user, the token ID (the part after ! in Proxmox VE), the secret and the expiry date.",
  },
  help: {
    question: "Where do I find the token and the fingerprint?",
    token: "On the Proxmox VE host, as root, create a token. Its secret is shown once:",
    fingerprint: "Show the fingerprint (of pveproxy-ssl.pem if that file exists):",
    webInterface:
      "In the web interface: Datacenter > Permissions > API Tokens > Add, with “Privilege Separation” off; and node > System > Certificates. For a cluster, add one node: the others are discovered.",
  },
};
