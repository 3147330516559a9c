#!/usr/bin/env bash
# Places, creates, powers, reinstalls and terminates virtual machines over Drover's REST v1 with curl (7.83 or newer) and jq.
# `create` and `terminate` look first at what is there: after a failure they may be repeated. Before `power` and `reinstall` are
# repeated, look at the guest.
#
#   export DROVER_URL=https://panel.example.com DROVER_TOKEN=drv_…
#   billing.sh place 2048 2 20      # MiB, cores, GiB; prints host, node and VMID: keep them with the order
#   GUEST_PASSWORD=… billing.sh create 1 ams1 500 web1.example.com 2048 2 20 tpl:1
#   billing.sh power 1 500 reboot
#   GUEST_PASSWORD=… billing.sh reinstall 1 500 tpl:1
#   billing.sh terminate 1 500 web1.example.com
set -euo pipefail

# Seconds. An answer that only reads is waited for while the service is away, longer than any restart.
readonly PATIENCE=600 REQUEST=60 POLL=3 LONGEST_JOB=3600
readonly NOT_FOUND=4

fail() {
  printf '%s\n' "$1" >&2
  exit "${2:-1}"
}

# METHOD PATH [JSON]: prints the envelope of a success; a refusal ends the subshell. Waits as Retry-After says where nothing was
# done (429), and while the service is away if nothing is changed. Token and body stay out of the list of processes.
call() {
  local method=$1 path=$2 deadline=$((SECONDS + PATIENCE)) body=() answer envelope status wait
  [[ $# -lt 3 ]] || body=(--header "Content-Type: application/json" --data-binary @-)
  while :; do
    # Without an answer curl prints 000 as the status, and why on standard error.
    answer=$(curl --silent --show-error --max-time "$REQUEST" --request "$method" \
      --header @<(printf 'Authorization: Bearer %s' "$DROVER_TOKEN") ${body[@]+"${body[@]}"} \
      --write-out '\n%{http_code} %header{retry-after}' "$DROVER_URL/api/v1$path" <<<"${3-}") || true
    envelope=${answer%$'\n'*}
    read -r status wait <<<"${answer##*$'\n'}"
    case $method-$status in
      *-2??) break ;;
      *-429 | GET-000 | GET-50[234]) ;;
      *-404) fail "404 $(reason <<<"$envelope")" "$NOT_FOUND" ;;
      *) fail "$status $(reason <<<"$envelope")" ;;
    esac
    [[ $wait =~ ^[0-9]+$ ]] || wait=$POLL
    ((SECONDS + wait < deadline)) || fail "$status $(reason <<<"$envelope")"
    sleep "$wait"
  done
  printf '%s\n' "$envelope"
}

# The service's own words; a proxy in between may refuse in others.
reason() { jq --raw-input --slurp --raw-output '. as $text | try (fromjson | .error) catch $text'; }

place() {
  local best vmid
  best=$(call GET "/placement/suggest?type=qemu&memory_mb=$1&cores=$2&disk_gb=$3" | jq '.data.best // empty | {host_id, node}')
  [[ -n $best ]] || fail "No node has room"
  vmid=$(call GET "/hosts/$(jq .host_id <<<"$best")/next-vmid" | jq .data.vmid)
  jq --compact-output --argjson vmid "$vmid" '. + {vmid: $vmid}' <<<"$best"
}

# HOST NODE VMID NAME MEMORY CORES DISK TEMPLATE. The VMID, chosen before, keeps a repeated request from making a second guest.
create() {
  ! is_there "$1" "$3" "$4" || return 0
  local order job
  order=$(jq --null-input --arg node "$2" --arg vmid "$3" --arg name "$4" --arg memory "$5" --arg cores "$6" --arg disk "$7" \
    --arg template "$8" '{
      type: "qemu", node: $node, vmid: $vmid, name: $name, memory_mb: $memory, cores: $cores, disk_gb: $disk,
      os_template: $template, password: env.GUEST_PASSWORD }')
  job=$(call POST "/hosts/$1/guests" "$order" | jq .data.job_id)
  job_done "$1" "$job"
}

# HOST VMID NAME: whether the guest is there. Another guest under its VMID ends the script.
is_there() {
  local guest name status=0
  guest=$(call GET "/hosts/$1/guests/qemu/$2") || status=$?
  ((status != NOT_FOUND)) || return 1
  ((status == 0)) || exit "$status"
  name=$(jq --raw-output .data.name <<<"$guest")
  [[ $name == "$3" ]] || fail "VMID $2 is $name"
}

# HOST JOB: waits until it has ended.
job_done() {
  local deadline=$((SECONDS + LONGEST_JOB)) job
  while ((SECONDS < deadline)); do
    job=$(call GET "/hosts/$1/jobs/$2")
    case $(jq --raw-output .data.status <<<"$job") in
      done) return ;;
      failed) fail "$(jq --raw-output .data.error <<<"$job")" ;;
    esac
    sleep "$POLL"
  done
  fail "Job $2 has not ended"
}

# HOST VMID ACTION: sends the action and waits for the platform's task.
power() {
  local node upid task deadline=$((SECONDS + LONGEST_JOB))
  node=$(call GET "/hosts/$1/guests/qemu/$2" | jq --raw-output .data.node)
  upid=$(call POST "/hosts/$1/guests/qemu/$2/power" "$(jq --null-input --arg node "$node" --arg action "$3" '{node: $node, action: $action}')" |
    jq --raw-output '.data.upid | @uri')
  while ((SECONDS < deadline)); do
    task=$(call GET "/hosts/$1/tasks/$node/$upid" | jq --raw-output '.data | "\(.status) \(.exit_status)"')
    case $task in
      "stopped OK") return ;;
      stopped*) fail "${task#stopped }" ;;
    esac
    sleep "$POLL"
  done
  fail "Task $upid has not ended"
}

# HOST VMID TEMPLATE. While its job runs, another one is refused with 409.
reinstall() {
  local job
  job=$(call POST "/hosts/$1/guests/qemu/$2/reinstall" \
    "$(jq --null-input --arg template "$3" '{os_template: $template, password: env.GUEST_PASSWORD}')" | jq .data.job_id)
  job_done "$1" "$job"
}

# HOST VMID NAME. A VMID may be used again: the name shows that it is still the same guest.
terminate() {
  is_there "$1" "$2" "$3" || return 0
  local job
  job=$(call DELETE "/hosts/$1/guests/qemu/$2" | jq .data.job_id)
  job_done "$1" "$job"
}

: "${DROVER_URL:?}" "${DROVER_TOKEN:?}"
case ${1-} in
  place | create | power | reinstall | terminate) "$@" ;;
  *) fail "Commands: place, create, power, reinstall, terminate" ;;
esac
