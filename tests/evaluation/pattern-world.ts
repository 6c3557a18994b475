// @ts-expect-error: the bench is plain JavaScript
import { chancesOf } from '../../bench/simulator/chance.mjs';
import type { TestApp } from '../support/app.ts';

/** What happens on a day. */
export type PatternStep = { day: number; do: (app: TestApp) => Promise<unknown> };
/** What a scan at the end has to find: the type, and the path, agent or branch. */
type Expected = readonly [pattern_type: string, subject: string];
export type PlantedPattern = { steps: PatternStep[]; expected: Expected[] };
type Chances = { next(): number; below(n: number): number; of<T>(list: readonly T[]): T };
type Planter = (name: string, chances: Chances) => PlantedPattern;

export const LAST_DAY = 60;
const DAY_MS = 86_400_000;

const plant = (steps: PatternStep[], ...expected: Expected[]): PlantedPattern => ({ steps, expected });

let sessions = 0;
const sessionOf = (agent_id: string) => ({ agent_id, session_id: `session-${++sessions}` });

type PlayedWrite = {
  entity_path: string;
  key: string;
  value: unknown;
  agent?: string;
  confidence?: number;
  type?: string;
};

const write = (day: number, { agent = 'agent/author', type, ...entry }: PlayedWrite): PatternStep => ({
  day,
  do: (app) =>
    app.call(
      'entries.write',
      { ...entry, ...(type === undefined ? {} : { memory_type: type }) } as never,
      sessionOf(agent),
    ),
});

const WORDS =
  'river stone lamp engine garden letter window bridge silver paper market forest signal harbor mirror ticket'.split(
    ' ',
  );

/** A text about something else than any other. */
const about = (subject: string, chances: Chances): string => {
  const words = Array.from(
    { length: 6 },
    () => chances.of(WORDS) + chances.below(1000).toString(36).replace(/\d/g, 'x'),
  );
  return `${subject.replace(/[^a-z]/g, ' ')} ${words.join(' ')}`;
};

const entries = (
  day: number,
  { entity_path, n, agent }: { entity_path: string; n: number; agent?: string },
  chances: Chances,
) =>
  Array.from({ length: n }, (_, i) =>
    write(day, {
      ...{ entity_path, key: `${chances.of(WORDS)}${'abcdefghijkl'[i]}`, value: about(`note${i}`, chances) },
      ...(agent === undefined ? {} : { agent }),
    }),
  );

const outcome = (
  day: number,
  { causes, type = 'failure' }: { causes: readonly string[]; type?: string },
  agent = 'agent/worker',
): PatternStep => ({
  day,
  do: async (app) => {
    const as = sessionOf(agent);
    const report = { outcome_ref: `ref-${++sessions}`, outcome_type: type, causal_entry_keys: [...causes] };
    await app.call('outcomes.commit', report as never, as);
  },
});

type PlayedRead = { entity_path: string; key: string; agent: string };

const read = (day: number, { entity_path, key, agent }: PlayedRead): PatternStep => ({
  day,
  do: async (app) => {
    await app.call('entries.read', { entity_path, key }, sessionOf(agent));
    await app.kernel.services.noteBuffer.flushAll();
  },
});

/** Reads all that is written at a path, in the session that an agent has without naming one. */
const poll = (day: number, entity_path: string, agent_id: string): PatternStep => ({
  day,
  do: async (app) => {
    const { entries } = await app.call('entries.list', { entity_path }, { agent_id });
    for (const { key } of entries) await app.call('entries.read', { entity_path, key }, { agent_id });
    await app.kernel.services.noteBuffer.flushAll();
  },
});

const traced = (day: number, { entity_path, key }: { entity_path: string; key: string }): PatternStep => ({
  day,
  do: (app) =>
    app.call(
      'traces.create',
      { causal_entries: [{ entity_path, key, version: 1 }] } as never,
      sessionOf('agent/worker'),
    ),
});

const named = (keys: readonly string[], [entity_path, day]: readonly [string, number], chances: Chances) =>
  keys.map((key) => write(day, { entity_path, key, value: about(key, chances), confidence: 0.9 }));

const onBranch = (day: number, branch: string, more: object = {}): PatternStep => ({
  day,
  do: async (app) => {
    await app.call('branches.create', { name: branch, ...more } as never, sessionOf('agent/brancher'));
    const value = `tried on ${branch}`;
    await app.call(
      'entries.write',
      { entity_path: 'tried', key: branch, value, branch } as never,
      sessionOf('agent/brancher'),
    );
  },
});

const writeTo = (branch: string, day: number, more: { key?: string; shared?: boolean } = {}): PatternStep => ({
  day,
  do: (app) =>
    app.call(
      'entries.write',
      { entity_path: 'tried', key: branch, value: `tried on day ${day}`, branch, ...more } as never,
      sessionOf('agent/brancher'),
    ),
});

const review = (app: TestApp, id: string) =>
  app.call('pull_requests.review', { id, decision: 'changes_requested', comment: 'not yet' } as never, {
    agent_id: 'agent/reviewer',
  });

const pullRequest = (
  day: number,
  branch: string,
  then?: (app: TestApp, id: string) => Promise<unknown>,
): PatternStep => ({
  day,
  do: async (app) => {
    const { id } = await app.call(
      'pull_requests.create',
      { title: branch, source_branch: branch, target_branch: 'main' } as never,
      sessionOf('agent/brancher'),
    );
    await then?.(app, id);
  },
});

/** By type: what has to be found. */
export const CASES: Readonly<Record<string, readonly Planter[]>> = {
  recurring_failure: [
    (path, chances) =>
      plant(
        [
          ...named(['limit', 'owner'], [path, 30], chances),
          ...[48, 52, 56].map((day, i) =>
            outcome(day + chances.below(3), { causes: [`${path}/${i === 1 ? 'owner' : 'limit'}`] }),
          ),
        ],
        ['recurring_failure', path],
      ),
  ],
  hot_entity: [
    (path, chances) =>
      plant(
        [
          ...named(['limit', 'owner'], [path, 4], chances),
          ...Array.from({ length: 26 }, (_, i) =>
            write(54 + i / 6, {
              entity_path: path,
              key: 'limit',
              value: `${about('limit', chances)} ${'x'.repeat(i)}`,
            }),
          ),
        ],
        ['hot_entity', path],
      ),
  ],
  stale_cluster: [
    (path, chances) =>
      plant(
        [
          ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances),
          traced(55 + chances.below(4), { entity_path: path, key: 'b' }),
        ],
        ['stale_cluster', path],
      ),
    // Agents read there, and no outcome seals their sessions.
    (path, chances) =>
      plant(
        [
          ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances),
          ...[50, 52, 55].map((day) => poll(day, path, 'agent/worker')),
        ],
        ['stale_cluster', path],
      ),
    // A failure confirms nothing.
    (path, chances) =>
      plant(
        [
          ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances),
          outcome(55 + chances.below(4), { causes: [`${path}/b`] }),
        ],
        ['stale_cluster', path],
      ),
  ],
  confidence_drift: [
    (path, chances) =>
      plant(
        [
          ...named(['limit'], [path, 30], chances),
          ...[42, 46, 50, 54, 57].map((day) => outcome(day, { causes: [`${path}/limit`] })),
        ],
        ['confidence_drift', path],
        ['recurring_failure', path],
      ),
    // One success is no recovery.
    (path, chances) =>
      plant(
        [
          ...named(['limit'], [path, 30], chances),
          ...[42, 44, 46, 48, 50, 54].map((day) => outcome(day, { causes: [`${path}/limit`] })),
          outcome(57, { causes: [`${path}/limit`], type: 'success' }),
        ],
        ['confidence_drift', path],
        ['recurring_failure', path],
      ),
  ],
  knowledge_conflict: [
    (path, chances) => {
      const n = 10 + chances.below(40);
      return plant(
        [
          write(40, {
            entity_path: path,
            key: 'timeout_ms',
            value: `the gateway waits ${n} seconds`,
            agent: 'agent/a',
          }),
          write(50, {
            entity_path: path,
            key: 'timeoutMs',
            value: `the gateway waits ${n + 7} seconds`,
            agent: 'agent/b',
          }),
        ],
        ['knowledge_conflict', path],
      );
    },
    // Under three spellings of one key, of which the first agrees with the second.
    (path) =>
      plant(
        [
          write(40, { entity_path: path, key: 'timeout-ms', value: 30, agent: 'agent/a' }),
          write(45, { entity_path: path, key: 'timeoutMs', value: 30, agent: 'agent/b' }),
          write(50, { entity_path: path, key: 'timeout_ms', value: 60, agent: 'agent/a' }),
        ],
        ['knowledge_conflict', path],
      ),
    // The first of them is an experience.
    (path) =>
      plant(
        [
          write(40, { entity_path: path, key: 'timeout-ms', value: 30, agent: 'agent/a', type: 'experience' }),
          write(45, { entity_path: path, key: 'timeoutMs', value: 30, agent: 'agent/b' }),
          write(50, { entity_path: path, key: 'timeout_ms', value: 60, agent: 'agent/c' }),
        ],
        ['knowledge_conflict', path],
      ),
    (path) =>
      plant(
        [
          write(40, {
            ...{ entity_path: path, key: 'refunds', agent: 'agent/a' },
            value: 'refunds above the weekly limit are approved by the duty manager',
          }),
          write(50, {
            ...{ entity_path: path, key: 'approvals', agent: 'agent/b' },
            value: 'refunds above the weekly limit are never approved by the duty manager',
          }),
        ],
        ['knowledge_conflict', path],
      ),
    (path) =>
      plant(
        Array.from({ length: 6 }, (_, i) =>
          write(48 + i, {
            entity_path: path,
            key: 'mode',
            value: i % 2 === 0 ? 'blue' : 'green',
            agent: `agent/${i % 2}`,
          }),
        ),
        ['knowledge_conflict', path],
      ),
  ],
  redundant_writes: [
    (path, chances) => {
      const text = about('retry', chances);
      return plant(
        [
          write(40, { entity_path: path, key: 'retries', value: text, agent: 'agent/a' }),
          write(50, { entity_path: path, key: 'how-to-try-again', value: `${text}.`, agent: 'agent/b' }),
        ],
        ['redundant_writes', path],
      );
    },
  ],
  single_point_of_knowledge: [
    (path, chances) =>
      plant(
        [
          ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 50], chances),
          ...['agent/reader-1', 'agent/reader-2'].map((agent) => read(56, { entity_path: path, key: 'c', agent })),
        ],
        ['single_point_of_knowledge', path],
      ),
  ],
  passive_consumer: [
    (path, chances) => {
      const agent = `agent/${path.replaceAll('/', '-')}`;
      const keys = [...'abcdefghijklm'];
      return plant(
        [
          ...named(keys, [path, 40], chances),
          write(50, { entity_path: path, key: 'other', value: 1, agent: 'agent/b' }),
          ...Array.from({ length: 4 }, (_, i) =>
            write(51, { entity_path: path, key: `other-${'wxyz'[i]}`, value: i, agent: 'agent/b' }),
          ),
          ...[44, 48].flatMap((day) => keys.map((key) => read(day, { entity_path: path, key, agent }))),
        ],
        ['passive_consumer', agent],
      );
    },
    // In one session that no outcome ends.
    (path, chances) => {
      const agent = `agent/${path.replaceAll('/', '-')}`;
      return plant(polling(path, chances, { agent, days: [41, 43, 45, 48, 52, 56] }), ['passive_consumer', agent]);
    },
  ],
  unreviewed_changes: [
    (branch) => plant([onBranch(48, branch), pullRequest(50, branch)], ['unreviewed_changes', branch]),
    // Its author goes on writing.
    (branch) =>
      plant(
        [onBranch(38, branch), pullRequest(38.5, branch), ...[55, 56, 57, 58, 59].map((day) => writeTo(branch, day))],
        ['unreviewed_changes', branch],
      ),
    // The same, after a review.
    (branch) =>
      plant(
        [
          onBranch(38, branch),
          pullRequest(39, branch, review),
          writeTo(branch, 50, { key: 'later' }),
          ...[56, 57, 58, 59].map((day) => writeTo(branch, day, { key: 'later' })),
        ],
        ['unreviewed_changes', branch],
      ),
    // Only its author can see what is new.
    (branch) =>
      plant(
        [onBranch(48, branch), pullRequest(50, branch), writeTo(branch, 59, { key: `${branch}/own`, shared: false })],
        ['unreviewed_changes', branch],
      ),
  ],
  orphaned_branch: [
    (branch, chances) => plant([onBranch(30 + chances.below(15), branch)], ['orphaned_branch', branch]),
  ],
  stale_knowledge: [
    (path, chances) =>
      plant(
        [
          ...named(['limit'], [path, 5], chances),
          ...named(['a', 'b', 'c'], [path, 55], chances),
          ...[20, 30, 40, 50].map((day) => read(day, { entity_path: path, key: 'limit', agent: 'agent/worker' })),
        ],
        ['stale_knowledge', path],
      ),
    // A failure confirms nothing.
    (path, chances) =>
      plant(
        [
          ...named(['limit'], [path, 5], chances),
          ...named(['a', 'b', 'c'], [path, 55], chances),
          ...[20, 30, 40, 50].map((day) => read(day, { entity_path: path, key: 'limit', agent: 'agent/worker' })),
          outcome(57, { causes: [`${path}/limit`] }),
        ],
        ['stale_knowledge', path],
      ),
  ],
};

/** By the type that they look like: what must not be found. */
export const LOOK_ALIKES: Readonly<Record<string, readonly Planter[]>> = {
  recurring_failure: [
    // One failure that rested on several entries.
    (path, chances) =>
      plant([
        ...named(['limit', 'owner', 'policy'], [path, 30], chances),
        outcome(55, { causes: ['limit', 'owner', 'policy'].map((key) => `${path}/${key}`) }),
      ]),
    // A few failures among many successes.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 30], chances),
        ...[40, 42, 44, 46, 48, 51, 53, 57].map((day) => outcome(day, { causes: [`${path}/limit`], type: 'success' })),
        ...[50, 55].map((day) => outcome(day, { causes: [`${path}/limit`] })),
      ]),
    // What failed was corrected since.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 30], chances),
        ...[45, 50].map((day) => outcome(day, { causes: [`${path}/limit`] })),
        write(52, { entity_path: path, key: 'limit', value: about('corrected', chances) }),
      ]),
    // Long ago.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 2], chances),
        ...[5, 8, 12].map((day) => outcome(day, { causes: [`${path}/limit`] })),
      ]),
  ],
  hot_entity: [
    // Only new.
    (path, chances) =>
      plant(
        Array.from({ length: 26 }, (_, i) =>
          write(55 + i / 8, { entity_path: path, key: 'limit', value: `${about('limit', chances)} ${'x'.repeat(i)}` }),
        ),
      ),
    // As busy as ever.
    (path, chances) =>
      plant(
        Array.from({ length: 150 }, (_, i) =>
          write(5 + (i * 54) / 150, {
            entity_path: path,
            key: 'limit',
            value: `${about('limit', chances)} ${'x'.repeat(i)}`,
          }),
        ),
      ),
  ],
  stale_cluster: [
    // An archive that nobody reads.
    (path, chances) => plant(named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances)),
    // One of its entries was confirmed.
    (path, chances) =>
      plant([
        ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances),
        traced(55, { entity_path: path, key: 'b' }),
        outcome(56, { causes: [`${path}/b`], type: 'success' }),
      ]),
    // It was confirmed before it failed.
    (path, chances) =>
      plant([
        ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances),
        outcome(54, { causes: [`${path}/b`], type: 'success' }),
        outcome(57, { causes: [`${path}/b`] }),
      ]),
    // It was last read long ago.
    (path, chances) =>
      plant([...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances), poll(5, path, 'agent/worker')]),
    // Its author reads it, and nobody else.
    (path, chances) =>
      plant([...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 3], chances), poll(55, path, 'agent/author')]),
    // A few notes are no cluster.
    (path, chances) =>
      plant([...named(['a', 'b', 'c'], [path, 3], chances), traced(55, { entity_path: path, key: 'b' })]),
  ],
  confidence_drift: [
    // One hard blow.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 30], chances),
        outcome(55, { causes: [`${path}/limit`], type: 'critical_failure' }),
      ]),
    // It recovered.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 30], chances),
        ...[38, 40, 42].map((day) => outcome(day, { causes: [`${path}/limit`] })),
        ...[44, 45, 46, 47, 48, 50, 52, 54, 56].map((day) =>
          outcome(day, { causes: [`${path}/limit`], type: 'success' }),
        ),
      ]),
  ],
  knowledge_conflict: [
    // An agent that corrects itself.
    (path) =>
      plant([
        write(40, { entity_path: path, key: 'timeout_ms', value: 'the gateway waits 30 seconds', agent: 'agent/a' }),
        write(50, { entity_path: path, key: 'timeoutMs', value: 'the gateway waits 60 seconds', agent: 'agent/a' }),
      ]),
    // Three spellings, and what contradicts is from one agent or an experience.
    (path) =>
      plant([
        write(40, { entity_path: path, key: 'timeout-ms', value: 30, agent: 'agent/a' }),
        write(45, { entity_path: path, key: 'timeoutMs', value: 60, agent: 'agent/a' }),
        write(50, { entity_path: path, key: 'timeout_ms', value: 90, agent: 'agent/b', type: 'experience' }),
      ]),
    // An agent that corrects another one, once.
    (path) =>
      plant([
        write(40, { entity_path: path, key: 'mode', value: 'blue', agent: 'agent/a' }),
        write(50, { entity_path: path, key: 'mode', value: 'green', agent: 'agent/b' }),
      ]),
    // Things of one kind.
    (path) =>
      plant([
        write(40, {
          entity_path: path,
          key: 'shard-1',
          value: 'the shard keeps 30 copies of every block',
          agent: 'agent/a',
        }),
        write(50, {
          entity_path: path,
          key: 'shard-2',
          value: 'the shard keeps 60 copies of every block',
          agent: 'agent/b',
        }),
      ]),
    // What two agents went through.
    (path) =>
      plant([
        write(40, {
          entity_path: path,
          key: 'deploy_a',
          value: 'the deploy took 30 minutes today',
          agent: 'agent/a',
          type: 'experience',
        }),
        write(50, {
          entity_path: path,
          key: 'deployA',
          value: 'the deploy took 60 minutes today',
          agent: 'agent/b',
          type: 'experience',
        }),
      ]),
  ],
  redundant_writes: [
    // Values that say nothing without their keys.
    (path) =>
      plant([
        write(40, { entity_path: path, key: 'is-open', value: true }),
        write(41, { entity_path: path, key: 'is-public', value: true }),
      ]),
    // One sentence about several things.
    (path) =>
      plant(
        [1, 2, 3].map((n) =>
          write(40, { entity_path: path, key: `host-${n}`, value: `the host runs version ${n} of the agent software` }),
        ),
      ),
    // What happened twice.
    (path) =>
      plant(
        ['monday', 'tuesday'].map((key) =>
          write(40, {
            entity_path: path,
            key,
            value: 'the nightly import went through without errors',
            type: 'experience',
          }),
        ),
      ),
  ],
  single_point_of_knowledge: [
    // A notebook that nobody else reads.
    (path, chances) => plant(named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 50], chances)),
    // Two authors.
    (path, chances) =>
      plant([
        ...named(['a', 'b', 'c', 'd'], [path, 50], chances),
        ...entries(50, { entity_path: path, n: 3, agent: 'agent/b' }, chances),
        ...['agent/reader-1', 'agent/reader-2'].map((agent) => read(56, { entity_path: path, key: 'c', agent })),
      ]),
    // One reader.
    (path, chances) =>
      plant([
        ...named(['a', 'b', 'c', 'd', 'e', 'f'], [path, 50], chances),
        read(56, { entity_path: path, key: 'c', agent: 'agent/reader-1' }),
      ]),
  ],
  passive_consumer: [
    // It says how things went.
    (path, chances) => reading(path, chances, { days: [44, 48], and: (agent) => [outcome(50, { causes: [] }, agent)] }),
    // It is new.
    (path, chances) => reading(path, chances, { days: [57, 59], and: () => [] }),
    // It read a lot, once.
    (path, chances) => reading(path, chances, { days: [48], and: () => [] }),
    // It read the same again and again, on one day.
    (path, chances) => plant(polling(path, chances, { agent: `agent/${path}`, days: [52, 52.1, 52.2, 52.3] })),
    // It reads the same day after day, and writes now and then.
    (path, chances) => {
      const agent = `agent/${path}`;
      const days = [41, 44, 48, 52, 56];
      return plant([
        ...polling(path, chances, { agent, days }),
        write(53, { entity_path: 'polled', key: path.replaceAll('/', '-'), value: 1, agent }),
      ]);
    },
  ],
  unreviewed_changes: [
    // Somebody looked at it.
    (branch) => plant([onBranch(48, branch), pullRequest(50, branch, review)]),
    // What is new since then has only begun to wait.
    (branch) =>
      plant([onBranch(48, branch), pullRequest(50, branch, review), ...[58, 59].map((day) => writeTo(branch, day))]),
    // What is new since then only its author can see.
    (branch) =>
      plant([
        onBranch(48, branch),
        pullRequest(50, branch, review),
        writeTo(branch, 52, { key: `${branch}/own`, shared: false }),
      ]),
    // It has only begun to wait.
    (branch) => plant([onBranch(58, branch), pullRequest(59, branch)]),
  ],
  orphaned_branch: [
    // Somebody is at it.
    (branch) => plant([onBranch(57, branch)]),
    // Nothing was written there.
    (branch) => plant([{ day: 30, do: (app) => app.call('branches.create', { name: branch }) }]),
    // It was closed.
    (branch) =>
      plant([onBranch(30, branch), { day: 35, do: (app) => app.call('branches.close', { name: branch } as never) }]),
  ],
  stale_knowledge: [
    // Confirmed lately.
    (path, chances) =>
      plant([
        ...named(['limit'], [path, 5], chances),
        ...named(['a', 'b', 'c'], [path, 55], chances),
        ...[20, 30, 40, 50].map((day) => read(day, { entity_path: path, key: 'limit', agent: 'agent/worker' })),
        outcome(57, { causes: [`${path}/limit`], type: 'success' }),
      ]),
    // Nobody reads it.
    (path, chances) => plant([...named(['limit'], [path, 5], chances), ...named(['a', 'b', 'c'], [path, 55], chances)]),
    // Nothing else is newer.
    (path, chances) =>
      plant([
        ...named(['limit', 'owner'], [path, 5], chances),
        ...[20, 30, 40, 50].map((day) => read(day, { entity_path: path, key: 'limit', agent: 'agent/worker' })),
      ]),
  ],
};

/** An agent that has only one session, and reads all that is written at a path on some days. */
function polling(path: string, chances: Chances, { agent, days }: { agent: string; days: readonly number[] }) {
  return [
    ...named([...'abcdefghijklmnopqrstuv'], [path, 40], chances),
    outcome(50, { causes: [`${path}/a`], type: 'success' }),
    ...days.map((day) => poll(day, path, agent)),
  ];
}

type Reading = { days: readonly number[]; and: (agent: string) => PatternStep[] };

function reading(path: string, chances: Chances, { days, and }: Reading): PlantedPattern {
  const agent = `agent/${path.replaceAll('/', '-')}`;
  const keys = [...'abcdefghijklm'];
  const wide = days.length === 1 ? [...keys, ...keys.map((key) => `${key}${key}`)] : keys;
  return plant([
    ...named(wide, [path, 40], chances),
    ...Array.from({ length: 8 }, (_, i) =>
      write(51, { entity_path: path, key: `other-${'qrstuvwx'[i]}`, value: i, agent: 'agent/b' }),
    ),
    ...days.flatMap((day) => wide.map((key) => read(day, { entity_path: path, key, agent }))),
    ...and(agent),
  ]);
}

/** Cases and look-alikes as a seed chooses them, together with what has to be found. */
export function makePatternWorld(seed: number): PlantedPattern {
  const chances = chancesOf(seed) as Chances;
  const planted: PlantedPattern[] = [];
  for (const [type, planters] of Object.entries(CASES))
    for (const [i, planter] of planters.entries())
      if (chances.next() < 0.6) planted.push(planter(`${type}/case-${'xyzabc'[i]}`, chances));
  for (const [type, planters] of Object.entries(LOOK_ALIKES))
    for (const [i, planter] of planters.entries())
      if (chances.next() < 0.6) planted.push(planter(`${type}/like-${'wxyzabc'[i]}`, chances));
  // Those who read and work there write, too.
  const workers = ['agent/worker', 'agent/reader-1', 'agent/reader-2'].map((agent) =>
    write(45, { entity_path: 'workers', key: agent, value: 1, agent }),
  );
  return {
    steps: [...planted.flatMap(({ steps }) => steps), ...workers],
    expected: planted.flatMap(({ expected }) => expected),
  };
}

export async function playPatternWorld(app: TestApp, { steps }: Pick<PlantedPattern, 'steps'>): Promise<void> {
  const start = app.clock.now();
  const advanceTo = (day: number) => app.clock.advance(Math.max(0, start + day * DAY_MS - app.clock.now()));
  for (const step of steps.toSorted((a, b) => a.day - b.day)) {
    advanceTo(step.day);
    await step.do(app);
  }
  advanceTo(LAST_DAY);
}
