<?php

// Client of Drover's REST v1 for PHP 7.4 and newer with the extensions curl and json. Written from the OpenAPI document, not by hand.

declare(strict_types=1);

namespace Drover;

/** A refusal: the code is the HTTP status (0: the service was not reached), the message says what is wrong. */
final class DroverException extends \RuntimeException
{
    /** Seconds after which a 429 or a 503 may be over; null otherwise. */
    public ?int $retryAfterSeconds;

    public function __construct(string $message, int $status, ?int $retryAfterSeconds = null)
    {
        parent::__construct($message, $status);
        $this->retryAfterSeconds = $retryAfterSeconds;
    }
}

/**
 * The service, seen with one API token.
 *
 * @phpstan-type Agent array{version: string|null, current: bool, healthy: bool, last_seen_at: string|null}
 * @phpstan-type CreatedUser array{id: int, email: string, username: string, user_id: string|null, guest_count: int, created_at: string, password: string}
 * @phpstan-type CtTemplate array{id: int|null, name: string, volid: string, node: string|null, storage: string|null, size_bytes: int|null, managed: bool}
 * @phpstan-type DroppedNode array{host_id: int, node: string, code: string, reason: string}
 * @phpstan-type Guest array{type: 'qemu'|'lxc', vmid: int, node: string, name: string, host_id: int, status: 'running'|'stopped'|'paused'|'suspended'|'unknown', template: bool, lock: string|null, tags: list<string>, cores: int, memory_mb: int, disk_gb: int|float, cpu_usage: int|float|null, memory_used_mb: int|null, uptime_seconds: int|null, owner_id: int|null, plan_id: int|null, ip_addresses: list<string>, safety_copy: bool, safety_copy_delete_at: string|null, last_seen_at: string|null}
 * @phpstan-type Host array{id: int, name: string, hostname: string, port: int, user: string, active: bool}
 * @phpstan-type HypervisorTask array{upid: string, node: string, type: string, target_id: string|null, user: string, status: string, exit_status: string|null, started_at: string, ended_at: string|null}
 * @phpstan-type IpZone array{id: int, ref: string, name: string, cidr: string, family: int, gateway: string|null, bridge: string, vlan: int|null, nameservers: list<string>, total: int, used: int, free: int}
 * @phpstan-type Job array{id: int, kind: 'guest_create'|'guest_reinstall'|'guest_delete'|'migration'|'evacuation'|'balance_run'|'safety_copy_delete', status: 'queued'|'running'|'done'|'failed', error: string|null, host_id: int|null, node: string|null, vmid: int|null, progress: int|float|null, step: string|null, created_at: string, started_at: string|null, finished_at: string|null}
 * @phpstan-type Network array{name: string, node: string, type: string, active: bool, cidr: string|null}
 * @phpstan-type Node array{host_id: int, name: string, status: 'online'|'offline'|'unknown', maintenance: bool, cpu_cores: int, cpu_usage: int|float, cpu_average_30m: int|float|null, memory_mb: int, memory_used_mb: int, guest_count: int, version: string|null, uptime_seconds: int|null, agent: Agent|null}
 * @phpstan-type OsTemplate array{id: int, ref: string, name: string, node: string, vmid: int, min_disk_gb: int|float}
 * @phpstan-type PageMeta array{page: int, perPage: int, total: int}
 * @phpstan-type PlacementChoice array{host_id: int, node: string, storage: string, explanation: string}
 * @phpstan-type PlacementResult array{best: RankedNode|null, ranked: list<RankedNode>, dropped: list<DroppedNode>}
 * @phpstan-type Plan array{id: int, name: string, cores: int, memory_mb: int, disk_gb: int, traffic_gb: int|null, runtime_days: int|null}
 * @phpstan-type PowerResult array{upid: string}
 * @phpstan-type QueuedGuest array{queued: bool, job_id: int, vmid: int, placement: PlacementChoice}
 * @phpstan-type QueuedJob array{queued: bool, job_id: int, vmid: int|null}
 * @phpstan-type RankedNode array{host_id: int, node: string, storage: string, score: int|float, ram_score: int|float, cpu_score: int|float, storage_score: int|float, guest_count: int, explanation: string}
 * @phpstan-type SshKey array{name: string, fingerprint: string}
 * @phpstan-type Storage array{name: string, node: string, type: string, content: list<string>, shared: bool, active: bool, total_bytes: int, used_bytes: int, free_bytes: int}
 * @phpstan-type User array{id: int, email: string, username: string, user_id: string|null, guest_count: int, created_at: string}
 */
final class Drover
{
    private string $base;
    private string $token;
    private int $timeoutSeconds;

    /** @param string $url where the service is, such as https://panel.example.com */
    public function __construct(string $url, string $token, int $timeoutSeconds = 60)
    {
        $this->base = rtrim($url, '/') . '/api/v1';
        $this->token = $token;
        $this->timeoutSeconds = $timeoutSeconds;
    }

    /**
     * Every record of a list: $drover->all(fn (array $page) => $drover->guests(1, $page)).
     *
     * @param callable(array{page: int, perPage: int}): array{items: list<mixed>, meta: PageMeta} $list
     */
    public function all(callable $list): \Generator
    {
        for ($page = 1, $seen = 0, $total = 1; $seen < $total; $page++) {
            ['items' => $items, 'meta' => $meta] = $list(['page' => $page, 'perPage' => 200]);
            if ($items === []) {
                return;
            }
            foreach ($items as $item) {
                yield $item;
            }
            $seen += count($items);
            $total = $meta['total'];
        }
    }

    /**
     * Asks for a job every few seconds until it is done or failed; the caller looks at its status.
     *
     * @return Job
     * @throws DroverException 408 when it takes too long
     */
    public function waitForJob(int $hostId, int $jobId, int $everySeconds = 3, int $atMostSeconds = 3600): array
    {
        $deadline = time() + $atMostSeconds;
        while (true) {
            $job = $this->job($hostId, $jobId);
            if ($job['status'] === 'done' || $job['status'] === 'failed') {
                return $job;
            }
            if (time() >= $deadline) {
                throw new DroverException("Job $jobId is still {$job['status']}", 408);
            }
            sleep($everySeconds);
        }
    }

    /**
     * Hosts in the token's scope. GET /hosts
     *
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<Host>, meta: PageMeta}
     * @throws DroverException
     */
    public function hosts(array $query = []): array
    {
        return $this->page('GET', '/hosts', $query, null);
    }

    /**
     * Nodes of a host. GET /hosts/{id}/nodes
     *
     * @param int $id Id of the host
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<Node>, meta: PageMeta}
     * @throws DroverException
     */
    public function nodes(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/nodes', $query, null);
    }

    /**
     * One node by name. GET /hosts/{id}/nodes/{node}
     *
     * @param int $id Id of the host
     * @param string $node Name of the node
     * @return Node
     * @throws DroverException
     */
    public function node(int $id, string $node): array
    {
        return $this->record('GET', '/hosts/' . rawurlencode((string) $id) . '/nodes/' . rawurlencode((string) $node), [], null);
    }

    /**
     * Active plans. GET /hosts/{id}/plans
     *
     * @param int $id Id of the host
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<Plan>, meta: PageMeta}
     * @throws DroverException
     */
    public function plans(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/plans', $query, null);
    }

    /**
     * Storages, a record for each node that sees one. GET /hosts/{id}/storages
     *
     * @param int $id Id of the host
     * @param array{node?: string, page?: int, perPage?: int} $query
     * @return array{items: list<Storage>, meta: PageMeta}
     * @throws DroverException
     */
    public function storages(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/storages', $query, null);
    }

    /**
     * Bridges and other networks, a record for each node that has one. GET /hosts/{id}/networks
     *
     * @param int $id Id of the host
     * @param array{node?: string, page?: int, perPage?: int} $query
     * @return array{items: list<Network>, meta: PageMeta}
     * @throws DroverException
     */
    public function networks(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/networks', $query, null);
    }

    /**
     * Templates of virtual machines; `ref` is what a creation is told. GET /hosts/{id}/os-templates
     *
     * @param int $id Id of the host
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<OsTemplate>, meta: PageMeta}
     * @throws DroverException
     */
    public function osTemplates(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/os-templates', $query, null);
    }

    /**
     * Templates of containers: the managed library and the nodes' own files. GET /hosts/{id}/ct-templates
     *
     * @param int $id Id of the host
     * @param array{node?: string, page?: int, perPage?: int} $query
     * @return array{items: list<CtTemplate>, meta: PageMeta}
     * @throws DroverException
     */
    public function ctTemplates(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/ct-templates', $query, null);
    }

    /**
     * IP zones; `ref` is what a creation is told. GET /hosts/{id}/ip-zones
     *
     * @param int $id Id of the host
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<IpZone>, meta: PageMeta}
     * @throws DroverException
     */
    public function ipZones(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/ip-zones', $query, null);
    }

    /**
     * The next free VMID; asking does not reserve it. GET /hosts/{id}/next-vmid
     *
     * @param int $id Id of the host
     * @return array{vmid: int}
     * @throws DroverException
     */
    public function nextVmid(int $id): array
    {
        return $this->record('GET', '/hosts/' . rawurlencode((string) $id) . '/next-vmid', [], null);
    }

    /**
     * Every virtual machine and container on the host. GET /hosts/{id}/guests
     *
     * @param int $id Id of the host
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<Guest>, meta: PageMeta}
     * @throws DroverException
     */
    public function guests(int $id, array $query = []): array
    {
        return $this->page('GET', '/hosts/' . rawurlencode((string) $id) . '/guests', $query, null);
    }

    /**
     * Queues the creation of a guest on the host. POST /hosts/{id}/guests
     *
     * @param int $id Id of the host
     * @param array{type: 'qemu'|'lxc', node: string, name: string, plan_id?: int, cores?: int, memory_mb?: int, disk_gb?: int, os_template?: string, lxc_template_id?: int, password?: string, ssh_keys?: list<string>, vmid?: int, owner_id?: int, ip_source?: string} $body
     * @return QueuedGuest
     * @throws DroverException
     */
    public function createGuestOnHost(int $id, array $body): array
    {
        return $this->record('POST', '/hosts/' . rawurlencode((string) $id) . '/guests', [], $body);
    }

    /**
     * One guest. GET /hosts/{id}/guests/{type}/{vmid}
     *
     * @param int $id Id of the host
     * @param 'qemu'|'lxc' $type qemu or lxc
     * @param int $vmid VMID of the guest
     * @return Guest
     * @throws DroverException
     */
    public function guest(int $id, string $type, int $vmid): array
    {
        return $this->record('GET', '/hosts/' . rawurlencode((string) $id) . '/guests/' . rawurlencode((string) $type) . '/' . rawurlencode((string) $vmid), [], null);
    }

    /**
     * Queues the deletion of a guest; its addresses from IP zones are released. DELETE /hosts/{id}/guests/{type}/{vmid}
     *
     * @param int $id Id of the host
     * @param 'qemu'|'lxc' $type qemu or lxc
     * @param int $vmid VMID of the guest
     * @return QueuedJob
     * @throws DroverException
     */
    public function deleteGuest(int $id, string $type, int $vmid): array
    {
        return $this->record('DELETE', '/hosts/' . rawurlencode((string) $id) . '/guests/' . rawurlencode((string) $type) . '/' . rawurlencode((string) $vmid), [], null);
    }

    /**
     * Starts, stops, shuts down, reboots, suspends or resumes a guest; the platform's task goes on afterwards. POST /hosts/{id}/guests/{type}/{vmid}/power
     *
     * @param int $id Id of the host
     * @param 'qemu'|'lxc' $type qemu or lxc
     * @param int $vmid VMID of the guest
     * @param array{node: string, action: 'start'|'stop'|'shutdown'|'reboot'|'suspend'|'resume'} $body
     * @return PowerResult
     * @throws DroverException
     */
    public function powerGuest(int $id, string $type, int $vmid, array $body): array
    {
        return $this->record('POST', '/hosts/' . rawurlencode((string) $id) . '/guests/' . rawurlencode((string) $type) . '/' . rawurlencode((string) $vmid) . '/power', [], $body);
    }

    /**
     * Queues the reinstallation of a guest, which keeps its VMID, size, addresses and owner. POST /hosts/{id}/guests/{type}/{vmid}/reinstall
     *
     * @param int $id Id of the host
     * @param 'qemu'|'lxc' $type qemu or lxc
     * @param int $vmid VMID of the guest
     * @param array{os_template?: string, lxc_template_id?: int, password?: string, ssh_keys?: list<string>} $body
     * @return QueuedJob
     * @throws DroverException
     */
    public function reinstallGuest(int $id, string $type, int $vmid, array $body = []): array
    {
        return $this->record('POST', '/hosts/' . rawurlencode((string) $id) . '/guests/' . rawurlencode((string) $type) . '/' . rawurlencode((string) $vmid) . '/reinstall', [], $body);
    }

    /**
     * Queues the creation of a guest on the best node of all hosts in the token's scope; node must be auto. POST /guests
     *
     * @param array{type: 'qemu'|'lxc', node: string, name: string, plan_id?: int, cores?: int, memory_mb?: int, disk_gb?: int, os_template?: string, lxc_template_id?: int, password?: string, ssh_keys?: list<string>, vmid?: int, owner_id?: int, ip_source?: string} $body
     * @return QueuedGuest
     * @throws DroverException
     */
    public function createGuest(array $body): array
    {
        return $this->record('POST', '/guests', [], $body);
    }

    /**
     * A job of the host. GET /hosts/{id}/jobs/{job_id}
     *
     * @param int $id Id of the host
     * @param int $jobId Id of the job
     * @return Job
     * @throws DroverException
     */
    public function job(int $id, int $jobId): array
    {
        return $this->record('GET', '/hosts/' . rawurlencode((string) $id) . '/jobs/' . rawurlencode((string) $jobId), [], null);
    }

    /**
     * A task of the platform, as its node tells it now. GET /hosts/{id}/tasks/{node}/{upid}
     *
     * @param int $id Id of the host
     * @param string $node Name of the node that runs it
     * @param string $upid Id of the task, URL-encoded
     * @return HypervisorTask
     * @throws DroverException
     */
    public function task(int $id, string $node, string $upid): array
    {
        return $this->record('GET', '/hosts/' . rawurlencode((string) $id) . '/tasks/' . rawurlencode((string) $node) . '/' . rawurlencode((string) $upid), [], null);
    }

    /**
     * Where a guest would be placed now, among the hosts in the token's scope; nothing is created. GET /placement/suggest
     *
     * @param array{type: 'qemu'|'lxc', memory_mb: int, cores: int, disk_gb: int} $query
     * @return PlacementResult
     * @throws DroverException
     */
    public function placementSuggest(array $query): array
    {
        return $this->record('GET', '/placement/suggest', $query, null);
    }

    /**
     * Customers. GET /users
     *
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<User>, meta: PageMeta}
     * @throws DroverException
     */
    public function users(array $query = []): array
    {
        return $this->page('GET', '/users', $query, null);
    }

    /**
     * Makes a customer; the generated password is told once. POST /users
     *
     * @param array{email: string, username: string, user_id?: string} $body
     * @return CreatedUser
     * @throws DroverException
     */
    public function createUser(array $body): array
    {
        return $this->record('POST', '/users', [], $body);
    }

    /**
     * Name and fingerprint of a user's SSH keys. GET /users/{id}/ssh-keys
     *
     * @param int $id Id of the user
     * @param array{page?: int, perPage?: int} $query
     * @return array{items: list<SshKey>, meta: PageMeta}
     * @throws DroverException
     */
    public function sshKeys(int $id, array $query = []): array
    {
        return $this->page('GET', '/users/' . rawurlencode((string) $id) . '/ssh-keys', $query, null);
    }

    /**
     * Gives a guest to a user. POST /users/{id}/guests
     *
     * @param int $id Id of the user
     * @param array{host_id: int, type: 'qemu'|'lxc', vmid: int} $body
     * @return Guest
     * @throws DroverException
     */
    public function assignGuest(int $id, array $body): array
    {
        return $this->record('POST', '/users/' . rawurlencode((string) $id) . '/guests', [], $body);
    }

    /**
     * Deletes a customer; their guests stay, without an owner. DELETE /users/{id}
     *
     * @param int $id Id of the user
     * @return array{deleted: bool}
     * @throws DroverException
     */
    public function deleteUser(int $id): array
    {
        return $this->record('DELETE', '/users/' . rawurlencode((string) $id), [], null);
    }

    private function record(string $method, string $path, array $query, ?array $body): array
    {
        $envelope = $this->call($method, $path, $query, $body);
        if (!is_array($envelope['data'] ?? null)) {
            throw new DroverException('The answer has no data', 502);
        }
        return $envelope['data'];
    }

    private function page(string $method, string $path, array $query, ?array $body): array
    {
        $envelope = $this->call($method, $path, $query, $body);
        if (!is_array($envelope['data'] ?? null) || !isset($envelope['meta'])) {
            throw new DroverException('The answer is no list', 502);
        }
        return ['items' => $envelope['data'], 'meta' => $envelope['meta']];
    }

    private function call(string $method, string $path, array $query, ?array $body): array
    {
        $retryAfter = null;
        $headers = ['Authorization: Bearer ' . $this->token, 'Accept: application/json'];
        $curl = curl_init($this->base . $path . '?' . http_build_query($query));
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode((object) $body, JSON_THROW_ON_ERROR));
        }
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeoutSeconds,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$retryAfter): int {
                if (stripos($line, 'retry-after:') === 0) {
                    $retryAfter = (int) trim(substr($line, 12));
                }
                return strlen($line);
            },
        ]);
        $text = curl_exec($curl);
        if (!is_string($text)) {
            throw new DroverException('The service was not reached: ' . curl_error($curl), 0);
        }
        return self::read($text, (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $retryAfter);
    }

    /** A proxy in between may answer something else than the service would. */
    private static function read(string $text, int $status, ?int $retryAfter): array
    {
        $envelope = json_decode($text, true);
        if (!is_array($envelope)) {
            throw new DroverException("The answer ($status) is no JSON", $status, $retryAfter);
        }
        if ($status < 200 || $status > 299) {
            throw new DroverException((string) ($envelope['error'] ?? "HTTP $status"), $status, $retryAfter);
        }
        return $envelope;
    }
}
