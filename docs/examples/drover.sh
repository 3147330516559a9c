#!/usr/bin/env bash
# Calls Drover's REST v1 with curl 7.76 or newer and prints the answer; fails when the service refuses. Written from the OpenAPI document, not by hand.
set -euo pipefail

usage() {
  cat >&2 <<'END'
Usage: DROVER_URL=https://panel.example.com DROVER_TOKEN=… drover.sh OPERATION [value…] [name=value…]

Values in capitals are given by position, the others as name=value (in brackets: may be left out; ssh_keys may be repeated).

  hosts [page=] [perPage=]
      Hosts in the token's scope
  nodes ID [page=] [perPage=]
      Nodes of a host
  node ID NODE
      One node by name
  plans ID [page=] [perPage=]
      Active plans
  storages ID [node=] [page=] [perPage=]
      Storages, a record for each node that sees one
  networks ID [node=] [page=] [perPage=]
      Bridges and other networks, a record for each node that has one
  osTemplates ID [page=] [perPage=]
      Templates of virtual machines; `ref` is what a creation is told
  ctTemplates ID [node=] [page=] [perPage=]
      Templates of containers: the managed library and the nodes' own files
  ipZones ID [page=] [perPage=]
      IP zones; `ref` is what a creation is told
  nextVmid ID
      The next free VMID; asking does not reserve it
  guests ID [page=] [perPage=]
      Every virtual machine and container on the host
  createGuestOnHost ID type= node= name= [plan_id=] [cores=] [memory_mb=] [disk_gb=] [os_template=] [lxc_template_id=] [password=] [ssh_keys=] [vmid=] [owner_id=] [ip_source=]
      Queues the creation of a guest on the host
  guest ID TYPE VMID
      One guest
  deleteGuest ID TYPE VMID
      Queues the deletion of a guest; its addresses from IP zones are released
  powerGuest ID TYPE VMID node= action=
      Starts, stops, shuts down, reboots, suspends or resumes a guest; the platform's task goes on afterwards
  reinstallGuest ID TYPE VMID [os_template=] [lxc_template_id=] [password=] [ssh_keys=]
      Queues the reinstallation of a guest, which keeps its VMID, size, addresses and owner
  createGuest type= node= name= [plan_id=] [cores=] [memory_mb=] [disk_gb=] [os_template=] [lxc_template_id=] [password=] [ssh_keys=] [vmid=] [owner_id=] [ip_source=]
      Queues the creation of a guest on the best node of all hosts in the token's scope; node must be auto
  job ID JOB_ID
      A job of the host
  task ID NODE UPID
      A task of the platform, as its node tells it now
  placementSuggest type= memory_mb= cores= disk_gb=
      Where a guest would be placed now, among the hosts in the token's scope; nothing is created
  users [page=] [perPage=]
      Customers
  createUser email= username= [user_id=]
      Makes a customer; the generated password is told once
  sshKeys ID [page=] [perPage=]
      Name and fingerprint of a user's SSH keys
  assignGuest ID host_id= type= vmid=
      Gives a guest to a user
  deleteUser ID
      Deletes a customer; their guests stay, without an owner
END
  exit 2
}

# A path value, percent-encoded byte by byte.
encoded() {
  local LC_ALL=C text=$1 sign code
  while [[ -n $text ]]; do
    sign=${text:0:1}
    text=${text:1}
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
  curl --silent --show-error --fail-with-body --request "$method" \
    --config - ${fields[@]+"${fields[@]}"} "${DROVER_URL:?}/api/v1$path" <<<"header = \"Authorization: Bearer ${DROVER_TOKEN:?}\""
  echo
}

(($# > 0)) || usage
operation=$1
shift
case $operation in
  hosts) send GET /hosts "$@" ;;
  nodes)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/nodes" "${@:2}"
    ;;
  node)
    (($# >= 2)) || usage
    send GET "/hosts/$(encoded "$1")/nodes/$(encoded "$2")" "${@:3}"
    ;;
  plans)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/plans" "${@:2}"
    ;;
  storages)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/storages" "${@:2}"
    ;;
  networks)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/networks" "${@:2}"
    ;;
  osTemplates)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/os-templates" "${@:2}"
    ;;
  ctTemplates)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/ct-templates" "${@:2}"
    ;;
  ipZones)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/ip-zones" "${@:2}"
    ;;
  nextVmid)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/next-vmid" "${@:2}"
    ;;
  guests)
    (($# >= 1)) || usage
    send GET "/hosts/$(encoded "$1")/guests" "${@:2}"
    ;;
  createGuestOnHost)
    (($# >= 1)) || usage
    send POST "/hosts/$(encoded "$1")/guests" "${@:2}"
    ;;
  guest)
    (($# >= 3)) || usage
    send GET "/hosts/$(encoded "$1")/guests/$(encoded "$2")/$(encoded "$3")" "${@:4}"
    ;;
  deleteGuest)
    (($# >= 3)) || usage
    send DELETE "/hosts/$(encoded "$1")/guests/$(encoded "$2")/$(encoded "$3")" "${@:4}"
    ;;
  powerGuest)
    (($# >= 3)) || usage
    send POST "/hosts/$(encoded "$1")/guests/$(encoded "$2")/$(encoded "$3")/power" "${@:4}"
    ;;
  reinstallGuest)
    (($# >= 3)) || usage
    send POST "/hosts/$(encoded "$1")/guests/$(encoded "$2")/$(encoded "$3")/reinstall" "${@:4}"
    ;;
  createGuest) send POST /guests "$@" ;;
  job)
    (($# >= 2)) || usage
    send GET "/hosts/$(encoded "$1")/jobs/$(encoded "$2")" "${@:3}"
    ;;
  task)
    (($# >= 3)) || usage
    send GET "/hosts/$(encoded "$1")/tasks/$(encoded "$2")/$(encoded "$3")" "${@:4}"
    ;;
  placementSuggest) send GET /placement/suggest "$@" ;;
  users) send GET /users "$@" ;;
  createUser) send POST /users "$@" ;;
  sshKeys)
    (($# >= 1)) || usage
    send GET "/users/$(encoded "$1")/ssh-keys" "${@:2}"
    ;;
  assignGuest)
    (($# >= 1)) || usage
    send POST "/users/$(encoded "$1")/guests" "${@:2}"
    ;;
  deleteUser)
    (($# >= 1)) || usage
    send DELETE "/users/$(encoded "$1")" "${@:2}"
    ;;
  *) usage ;;
esac
