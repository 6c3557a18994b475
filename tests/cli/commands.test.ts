import { type Operation, type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Run, type ServingProcess, serve } from './support.ts';

const KEY = 'a-key-for-the-tests';
const definition = (name: OperationName): Operation => operations[name];
const wordOf = (operation: Operation, name: string) => operation.cli?.alias ?? name;
const words = operationNames.map((name) => ({ name, word: wordOf(operations[name], name) }));
/** A stream does not end by itself; what is done over all accounts needs a key of its own. */
const ending = words.filter(({ name }) => !operations[name].stream && operations[name].effect !== 'control');

/** What each command's help gives as its example. */
const exampleIn = (help: string) => /Examples:\n {2}(.*)/.exec(help)?.[1] ?? '';

describe('every operation of the table', () => {
  let local: Desk;
  let remote: Desk;
  let server: ServingProcess;
  const helps = new Map<string, Run>();
  const runs = { local: new Map<string, Run>(), remote: new Map<string, Run>() };

  /** The words of each example, as a shell gives them to the program. */
  async function wordsOfExamples(desk: Desk, examples: readonly string[]): Promise<string[][]> {
    const { code, out } = await desk.bash(`mem() { printf '%s\\0' "$@"; printf '\\1'; }; ${examples.join('\n')}`);
    expect(code).toBe(0);
    return out.split('\u0001').map((words) => words.split('\0').slice(0, -1));
  }

  /** In the order of the table, so that what one command writes another one finds. */
  async function walk(desk: Desk, into: Map<string, Run>, how: readonly string[]): Promise<void> {
    const examples = ending.map(({ name }) => exampleIn(helps.get(name)?.out ?? ''));
    const given = await wordsOfExamples(desk, examples);
    for (const [i, { name }] of ending.entries()) {
      const line = examples[i] as string;
      // Where something is piped into the program, it is one.
      const run = line.startsWith('mem ')
        ? desk.inProcess([...(given[i] ?? []), ...how])
        : desk.bash([line, ...how].join(' '));
      into.set(name, await run);
    }
  }

  beforeAll(async () => {
    local = await openDesk();
    server = await serve({ ...local.env, MEM_DATA_DIR: `${local.folder}/served`, MEM_API_KEYS: KEY });
    remote = await openDesk({ MEM_HTTP_URL: server.url, MEM_API_KEY: KEY });
    for (const { name, word } of words) helps.set(name, await local.inProcess([word, '--help']));
    await walk(local, runs.local, []);
    await walk(remote, runs.remote, ['--json']);
  }, 240_000);
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    local.remove();
    remote.remove();
  });

  it.each(words)('$word has help with all its flags', ({ name, word }) => {
    const { code, out, err } = helps.get(name) as Run;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: mem ${word}`);
    expect(out).toContain(operations[name].summary);
    for (const field of Object.keys((operations[name].input as never as { shape: object }).shape))
      expect(out).toMatch(new RegExp(`\\b${field}\\b|--(\\[no-\\])?${field.replaceAll('_', '-')}\\b`));
  });

  // The examples of these name what is not there.
  const absent = [
    ...['keys.revoke', 'keys.rotate', 'commits.read', 'traces.read', 'agents.recall', 'agents.read_from'],
    ...['golden.delete', 'consolidation.decide', 'dead_letters.replay', 'connectors.read', 'webhooks.receive'],
    ...['access.grant', 'access.revoke', 'merges.read', 'merges.abort'],
    ...['conflicts.list', 'conflicts.read', 'conflicts.resolve'],
    ...['quarantine.trace', 'quarantine.create', 'quarantine.read', 'quarantine.undo'],
    ...['traces.list_spans', 'traces.read_span', 'traces.compare'],
    ...['judges.dry_run', 'verdicts.judge', 'verdicts.list', 'verdicts.read', 'verdicts.overrule'],
    ...['backfills.read', 'backfills.cancel', 'case_runs.read'],
    ...['incidents.read', 'incidents.acknowledge', 'incidents.resolve', 'incidents.mute'],
    ...['alerts.acknowledge', 'behaviors.create_from_trace'],
    ...['detected_patterns.read', 'detected_patterns.resolve', 'pattern_scans.read', 'pattern_scans.cancel'],
    ...['negotiations.create', 'negotiations.list', 'negotiations.read', 'negotiations.propose', 'negotiations.cancel'],
    ...['room_documents.add', 'room_documents.list', 'room_documents.read', 'room_documents.read_text'],
    'room_documents.delete',
    ...['rooms.read', 'rooms.join', 'rooms.leave', 'rooms.update', 'rooms.members', 'rooms.remove_account'],
    ...['rooms.updates', 'rooms.discuss', 'rooms.discussions', 'rooms.invite', 'rooms.list_invitations'],
    ...['rooms.withdraw_invitation', 'rooms.close', 'rooms.stream'],
    ...['room_invitations.accept', 'room_invitations.decline', 'room_invitations.redeem'],
    ...['room_directory.read', 'room_directory.request_access', 'rooms.list_access_requests', 'rooms.approve_access'],
    ...['rooms.decline_access', 'rooms.grant_access', 'rooms.add_topic', 'rooms.topics', 'rooms.remove_topic'],
    ...['fixes.read', 'fixes.read_handover', 'fixes.read_prevention', 'fixes.approve', 'fixes.dismiss'],
    ...['teams.update', 'teams.delete', 'members.list', 'members.add', 'members.update', 'members.remove'],
    ...['members.reinstate', 'pull_requests.read', 'pull_requests.update', 'pull_requests.review'],
    ...['pull_requests.check', 'pull_requests.close', 'pull_requests.reopen', 'pull_requests.merge'],
  ];
  // An export can only be imported into an empty account.
  const full = ['transfer.finish'];
  const codeOf = (name: string) => (absent.includes(name) ? 3 : full.includes(name) ? 5 : 0);

  it.each(ending)('$word does its example on the local store, for people', ({ name }) => {
    const { code, out, err } = runs.local.get(name) as Run;
    expect({ code, err }).toEqual({ code: codeOf(name), err: code === 0 ? expect.not.stringMatching(/^mem:/) : err });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour where nobody looks
    expect(out).not.toMatch(/\u001b/);
    expect(out).not.toMatch(/undefined|\[object|NaN/);
  });

  it.each(ending)('$word does its example on a server, as JSON', ({ name }) => {
    const { code, out, err } = runs.remote.get(name) as Run;
    expect(code).toBe(codeOf(name));
    const answers = definition(name).lines ? out.trimEnd().split('\n') : [out];
    if (code === 0)
      for (const answer of answers) expect(definition(name).output.safeParse(JSON.parse(answer)).error).toBeUndefined();
    else expect(JSON.parse(err)).toMatchObject({ code: code === 3 ? expect.stringMatching(/not_found$/) : 'conflict' });
  });

  it('the full name is the same command', async () => {
    const short = await local.mem(['stats', '--json']);
    const { code, out } = await local.mem(['stats.read', '--json']);
    expect({ code, out }).toEqual({ code: 0, out: short.out });
  });

  it('the help of all commands lists them, and the exit codes', async () => {
    const { code, out } = await local.mem(['help', '--all']);
    expect(code).toBe(0);
    for (const { word } of words.filter(({ name }) => !operations[name].cli?.hidden))
      expect(out).toMatch(new RegExp(`^ {2}${word.replace('.', '\\.')} `, 'm'));
    for (const n of [0, 1, 2, 3, 4, 5, 6]) expect(out).toMatch(new RegExp(`^ {2}${n} {2}\\w`, 'm'));
    expect((await local.mem(['help', 'write'])).out).toBe(helps.get('entries.write')?.out);
    expect((await local.mem(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('the help of all commands has a title for every group', async () => {
    const { out } = await local.mem(['help', '--all']);
    const titles = [...out.matchAll(/^([A-Z]\w+): .*:$/gm)].map(([, title]) => title);
    expect(titles).toEqual([
      'Entries',
      'Sessions',
      'Outcomes',
      'Traces',
      'Digests',
      'Consolidation',
      'Agents',
      'Graph',
      'Branches',
      'Tags',
      'Rollback',
      'Quarantine',
      'Evaluation',
      'Rooms',
      'Overview',
    ]);
    expect(out).toMatch(/Outcomes: .*\n {2}outcome .*\n {2}outcomes .*\n {2}stale-reads .*\n {2}confidence /);
  });

  it('help shows required and optional arguments, and only useful defaults', () => {
    const help = helps.get('outcomes.commit')?.out ?? '';
    expect(help).toContain('Usage: mem outcome <outcome_ref> <outcome_type> [flags]\n');
    expect(help).toMatch(/^ {2}outcome_type {2}One of success, minor_failure, /m);
    for (const { out } of helps.values()) expect(out).not.toMatch(/\[object|Default: \.|Default: null/);
  });

  it('help lists each flag once', () => {
    for (const [name, { out }] of helps) {
      const flags = [...out.matchAll(/^ {2}(--\S+)/gm)].map(([, flag]) => flag);
      expect(new Set(flags).size, name).toBe(flags.length);
    }
  });

  it('no flag of an operation hides a common flag', () => {
    for (const name of operationNames) {
      const fields = Object.keys((operations[name].input as never as { shape: object }).shape);
      const hidden = fields.filter((field) => ['json', 'all', 'agent', 'session', 'help'].includes(field));
      // A briefing is for the agent that asks, unless another is named: --agent means the same for both.
      expect(hidden).toEqual(name === 'briefing.read' ? ['agent'] : []);
    }
  });
});
