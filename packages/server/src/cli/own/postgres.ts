import { type PartitionPlan, refuseObstacles } from '../../partition-plan.ts';
import { isAgreed } from '../ask.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { bytes, counted } from '../render/index.ts';
import { ownCommand } from './command.ts';

export const postgres = ownCommand({
  word: 'postgres',
  summary: 'Divide a store in PostgreSQL into partitions',
  about: `mem postgres partition puts the rows of every table into hash partitions by account, so that tables and indexes
stay small where there are many accounts. Stop all servers first: it is refused while one is connected, and a
server that is started meanwhile waits. Each table is copied in a transaction of its own and its rows are
counted; an interrupted command goes on when it is run again. Views, triggers, comments and other things on the
tables that mem did not make are listed and refused before anything is changed. It needs free space for the
largest table with its indexes. After an update that adds tables, run it again.`,
  args: [field('verb', 'What to do.', { kind: 'choice', choices: ['partition'] })],
  flags: [
    field('partitions', 'How many. Default: 8, or as many as the store has.', { kind: 'number' }),
    toggle('dry-run', 'Only say what would be done, and what is in the way.'),
    toggle('yes', 'Do not ask.'),
    toggle('json', 'Print the report as JSON.'),
  ],
  examples: [
    ['mem postgres partition --dry-run', 'what would be done, with the size of each table'],
    ['mem postgres partition --partitions 16 --yes', 'do it, without confirmation'],
  ],
  async run(given, parts) {
    if (given.get('verb')?.[0] !== 'partition') throw new UsageError('say what to do: mem postgres partition');
    const { terminal } = parts;
    const config = readClientConfig(parts);
    const options = { partitions: partitionsIn(given) };
    const json = isOn(given, 'json');
    const plan = await parts.planPartitions(config, options);
    const isReported = isOn(given, 'dry-run') || plan.pending.length === 0;
    if (isReported) terminal.out(json ? `${JSON.stringify(plan)}\n` : planText(plan));
    refuseObstacles(plan.obstacles);
    if (isReported) return 0;
    const without = 'this rewrites the tables of the store: add --yes to do it, or --dry-run to see what would be done';
    if (!isOn(given, 'yes')) {
      if (terminal.stdin.isTTY) terminal.err(planText(plan));
      if (!(await isAgreed(terminal, 'Have all servers been stopped, and is there a backup?', without))) return 0;
    }
    const report = await parts.partitionStore(config, options, (table, rows) => {
      if (rows !== undefined && !json) terminal.out(`${table}: ${counted(rows, 'row')}\n`);
    });
    terminal.out(json ? `${JSON.stringify(report)}\n` : doneText(report));
    return 0;
  },
});

function partitionsIn(given: ParsedFlags): number | undefined {
  const [text] = given.get('partitions') ?? [];
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--partitions is a number, not ${JSON.stringify(text)}`);
  return Number(text);
}

const wholeText = ({ whole }: PartitionPlan): string =>
  whole
    .map(({ table, blocking }) => `${table} stays in one piece: ${blocking.join(', ')} is unique over all accounts\n`)
    .join('');

function planText(plan: PartitionPlan): string {
  const { partitions, pending, done } = plan;
  const already = done.length > 0 ? `${counted(done.length, 'table')} in ${partitions} partitions already\n` : '';
  const lines = pending.map((one) => `${one.table}: ${bytes(one.bytes)}, into ${partitions} partitions by account\n`);
  return `${already}${lines.join('')}${wholeText(plan)}`;
}

const doneText = (plan: PartitionPlan): string =>
  `${counted(plan.pending.length, 'table')} divided into ${plan.partitions} partitions by account, each with as many rows as before\n${wholeText(plan)}`;
