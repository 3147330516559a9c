// Writes the curl script: a word for each operation.
import type { OpenApiDocument } from "../document.js";
import type { JsonSchema } from "../jsonSchema.js";
import { clientCalls, type ClientCall } from "./clientCall.js";

/** The whole file. */
export function shellClient(document: OpenApiDocument): string {
  const calls = clientCalls(document);
  return `${HEAD}\n${usageOf(calls)}\n${CALLING}\n${dispatchOf(calls)}`;
}

const usageOf = (calls: readonly ClientCall[]): string => `usage() {
  cat >&2 <<'END'
Usage: DROVER_URL=https://panel.example.com DROVER_TOKEN=… drover.sh OPERATION [value…] [name=value…]

Values in capitals are given by position, the others as name=value (in brackets: may be left out; ssh_keys may be repeated).

${calls.map(usageLine).join("\n")}
END
  exit 2
}
`;

function usageLine({ name, summary, inPath, query, body }: ClientCall): string {
  const positions = inPath.map((value) => value.name.toUpperCase());
  return `  ${[name, ...positions, ...namesOf(query), ...namesOf(body)].join(" ")}\n      ${summary}`;
}

function namesOf(fields: JsonSchema | null): readonly string[] {
  if (fields === null) return [];
  const { properties = {}, required = [] } = fields;
  return Object.keys(properties).map((name) => (required.includes(name) ? `${name}=` : `[${name}=]`));
}

const dispatchOf = (calls: readonly ClientCall[]): string => `(($# > 0)) || usage
operation=$1
shift
case $operation in
${calls.map(branchOf).join("\n")}
  *) usage ;;
esac
`;

function branchOf({ name, method, path, inPath }: ClientCall): string {
  const count = inPath.length;
  if (count === 0) return `  ${name}) send ${method} ${path} "$@" ;;`;
  const filled = inPath.reduce(
    (target, value, index) => target.replace(`{${value.name}}`, `$(encoded "$${index + 1}")`),
    path,
  );
  return `  ${name})
    (($# >= ${count})) || usage
    send ${method} "${filled}" "\${@:${count + 1}}"
    ;;`;
}

const HEAD = `#!/usr/bin/env bash
# Calls Drover's REST v1 with curl 7.76 or newer and prints the answer; fails when the service refuses. Written from the OpenAPI document, not by hand.
set -euo pipefail
`;

const CALLING = `# A path value, percent-encoded byte by byte.
encoded() {
  local LC_ALL=C text=$1 sign code
  while [[ -n $text ]]; do
    sign=\${text:0:1}
    text=\${text:1}
    printf -v code %d "'$sign"
    case $sign in
      [a-zA-Z0-9._~-]) printf %s "$sign" ;;
      *) printf %%%02X $((code & 255)) ;;
    esac
  done
}

# METHOD PATH [name=value…]: fields go into the query of a GET, else into a form. The token stays out of the list of processes.
send() {
  local method=$1 path=$2 field fields=()
  shift 2
  for field in "$@"; do fields+=(--data-urlencode "$field"); done
  [[ $method != GET ]] || fields+=(--get)
  curl --silent --show-error --fail-with-body --request "$method" \\
    --config - \${fields[@]+"\${fields[@]}"} "\${DROVER_URL:?}/api/v1$path" <<<"header = \\"Authorization: Bearer \${DROVER_TOKEN:?}\\""
  echo
}
`;
