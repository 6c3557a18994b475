/** Of what is counted already. The ledger has the type of an outcome even where an erasure took it from the log. */
export const countEarlierFailures = `UPDATE event_counts SET failures = past.n
    FROM (SELECT account_id, branch, unit, agent_id, visible_to, at, count(*) AS n
      FROM (SELECT outcomes.account_id, outcomes.branch, outcomes.visible_to, units.unit,
          CASE WHEN counted.by_agent = 1 THEN outcomes.agent_id ELSE '' END AS agent_id,
          outcomes.committed_at / units.ms * units.ms AS at
        FROM outcomes
        JOIN consumer_cursors ON consumer_cursors.account_id = outcomes.account_id
          AND consumer_cursors.consumer = 'series.count_events' AND outcomes.seq <= consumer_cursors.seq
        CROSS JOIN (SELECT 'minute' AS unit, 60000 AS ms UNION ALL SELECT 'hour', 3600000
          UNION ALL SELECT 'day', 86400000) AS units
        CROSS JOIN (SELECT 0 AS by_agent UNION ALL SELECT 1) AS counted
        WHERE outcomes.outcome_type NOT IN ('success', 'clean_deploy')) AS failed
      GROUP BY account_id, branch, unit, agent_id, visible_to, at) AS past
    WHERE event_counts.event_type = 'outcome' AND event_counts.account_id = past.account_id
      AND event_counts.branch = past.branch AND event_counts.unit = past.unit
      AND event_counts.agent_id = past.agent_id AND event_counts.visible_to = past.visible_to
      AND event_counts.at = past.at`;
