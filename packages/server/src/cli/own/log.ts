import { eventNames, eventTypeOf } from '@mem-service/contract';
import { connect } from '../connect.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { eventLines } from '../render/index.ts';
import { warn } from '../terminal.ts';
import { identityFlags, identityOf, ownCommand, wholeNumber } from './command.ts';

export const log = ownCommand({
  word: 'log',
  summary: 'Look back at what happened, newest first',
  about: `Every change is an event with a number: writes, deletes, commits, outcomes, sealed traces. mem watch shows them
as they happen, mem log.list reads them in the order they came.`,
  args: [field('entity_path', 'Only events at this path (a/b), below it (a/**) or one level below it (a/*).')],
  flags: [
    field('limit', 'How many events.', { kind: 'number', fallback: 20 }),
    field('types', 'Only events of these types.', { kind: 'list', choices: eventNames }),
    field('agent-id', 'Only what this agent did.'),
    field('branch', 'Only events of this branch, and those of its parents up to the fork.'),
    field('before', 'Only events with a smaller number.', { kind: 'number' }),
    toggle('oneline', 'A line for each event, as it is without.'),
    toggle('json', 'Print a line of JSON for each event.'),
    ...identityFlags,
  ],
  examples: [
    ['mem log', 'the last 20 events'],
    ["mem log 'checkout/**' --limit 50", 'what happened below a path'],
    ['mem log --types outcome,delete', 'results and losses'],
    ['mem log --branch experiment/retries', 'what happened on a branch'],
    ['mem log --agent-id agent/deploy-bot --json', 'what one agent did, for another program'],
  ],
  async run(given, parts) {
    const { terminal } = parts;
    const wanted = readEventQuery(given);
    const config = readClientConfig(parts);
    for (const warning of config.warnings) warn(terminal, warning);
    const connection = await connect(parts, config, { ...identityOf(given), creates: false });
    try {
      const { listRecentEvents } = await import('../recent-events.ts');
      const events = await listRecentEvents(connection, wanted);
      if (isOn(given, 'json')) for (const event of events) terminal.out(`${JSON.stringify(event)}\n`);
      else if (events.length === 0) terminal.err('no events\n');
      else terminal.out(eventLines(events, terminal.screen));
      return 0;
    } finally {
      await connection.close();
    }
  },
});

function readEventQuery(given: ParsedFlags) {
  const types = given.get('types')?.flatMap((text) => text.split(',').map((name) => name.trim()));
  const wrong = types?.find((name) => !eventNames.includes(name));
  if (wrong !== undefined)
    throw new UsageError(`--types: there is no ${JSON.stringify(wrong)}: give ${eventNames.join(', ')}`);
  return {
    entity_path: given.get('entity_path')?.[0],
    agent_id: given.get('agent-id')?.[0],
    types: types?.map(eventTypeOf),
    branch: given.get('branch')?.[0],
    limit: wholeNumber(given, 'limit') ?? 20,
    before: wholeNumber(given, 'before'),
  };
}
