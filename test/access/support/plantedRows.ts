// The rows of the planted database: each text starts with the mark of what it tells of; `plantsecret` is told to nobody.

export const PLANTED = `
  insert into user_account (email, username, external_id, role, password_hash, created_by) values
   ('plantadmin@x.example', 'plantadmin', 'plantadmin-ext', 'admin', 'plantsecret-ph', null),
   ('plantoperator@x.example', 'plantoperator', 'plantoperator-ext', 'operator', 'plantsecret-ph', null),
   ('plantreseller1@x.example', 'plantreseller1', 'plantreseller1-ext', 'reseller', 'plantsecret-ph', 1),
   ('plantreseller2@x.example', 'plantreseller2', 'plantreseller2-ext', 'reseller', 'plantsecret-ph', 1),
   ('plantcustomera@x.example', 'plantcustomera', 'plantcustomera-ext', 'customer', 'plantsecret-ph', 3),
   ('plantcustomerb@x.example', 'plantcustomerb', 'plantcustomerb-ext', 'customer', 'plantsecret-ph', 4),
   ('plantcustomerc@x.example', 'plantcustomerc', 'plantcustomerc-ext', 'customer', 'plantsecret-ph', 1);
  insert into ssh_key (user_id, name, public_key, fingerprint) select id, split_part(email, '@', 1)|| '-key',
      'ssh-ed25519 plantsecret-key' || id, 'SHA256:'||split_part(email, '@', 1)|| '-fp' from user_account;
  insert into host (name, hostname, user_name, token_id, secret_encrypted, tls_fingerprint, kind, cluster_name, version,
      last_sync_at, last_sync_error, maintenance, maintenance_since) values
   ('planthost1', 'planthost1.example', 'planthost1-user@pam', 'plantsecret-tokenid', 'plantsecret-sealed',
      'planthost1-AA:BB', 'cluster', 'planthost1-cl', '8.4.5', now(), null, false, null),
   ('planthost2', 'planthost2.example', 'planthost2-user@pam', 'plantsecret-tokenid', 'plantsecret-sealed',
      'planthost2-AA:CC', 'cluster', 'planthost2-cl', '9.2.1', now(), null, false, null),
   ('planthost3', 'planthost3.example', 'planthost3-user@pam', 'plantsecret-tokenid', 'plantsecret-sealed',
      'planthost3-AA:DD', 'standalone', null, '9.1.1', now() - interval '1 hour', 'planthost3 is unreachable', true, now());
  insert into node (host_id, name, status, version, started_at, cpu_cores, cpu_usage, cpu_average_30m, sampled_at, memory_mb,
      memory_used_mb) values
   (1, 'plantnode1a', 'online', '8.4.5', now()-interval '1 day', 16, 0.25, 0.4, now(), 16000, 14000),
   (1, 'plantnode1b', 'online', '8.4.5', now()-interval '1 day', 16, 0.35, 0.9, now(), 16000, 4000),
   (2, 'plantnode2', 'online', '9.2.1', now()-interval '1 day', 8, 0.5, 0.1, now(), 32000, 1000),
   (2, 'plantnode2b', 'offline', '9.2.1', now()-interval '1 day', 8, 0.5, 0.1, now(), 32000, 1000),
   (3, 'plantnode3', 'online', '9.1.1', now()-interval '1 day', 8, 0.5, 0.1, now(), 32000, 31000);
  insert into agent (node_id, token_hash, version, healthy, problems, nat_configured, public_address, last_seen_at) select id,
      'plantsecret-agent' || id, '1.0.0', true, array[name || '-problem'], true, '203.0.113.'||id, now() from node where id<5;
  insert into node_sample (node_id, at, cpu_usage, memory_used_mb) select id, now()-make_interval(mins=>n), 0.25,
      1000+id from node, generate_series(1, 3) n;
  insert into storage (node_id, name, type, content, shared, active, total_bytes, used_bytes, free_bytes) select id,
      name || '-st', 'dir', '{images,rootdir,vztmpl}', false, true, 10000000000000, 4000000000000, 6000000000000 from node;
  insert into network (node_id, name, type, active, cidr) select id, name || '-br', 'bridge', true,
      '10.9.'||id||'.1/24' from node;
  insert into node_file (node_id, storage, volid, content, size_bytes) select id, name || '-st',
      name || '-st:vztmpl/' || name || '-file.tar.zst', 'vztmpl', 1234 from node;
  insert into reseller_node (user_id, node_id) values (3, 1), (4, 2);
  insert into plan (name, cores, memory_mb, disk_gb, active) values ('plansmall', 1, 1024, 10, true), ('plantoldplan', 1, 512,
      5, false);
  insert into os_template (host_id, node_id, vmid, name, min_disk_bytes, active) values (1, 1, 9000, 'plantnode1a-tpl',
      8589934592, true), (1, 2, 9001, 'plantnode1b-tpl', 8589934592, true), (2, 3, 9000, 'plantnode2-tpl', 32212254720, true),
      (1, 1, 9002, 'plantnode1a-tplold', 0, false);
  insert into ct_template (name, volid) values ('library', 'local:vztmpl/library.tar.zst');
  insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, nameservers, total, next_candidate) values
   (1, 'plantzone1', '198.51.100.0/25', '198.51.100.10', '198.51.100.20', '198.51.100.1', 'vmbr0', '{198.51.100.2}', 11,
      '198.51.100.10'),
   (2, 'plantzone2', '192.0.2.0/25', '192.0.2.10', '192.0.2.20', '192.0.2.1', 'vmbr0', '{192.0.2.2}', 11, '192.0.2.10');
  insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes, cpu_usage, memory_used_mb,
      started_at, owner_id, plan_id, tags, ip_addresses, lock, template, safety_copy, safety_copy_delete_at, gone_at,
      storages, identity, created_at) values
   (1, 1, 'qemu', 101, 'plantguesta1', 'running', 2, 1024, 5368709120, 0.1, 500, now(), 5, 1, '{plantguesta1-tag}',
      '{10.77.1.1}', 'plantguesta1-lock', false, false, null, null, '{plantnode1a-st}', '{"uuid":"plantsecret-id"}',
      now()-interval '9 day'),
   (1, 2, 'qemu', 102, 'plantguestb1', 'running', 2, 1024, 5368709120, 0.2, 600, now(), 6, 1, '{plantguestb1-tag}',
      '{10.77.2.1}', 'plantguestb1-lock', false, false, null, null, '{plantnode1b-st}', '{"uuid":"plantsecret-id"}',
      now()-interval '8 day'),
   (1, 1, 'lxc', 103, 'plantguestn1', 'running', 2, 2048, 5368709120, 0.3, 700, now(), null, null, '{plantguestn1-tag}',
      '{10.77.3.1}', 'plantguestn1-lock', false, false, null, null, '{plantnode1a-st}', null, now()-interval '7 day'),
   (1, 1, 'qemu', 104, 'plantgone', 'stopped', 2, 1024, 5368709120, 0.1, 500, now(), 5, 1, '{plantgone-tag}', '{10.77.4.1}',
      'plantgone-lock', false, false, null, now(), '{}', null, now()-interval '6 day'),
   (2, 3, 'qemu', 101, 'plantguesta2', 'running', 2, 1024, 5368709120, 0.1, 500, now(), 5, 1, '{plantguesta2-tag}',
      '{10.77.5.1}', 'plantguesta2-lock', false, false, null, null, '{plantnode2-st}', null, now()-interval '5 day'),
   (2, 3, 'qemu', 102, 'plantguestb2', 'running', 2, 1024, 5368709120, 0.1, 500, now(), 6, 1, '{plantguestb2-tag}',
      '{10.77.6.1}', 'plantguestb2-lock', false, false, null, null, '{plantnode2-st}', null, now()-interval '4 day'),
   (2, 3, 'lxc', 103, 'plantguestn2', 'running', 2, 1024, 5368709120, 0.1, 500, now(), null, null, '{plantguestn2-tag}',
      '{10.77.7.1}', 'plantguestn2-lock', false, false, null, null, '{plantnode2-st}', null, now()-interval '3 day'),
   (2, 3, 'qemu', 105, 'plantcopy2', 'stopped', 2, 1024, 5368709120, 0.1, 500, now(), 5, 1, '{plantcopy2-tag}', '{10.77.8.1}',
      null, false, true, now()+interval '3 days', null, '{plantnode2-st}', null, now()-interval '2 day'),
   (1, 1, 'qemu', 9000, 'planttemplate1', 'stopped', 2, 1024, 5368709120, 0.1, 500, now(), null, null, '{planttemplate1-tag}',
      '{}', null, true, false, null, null, '{plantnode1a-st}', null, now()-interval '1 day'),
   (3, 5, 'qemu', 101, 'plantguestn3', 'running', 2, 1024, 5368709120, 0.1, 500, now(), 7, 1, '{plantguestn3-tag}',
      '{10.77.9.1}', 'plantguestn3-lock', false, false, null, null, '{plantnode3-st}', null, now()-interval '1 day');
  insert into ip_address (zone_id, address, guest_id) values (1, '198.51.100.10', 1), (1, '198.51.100.11', 2), (1,
      '198.51.100.12', 3), (2, '192.0.2.10', 5), (2, '192.0.2.11', 6), (2, '192.0.2.12', 7);
  update ip_zone set next_candidate = next_candidate + 3;
  insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address) values (1, 1, 'tcp', 20001,
      22, '10.77.1.1'), (2, 2, 'tcp', 20002, 22, '10.77.2.1'), (1, 3, 'tcp', 20003, 22, '10.77.3.1'), (3, 5, 'tcp', 20005, 22,
      '10.77.5.1'), (3, 6, 'tcp', 20006, 22, '10.77.6.1');
  insert into api_token (name, prefix, token_hash, allowed_ips, rate_limit, connection_scope, permissions, last_used_ip,
      made_by) values
   ('planttokenall', 'drv_planttokenall', 'plantsecret-th1', '203.0.113.200/29', null, '{}', '{hosts.manage}',
      '203.0.113.201', null),
   ('planttokenplain', 'drv_planttokenplain', 'plantsecret-th2', null, null, '{}', '{}', '203.0.113.202', null),
   ('planttokens1', 'drv_planttokens1', 'plantsecret-th3', null, null, '{1}', '{}', '203.0.113.203', 1),
   ('planttokens1m', 'drv_planttokens1m', 'plantsecret-th4', null, null, '{1}', '{hosts.manage}', '203.0.113.204', 1),
   ('planttokens2m', 'drv_planttokens2m', 'plantsecret-th5', null, null, '{2}', '{hosts.manage}', '203.0.113.205', 1),
   ('planttokens12', 'drv_planttokens12', 'plantsecret-th6', null, null, '{1,2}', '{hosts.manage}', '203.0.113.206', 1);
  insert into job (kind, status, error, host_id, node, vmid, guest_id, progress, step, upids, input, secrets_encrypted, facts,
      created_by_user, created_by_token, lease_until, lease_epoch, worker, finished_at) values
   ('guest_reinstall', 'running', null, 1, 'plantnode1a', 101, 1, 0.5, 'clone', '{UPID:plantnode1a:plantguesta1:}',
      '{"x":"plantsecret-in"}', 'plantsecret-se',
      '{"failure":"plantguesta1 failure","undoing":"plantguesta1 undoing","waiting":{"hostId":1,"reason":"plantguesta1 waits","since":"2026-01-01T00:00:00Z","triesAgainAt":"2026-01-01T00:00:00Z","epoch":0}}', 5, null, now()+interval '1 hour', 0, 'plantsecret-w', null),
   ('guest_reinstall', 'running', null, 1, 'plantnode1b', 102, 2, 0.5, 'clone', '{UPID:plantnode1b:plantguestb1:}',
      '{"x":"plantsecret-in"}', 'plantsecret-se',
      '{"failure":"plantguestb1 failure","undoing":"plantguestb1 undoing","waiting":{"hostId":1,"reason":"plantguestb1 waits","since":"2026-01-01T00:00:00Z","triesAgainAt":"2026-01-01T00:00:00Z","epoch":0}}', 6, null, now()+interval '1 hour', 0, 'plantsecret-w', null),
   ('guest_create', 'failed', 'plantguestn1 failed because', 1, 'plantnode1a', 103, 3, 0.5, 'clone',
      '{UPID:plantnode1a:plantguestn1:}', '{"x":"plantsecret-in"}', null, '{}', 1, null, null, 0, null, now()),
   ('guest_create', 'failed', 'plantguesta2 failed because', 2, 'plantnode2', 101, 5, 0.5, 'clone',
      '{UPID:plantnode2:plantguesta2:}', '{"x":"plantsecret-in"}', null, '{}', 3, null, null, 0, null, now()),
   ('guest_create', 'failed', 'plantguestb2 failed because', 2, 'plantnode2', 102, 6, 0.5, 'clone',
      '{UPID:plantnode2:plantguestb2:}', '{"x":"plantsecret-in"}', null, '{}', 4, null, null, 0, null, now()),
   ('guest_delete', 'failed', 'plantguestn2 failed because', 2, 'plantnode2', 103, 7, 0.5, 'clone',
      '{UPID:plantnode2:plantguestn2:}', '{"x":"plantsecret-in"}', null, '{}', null, 5, null, 0, null, now()),
   ('guest_delete', 'failed', 'plantguestn3 failed because', 3, 'plantnode3', 101, 10, 0.5, 'clone',
      '{UPID:plantnode3:plantguestn3:}', '{"x":"plantsecret-in"}', null, '{}', 2, null, null, 0, null, now()),
   ('migration', 'failed', 'plantmove12 node plantnode2 refused plantguesta1', 1, 'plantnode1a', 101, 1, 0.5, 'transfer',
      '{UPID:plantmove12:}', '{"x":"plantsecret-in"}', null, '{}', 1, null, null, 0, null, now()),
   ('migration', 'running', null, 1, 'plantnode1b', 102, 2, 0.5, 'transfer', '{UPID:plantmove12b:}', '{"x":"plantsecret-in"}',
      'plantsecret-se', '{"failure":"plantmove12b failure at plantnode2","undoing":"plantmove12b undoing","waiting":{"hostId":2,"reason":"plantmove12b planthost2 waits","since":"2026-01-01T00:00:00Z","triesAgainAt":"2026-01-01T00:00:00Z","epoch":0}}', 1, null, now()+interval '1 hour', 0, 'plantsecret-w', null),
   ('evacuation', 'running', null, 1, null, null, null, 0.5, 'move', '{}', '{"x":"plantsecret-in"}', null, '{}', 1, null,
      now()+interval '1 hour', 0, null, null),
   ('evacuation', 'done', null, 2, null, null, null, 1, 'move', '{}', '{"x":"plantsecret-in"}', null, '{}', 1, null, null, 0,
      null, now()),
   ('balance_run', 'running', null, null, null, null, null, 0.5, 'move', '{}', '{"x":"plantsecret-in"}', null, '{}', 1, null,
      now()+interval '1 hour', 0, null, null),
   ('migration', 'failed', 'plantmove23 to plantnode3 refused', 2, 'plantnode2', 103, 7, 0.5, 'transfer',
      '{UPID:plantmove23:}', '{}', null, '{}', 1, null, null, 0, null, now()),
   ('guest_create', 'queued', null, 1, 'plantnode1a', 110, null, 0, null, '{}', '{"x":"plantsecret-in"}', 'plantsecret-se',
      '{}', null, 3, null, 0, null, null);
  insert into job_step (job_id, name, position, status, error, finished_at) values (1, 'clone', 1, 'failed',
      'plantguesta1 step', now()), (2, 'clone', 1, 'failed', 'plantguestb1 step', now()), (8, 'ip_plan', 1, 'warned',
      'plantmove12 warn plantnode2', now()), (9, 'transfer', 1, 'failed', 'plantmove12b step plantnode2', now());
  insert into vmid_reservation (host_id, vmid, job_id) values (1, 110, 14);
  insert into resource_lock (key, job_id) values ('guest:1:101', 1), ('guest:1:102', 9);
  insert into run (kind, job_id, host_id, node, target_host_id, target_node, host_scope, started_at, finished_at) values
   ('evacuation', 10, 1, 'plantnode1a', 2, 'plantnode2', null, now(), null),
   ('evacuation', 11, 2, 'plantnode2', 3, 'plantnode3', null, now(), now()),
   ('balance_run', 12, null, null, null, null, null, now(), null),
   ('evacuation', null, 1, null, null, null, '{1}', now(), now());
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node,
      target_host_id, target_node, mode, status, error, bytes_total, bytes_copied, log, safety_copy_guest_id, evacuation_id,
      balance_run_id, started_at, finished_at, foreseen) values
   (8, 1, 'plantguesta1', 'qemu', 101, 201, 1, 'plantnode1a', 2, 'plantnode2', 'live', 'failed',
      'plantmove12 node plantnode2 refused', 1000, 500, '{plantmove12 log plantnode2}', null, 1, null, now(), now(),
      '{plantmove12 foreseen plantnode2}'),
   (9, 2, 'plantguestb1', 'qemu', 102, 202, 1, 'plantnode1b', 2, 'plantnode2', 'live', 'running', null, 1000, 500,
      '{plantmove12b log plantnode2}', null, null, 3, now(), null, '{plantmove12b foreseen plantnode2}'),
   (13, 7, 'plantguestn2', 'lxc', 103, 203, 2, 'plantnode2', 3, 'plantnode3', 'live', 'failed', 'plantmove23 refused', 1000,
      500, '{plantmove23 log}', 8, 2, null, now(), now(), '{plantmove23 foreseen}');
  insert into run_item (run_id, position, guest_id, guest_name, vmid, from_host_id, from_node, to_host_id, to_node, status,
      reason, migration_id, finished_at) values
   (1, 1, 1, 'plantguesta1', 101, 1, 'plantnode1a', 2, 'plantnode2', 'failed', 'plantmove12 node plantnode2 refused', 1, now()),
   (1, 2, 3, 'plantguestn1', 103, 1, 'plantnode1a', 2, 'plantnode2', 'waiting', null, null, null),
   (2, 1, 7, 'plantguestn2', 103, 2, 'plantnode2', 3, 'plantnode3', 'failed', 'plantmove23 refused', 3, now()),
   (3, 1, 2, 'plantguestb1', 102, 1, 'plantnode1b', 2, 'plantnode2', 'running', null, 2, null),
   (4, 1, 3, 'plantguestn1', 103, 1, 'plantnode1a', null, null, 'skipped', 'no node has room plantguestn1', null, now());
  insert into request_log (at, token_id, token_name, source_ip, method, path, status, duration_ms) values
   (now(), 1, 'planttokenall', '203.0.113.201', 'GET', '/api/v1/plantcallall', 200, 1),
   (now(), 2, 'planttokenplain', '203.0.113.202', 'GET', '/api/v1/plantcallplain', 200, 1),
   (now(), 3, 'planttokens1', '203.0.113.203', 'GET', '/api/v1/plantcalls1', 200, 1),
   (now(), 4, 'planttokens1m', '203.0.113.204', 'GET', '/api/v1/plantcalls1m', 200, 1),
   (now(), 5, 'planttokens2m', '203.0.113.205', 'GET', '/api/v1/plantcalls2m', 403, 1),
   (now(), null, null, '203.0.113.207', 'GET', '/api/v1/plantcallnone', 401, 1);
  insert into agent_job (node_id, job_id, kind, payload, deadline) values (1, 1, 'unlock_guest', '{"x":"plantsecret-aj1"}',
      now()+interval '1 hour'), (3, 4, 'unlock_guest', '{"x":"plantsecret-aj2"}', now()+interval '1 hour');
  insert into temporary_token (host_id, job_id, user_name, token_name, secret_encrypted, expires_at) values (2, 9,
      'plantsecret-tt', 'plantsecret-tt', 'plantsecret-tt', now());
  insert into worker (name, queues) values ('plantsecret-worker', '{jobs,migrations}');`;
