// Checks the form of a rule: what its parts may be, and which need each other.
import { isIPv4, isIPv6 } from "node:net";
import type { Rule } from "./file.js";

const actions = new Set(["ACCEPT", "DROP", "REJECT"]);
const protocols = new Set(
  "tcp udp icmp icmpv6 ipv6-icmp sctp udplite dccp esp ah gre igmp ipip ospf vrrp ip ipencap egp igp".split(" "),
);
const macros = new Set(
  "Amanda Auth BGP BitTorrent Ceph CVS DHCPfwd DHCPv6 DNS Distcc FTP Finger GNUnet GRE Git HKP HTTP HTTPS ICMPfwd IMAP IMAPS IPIP IPsec IRC Jetdirect L2TP LDAP LDAPS MDNS MSNP MSSQL Mail MySQL NNTP NNTPS NTP NeighborDiscovery OSPF OpenVPN PBS PCA PMG POP3 POP3S PPtP Ping PostgreSQL Printer RDP RIP RNDC Razor Rdate Rsync SANE SMB SMBswat SMTP SMTPS SNMP SPAMD SPICEproxy SSH SVN SixXS Squid Submission Syslog TFTP Telnet Telnets Time Trcrt VNC VNCL Web Webcache Webmin Whois".split(
    " ",
  ),
);
const highestPort = 65_535;

/** @returns by part what is wrong with it; null: nothing */
export function formComplaints(rule: Rule): Record<string, string> | null {
  const complaints: Record<string, string> = {};
  const { type, action = "", proto, macro, iface } = rule;
  if (type !== "group" && !actions.has(action)) complaints.action = `unknown action '${action}'`;
  if (macro !== undefined && !macros.has(macro)) complaints.macro = `unknown macro '${macro}'`;
  if (iface !== undefined && !/^net\d+$/.test(iface))
    complaints.iface = String.raw`value does not match the regex pattern 'net\d+'`;
  if (proto !== undefined && !protocols.has(proto) && !/^\d+$/.test(proto))
    complaints.proto = `invalid format - unknown protocol '${proto}'\n`;
  checkPorts(rule, complaints);
  const families = ["source", "dest"].map((part) => familyOf(rule[part] ?? ""));
  if (families[0] !== null && families[1] !== null && families[0] !== families[1])
    complaints.dest = "detected mixed ipv4/ipv6 addresses in rule";
  return Object.keys(complaints).length === 0 ? null : complaints;
}

function checkPorts(rule: Rule, complaints: Record<string, string>): void {
  for (const part of ["dport", "sport"]) {
    const ports = rule[part];
    if (ports === undefined) continue;
    if (rule.proto === undefined && rule.macro === undefined)
      complaints.proto = `missing property - '${part}' requires this property`;
    const wrong = ports.split(/[,:]/).find((port) => /^\d+$/.test(port) && Number(port) > highestPort);
    if (wrong !== undefined) complaints[part] = `invalid format - invalid port '${wrong}'\n`;
  }
}

/** 4 or 6 where plain addresses or networks are named, null elsewhere. */
export function familyOf(text: string): 4 | 6 | null {
  const [address = ""] = (text.split(/[,-]/)[0] ?? "").split("/");
  if (isIPv4(address)) return 4;
  return isIPv6(address) ? 6 : null;
}
