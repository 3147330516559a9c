<?php

// Places, creates, powers, reinstalls and terminates virtual machines over Drover's REST v1, as a billing system does.
// For PHP 7.4 and newer with the extensions curl and json. `create` and `terminate` look first at what is there: after a failure
// they may be repeated. Before `power` and `reinstall` are repeated, look at the guest.
//
//   export DROVER_URL=https://panel.example.com DROVER_TOKEN=drv_…
//   php billing.php place 2048 2 20      # MiB, cores, GiB; prints host, node and VMID: keep them with the order
//   GUEST_PASSWORD=… php billing.php create 1 ams1 500 web1.example.com 2048 2 20 tpl:1
//   php billing.php power 1 500 reboot
//   GUEST_PASSWORD=… php billing.php reinstall 1 500 tpl:1
//   php billing.php terminate 1 500 web1.example.com

declare(strict_types=1);

/** A refusal: the code is the HTTP status, 0 where there was no answer. */
final class Refused extends RuntimeException
{
}

final class Billing
{
    /** Seconds. An answer that only reads is waited for while the service is away, longer than any restart. */
    private const PATIENCE = 600;
    private const REQUEST = 60;
    private const POLL = 3;
    private const LONGEST_JOB = 3600;

    private string $base;
    private string $token;

    public function __construct(string $url, string $token)
    {
        $this->base = "$url/api/v1";
        $this->token = $token;
    }

    /** Where a guest of this size would fit best now. */
    public function place(string $memory, string $cores, string $disk): array
    {
        $found = $this->call('GET', "/placement/suggest?type=qemu&memory_mb=$memory&cores=$cores&disk_gb=$disk");
        if ($found['best'] === null) {
            throw new RuntimeException('No node has room');
        }
        ['host_id' => $host, 'node' => $node] = $found['best'];
        $next = $this->call('GET', "/hosts/$host/next-vmid");
        return ['host_id' => $host, 'node' => $node, 'vmid' => $next['vmid']];
    }

    /** Creates the guest unless it is there. The VMID, chosen before, keeps a repeated request from making a second one. */
    public function create(
        string $host,
        string $node,
        string $vmid,
        string $name,
        string $memory,
        string $cores,
        string $disk,
        string $template
    ): void {
        if ($this->isThere($host, $vmid, $name)) {
            return;
        }
        $queued = $this->call('POST', "/hosts/$host/guests", [
            'type' => 'qemu',
            'node' => $node,
            'vmid' => $vmid,
            'name' => $name,
            'memory_mb' => $memory,
            'cores' => $cores,
            'disk_gb' => $disk,
            'os_template' => $template,
            'password' => getenv('GUEST_PASSWORD'),
        ]);
        $this->jobDone($host, $queued['job_id']);
    }

    /** Sends a power action and waits for the platform's task. */
    public function power(string $host, string $vmid, string $action): void
    {
        $guest = $this->call('GET', "/hosts/$host/guests/qemu/$vmid");
        $node = $guest['node'];
        $sent = $this->call('POST', "/hosts/$host/guests/qemu/$vmid/power", ['node' => $node, 'action' => $action]);
        $upid = rawurlencode($sent['upid']);
        for ($deadline = time() + self::LONGEST_JOB; time() < $deadline; sleep(self::POLL)) {
            $task = $this->call('GET', "/hosts/$host/tasks/$node/$upid");
            if ($task['status'] === 'stopped' && $task['exit_status'] === 'OK') {
                return;
            }
            if ($task['status'] === 'stopped') {
                throw new RuntimeException($task['exit_status'] ?? 'The task failed');
            }
        }
        throw new RuntimeException("Task $upid has not ended");
    }

    /** Installs a guest again. While its job runs, another one is refused with 409. */
    public function reinstall(string $host, string $vmid, string $template): void
    {
        $sent = ['os_template' => $template, 'password' => getenv('GUEST_PASSWORD')];
        $queued = $this->call('POST', "/hosts/$host/guests/qemu/$vmid/reinstall", $sent);
        $this->jobDone($host, $queued['job_id']);
    }

    /** Deletes the guest if it is there. A VMID may be used again: the name shows that it is still the same guest. */
    public function terminate(string $host, string $vmid, string $name): void
    {
        if (!$this->isThere($host, $vmid, $name)) {
            return;
        }
        $queued = $this->call('DELETE', "/hosts/$host/guests/qemu/$vmid");
        $this->jobDone($host, $queued['job_id']);
    }

    private function isThere(string $host, string $vmid, string $name): bool
    {
        try {
            $guest = $this->call('GET', "/hosts/$host/guests/qemu/$vmid");
        } catch (Refused $refusal) {
            if ($refusal->getCode() === 404) {
                return false;
            }
            throw $refusal;
        }
        if ($guest['name'] !== $name) {
            throw new RuntimeException("VMID $vmid is {$guest['name']}");
        }
        return true;
    }

    private function jobDone(string $host, int $job): void
    {
        for ($deadline = time() + self::LONGEST_JOB; time() < $deadline; sleep(self::POLL)) {
            $found = $this->call('GET', "/hosts/$host/jobs/$job");
            if ($found['status'] === 'done') {
                return;
            }
            if ($found['status'] === 'failed') {
                throw new RuntimeException($found['error'] ?? "Job $job failed");
            }
        }
        throw new RuntimeException("Job $job has not ended");
    }

    /** Waits as Retry-After says where nothing was done (429), and while the service is away if nothing is changed. */
    private function call(string $method, string $path, ?array $body = null): array
    {
        $deadline = time() + self::PATIENCE;
        while (true) {
            [$status, $text, $wait] = $this->send($method, $path, $body);
            $envelope = json_decode($text, true);
            if ($status >= 200 && $status <= 299 && isset($envelope['data'])) {
                return $envelope['data'];
            }
            $isRepeatable = $status === 429 || ($method === 'GET' && in_array($status, [0, 502, 503, 504], true));
            if (!$isRepeatable || time() + $wait > $deadline) {
                throw new Refused("$status " . ($envelope['error'] ?? $text), $status);
            }
            sleep($wait);
        }
    }

    /** @return array{int, string, int} status (0: no answer), body or reason, seconds to wait before it is repeated */
    private function send(string $method, string $path, ?array $body): array
    {
        $wait = self::POLL;
        $curl = curl_init($this->base . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => ["Authorization: Bearer $this->token", 'Content-Type: application/json'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => self::REQUEST,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$wait): int {
                if (stripos($line, 'retry-after:') === 0) {
                    $wait = max(1, (int) substr($line, 12));
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
        }
        $text = curl_exec($curl);
        if (!is_string($text)) {
            return [0, curl_error($curl), $wait];
        }
        return [(int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $text, $wait];
    }
}

if (realpath($argv[0] ?? '') === __FILE__) {
    $command = $argv[1] ?? '';
    try {
        if (!in_array($command, ['place', 'create', 'power', 'reinstall', 'terminate'], true)) {
            throw new RuntimeException('Commands: place, create, power, reinstall, terminate');
        }
        $billing = new Billing((string) getenv('DROVER_URL'), (string) getenv('DROVER_TOKEN'));
        $result = $billing->$command(...array_slice($argv, 2));
        echo $result === null ? '' : json_encode($result) . "\n";
    } catch (RuntimeException $failure) {
        fwrite(STDERR, $failure->getMessage() . "\n");
        exit(1);
    }
}
