// Says on which nodes a registered template can be cloned.

/**
 * SQL that holds for a node `n` of the host of a template `t`: the template's own node, or one that has all of its storages as
 * shared ones. The platform clones to another node only what lies on shared storage altogether.
 */
export const CAN_CLONE = `
  (n.id = t.node_id or exists (
    select 1 from guest tg where tg.host_id = t.host_id and tg.vmid = t.vmid and tg.gone_at is null
      and cardinality(tg.storages) > 0 and not exists (
        select 1 from unnest(tg.storages) as needed (name) where not exists (
          select 1 from storage s where s.node_id = n.id and s.name = needed.name and s.shared and s.active))))`;
