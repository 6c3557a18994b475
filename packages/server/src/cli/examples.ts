import type { OperationName } from '@mem-service/contract';

type Example = readonly [text: string, line: string];

/** More examples for a command, besides that of its operation. */
export const examples: Partial<Record<OperationName, readonly Example[]>> = {
  'entries.write': [
    [
      'a guess, from standard input',
      `echo '{"cause": "a full disk"}' | mem write ops/db outage --memory-type belief --confidence 0.4`,
    ],
    ['only if it has not changed since version 3', `mem write checkout/cart owner '"team-basket"' --if-version 3`],
    ['for this agent only, for a day', `mem write notes todo 'ask for access' --no-shared --ttl-seconds 86400`],
  ],
  'entries.read': [
    ['as it was on a day', 'mem read checkout/payments retry-policy --as-of 2026-11-01T00:00:00Z'],
    ['only the value, for a script', 'mem read checkout/payments retry-policy --json | jq .value'],
  ],
  'entries.list': [
    ['what was written last', 'mem list --sort recent --limit 10'],
    ['everything below a path, without the values', `mem list 'checkout/**' --fields meta --all`],
  ],
  'entries.history': [['the whole history as JSON', 'mem history checkout/payments retry-policy --all --json']],
  'entries.diff': [
    ['between two versions', 'mem diff-versions checkout/payments retry-policy --old-version 1 --new-version 3'],
  ],
  'entries.delete': [['only what has been read', 'mem delete checkout/payments retry-policy --if-version 4']],
  'entries.erase': [['what would go', `mem erase 'users/4711' --dry-run`]],
  'entries.aggregate': [['how many entries each agent wrote', `mem aggregate 'checkout/**' --group-by agent_id`]],
  'entries.verify': [['a part of the store', `mem verify 'checkout/**'`]],
  'entries.search': [
    ['a phrase, and words that begin alike', `mem search '"exponential backoff" retr*'`],
    ['without words: entries with low confidence', 'mem search --max-confidence 0.4 --sort-by confidence'],
  ],
  'briefing.read': [
    ['before work on a project', 'mem briefing checkout --compact'],
    ['what fits in a context', 'mem briefing checkout --max-tokens 2000'],
  ],
  'keys.create': [
    [
      'an address for webhooks, with the secret of its sender from standard input',
      `echo 'its signing secret' | mem create-key Slack --key-type webhook --connector slack --secret -`,
    ],
  ],
  'commits.create': [['from a file', 'mem commit writes.json --message "what the incident taught"']],
  'commits.list': [['the last three', 'mem commits --limit 3']],
  'sessions.record_context': [
    [
      'in the session of an agent',
      `mem context ticket 'Timeouts since 10:20' --agent agent/deploy-bot --session deploy-2231`,
    ],
  ],
  'sessions.record_action': [['one that failed', `mem action deploy --result-summary 'rolled back' --no-success`]],
  'sessions.explain': [
    ['the open session of an agent', 'mem explain --agent agent/deploy-bot --session deploy-2231'],
    ['what led to a result', 'mem explain --outcome-ref deploy-2231'],
  ],
  'outcomes.commit': [
    ['credits what the session has read', 'mem outcome deploy-2231 success --session deploy-2231'],
    ['only if nothing it rests on has changed', 'mem outcome deploy-2232 minor_failure --if-unchanged'],
  ],
  'outcomes.list': [['failures below a path', `mem outcomes --outcome-type failure --entity-path 'checkout/**'`]],
  'traces.list': [
    ['by words of the task', `mem traces --query 'retry policy' --limit 5`],
    ['those in which something went wrong on the way', 'mem traces --has-error'],
    ['what failed lately', 'mem traces --outcome-type failure --since 2026-11-01T00:00:00Z'],
  ],
  'traces.read': [['by the beginning of its id, as lists show it', 'mem trace 01kfx3e5gh']],
  'traces.search': [
    ['by words and an attribute', `mem search-traces 'retry policy' --attributes '{"team":"payments"}'`],
    ['the dearest of those with errors', 'mem search-traces --has-error --sort-by cost'],
  ],
  'traces.verify': [['one of them', 'mem traces.verify --trace-id 01kfx3e5gh4c7m9q2r5t8w1y3z']],
  'agents.timeline': [['only outcomes', 'mem timeline agent/deploy-bot --event-type outcome']],
  'agents.list': [['as JSON', 'mem agents --json']],
  'graph.neighbors': [['two steps far', 'mem graph checkout/payments --depth 2']],
  'log.list': [['what came after an event', 'mem log.list --after 120 --limit 50 --json']],
  'log.stream': [
    ['what happens from now on, everywhere', 'mem watch'],
    ['on every branch', 'mem watch --all-branches'],
    ['results as JSON lines, for another program', 'mem watch --types outcome --json'],
    ['one agent, from the beginning', 'mem watch --agent-id agent/deploy-bot --after 0'],
  ],
  'stats.read': [['as JSON', 'mem stats --json']],
  'entities.list': [['below a path', `mem entities 'checkout/**'`]],
  'entities.tree': [['the first level', 'mem tree']],
  'health.read': [['with the database', 'mem health --ready']],
};

/** Replaces descriptions that are written for HTTP callers. */
export const abouts: Partial<Record<OperationName, string>> = {
  'log.stream':
    'A line for each event as it is committed, in colours by type, until Ctrl-C. After a lost connection it comes back ' +
    'by itself and goes on where it was. mem log looks back instead.',
};
