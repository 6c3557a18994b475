import { type OperationName, operations, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { openTestApp, runSql, type StorePlace, type TestApp } from '../support/app.ts';
import { type CopiedRows, copyRows, keepStatistics, pretendRows } from '../support/copied-rows.ts';
import { readyPlace } from '../support/place.ts';
import { explainStatements, type SeenPlan, watchPlans } from '../support/seen-plans.ts';
import {
  createExamples,
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  markedInput,
  newAccount,
  newInput,
  outcomeOf,
  reading,
  writing,
} from './table.ts';

/** Enough that a statement that reads an account reads more than it may; the planner takes it for 2,000,000 entries. */
const SIZE = { entries: 6_000, others: 800, pretended: 100 };
const MOST_BUFFERS = 2_200;
/**
 * Look at the entries of up to 500 golden queries or undecided proposals, however large the account is; or at the newest entries, up to
 * a number.
 */
const OF_500_ENTRIES: readonly OperationName[] = ['briefing.read', 'stats.read', 'golden.list', 'graph.overview'];
const MOST_BUFFERS_OF_500 = 5_000;
/** Compare two states of hundreds of entries with each statement, or count up to 10,000 changes of a branch. */
const OF_BRANCHES: readonly OperationName[] = [
  'branches.read',
  'branches.diff',
  'branches.compare',
  'branches.merge',
  'branches.refresh',
  ...(['pull_requests.read', 'pull_requests.create', 'pull_requests.review'] as const),
  ...(['pull_requests.check', 'pull_requests.close', 'pull_requests.reopen'] as const),
];
const MOST_BUFFERS_OF_BRANCHES = 15_000;
function mostBuffers(name: OperationName): number {
  if (OF_BRANCHES.includes(name)) return MOST_BUFFERS_OF_BRANCHES;
  return name.startsWith('consolidation.') || OF_500_ENTRIES.includes(name) ? MOST_BUFFERS_OF_500 : MOST_BUFFERS;
}

const MARK = 'alphamark';
const agent_id = 'agent/of-all';
const accountOf = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-00000000000${letter}`;
/** The rows of the first two lie between each other, those of the third in a block. */
const [A, B, C] = ['a', 'b', 'c'].map(accountOf) as [string, string, string];

/** Tables that every account has many rows in. */
const large = new Set([
  'entries',
  'versions',
  'standings',
  'events',
  'audit',
  'evidence',
  'outcomes',
  'traces',
  'trace_items',
  'edges',
  'counts',
  'commits',
  'sessions',
  'session_items',
]);

const scope = [[parseGlob(`${MARK}/checkout/**`) as never]];
const scoped: Principal = { key_id: 'k', name: 'k', type: 'agent', read: scope };

type AskedOperation = { name: OperationName; input: JsonObject; as?: Partial<Caller> };
const search = (input: JsonObject, as?: Partial<Caller>): AskedOperation => ({
  name: 'entries.search',
  input,
  ...(as ? { as } : {}),
});

const WORDS = {
  rare: 'copy7',
  'two rare': 'copy7 copy9',
  common: 'zipf1',
  'two common': 'zipf1 zipf2',
  'rare and common': `copy3 zipf1`,
  'in every entry': MARK,
  unknown: 'nowhere',
};
const FILTERS: Record<string, JsonObject> = {
  'an agent without entries': { agent_id: 'agent/nobody' },
  'a type without entries': { memory_type: 'belief' },
  'a time to come': { since: '2099-01-01T00:00:00Z' },
  'a path': { entity_path: `${MARK}/checkout/**` },
  'a large path': { entity_path: `${MARK}/checkout/payments` },
  'a small path': { entity_path: `${MARK}/checkout/payments/p1` },
  confidence: { min_confidence: 0.99 },
};

/**
 * Operations that go through all entries of an account or of a path, as far as one may, and the removal of what other tests
 * of this file look for.
 */
const WHOLE = new Set<OperationName>([
  ...(['entries.verify', 'traces.verify', 'audit.verify', 'outcomes.calibration'] as const),
  ...(['agents.discover', 'agents.memory_graph', 'agents.profile', 'conflicts.resolve'] as const),
]);

const isBounded = (name: OperationName): boolean =>
  !WHOLE.has(name) && !operations[name].stream && !definition(name).erases && !definition(name).removes;

const searches: [label: string, AskedOperation][] = [
  ...Object.entries(WORDS).map(([word, query]): [string, AskedOperation] => [
    `a search for words: ${word}`,
    search({ query }),
  ]),
  ...Object.entries(FILTERS).flatMap(([filter, more]): [string, AskedOperation][] => [
    [`a search for rare words, filter: ${filter}`, search({ query: WORDS['two rare'], ...more })],
    [`a search for common words, filter: ${filter}`, search({ query: WORDS['two common'], ...more })],
  ]),
  ...(['rare', 'common'] as const).map((word): [string, AskedOperation] => [
    `a search of a key of a scope for words: ${word}`,
    search({ query: WORDS[word] }, { key: scoped }),
  ]),
];

const lists: [label: string, AskedOperation][] = Object.entries({
  'all entries': {},
  'a large path': { entity_path: `${MARK}/checkout/payments` },
  'what is below a path': { entity_path: `${MARK}/checkout/**` },
  'the newest of an agent': { agent_id },
}).map(([label, input]) => [`a page of ${label}`, { name: 'entries.list', input: { limit: 50, ...input } }]);

const examples = [...reading, ...writing]
  .filter(isBounded)
  .map((name): [string, AskedOperation] => [name, { name, input: {} }]);

let place: StorePlace;
const known = new Map<string, KnownIds>();
const dsnOf = ({ options }: StorePlace) => options.postgresDsn as string;

async function addAccounts(accounts: readonly string[], layout: CopiedRows['layout']): Promise<void> {
  const app = await openTestApp('postgres', { place, rowSecurity: 'on' });
  for (const account_id of accounts) {
    await newAccount(app, account_id);
    known.set(account_id, await createExamples(app, { mark: MARK, as: { account_id, agent_id } }));
  }
  await app.kernel.services.noteBuffer.flushAll();
  await app.close();
  await copyRows(dsnOf(place), { ...SIZE, accounts, layout });
}

beforeAll(async () => {
  place = await readyPlace('postgres', { rowSecurity: 'on' });
  await keepStatistics(dsnOf(place));
  await addAccounts([A, B], 'interleaved');
});
afterAll(() => place.remove());

type Statistics = {
  rowSecurity: 'on' | 'off';
  account_id: string;
  asked: readonly (readonly [string, AskedOperation])[];
  prepare(): Promise<unknown>;
};

const all = [...searches, ...lists, ...examples];
const before: Statistics = { rowSecurity: 'on', account_id: B, asked: all, prepare: async () => {} };
/** The planner then expects no row of the account. */
const older: Statistics = {
  rowSecurity: 'on',
  account_id: C,
  asked: examples,
  async prepare() {
    await runSql(dsnOf(place), 'ANALYZE entries, versions');
    await addAccounts([C], 'blocks');
  },
};
const after: Statistics = {
  rowSecurity: 'off',
  account_id: C,
  asked: all,
  prepare: () => runSql(dsnOf(place), 'ANALYZE'),
};

describe.each([
  ['before ANALYZE, with row-level security', before],
  ['whose ANALYZE of entries and versions is older than the account, with row-level security', older],
  ['after ANALYZE, without row-level security', after],
])('a PostgreSQL %s', (_, { rowSecurity, account_id, asked, prepare }) => {
  let app: TestApp;
  let seen: SeenPlan[] | undefined;
  let unwatch: () => void;
  beforeAll(async () => {
    await prepare();
    await explainStatements(dsnOf(place));
    await pretendRows(dsnOf(place), SIZE.pretended);
    unwatch = watchPlans((plan) => seen?.push(plan));
    // One connection: after a few runs, PostgreSQL plans a statement for all values alike.
    app = await openTestApp('postgres', { place, rowSecurity, postgresPool: 1 });
  });
  afterAll(async () => {
    await app.close();
    unwatch();
  });

  async function plansOf({ name, input, as: more }: AskedOperation): Promise<SeenPlan[]> {
    const plans: SeenPlan[] = [];
    const inputOf = operations[name].effect === 'write' ? newInput : markedInput;
    const example = Object.keys(input).length > 0 ? input : inputOf(name, MARK, known.get(account_id));
    // A merge of so many would leave other tests an account of dead rows.
    const only = OF_BRANCHES.includes(name) && 'dry_run' in fieldsOf(name) ? { dry_run: true } : {};
    seen = plans;
    await outcomeOf(app, name, { input: { ...example, ...only }, as: { account_id, agent_id, ...more } });
    await app.kernel.services.noteBuffer.flushAll();
    seen = undefined;
    return plans;
  }

  it.each(asked)('reads little for %s', async (_label, operation) => {
    const plans = await plansOf(operation);
    const problems = plans.filter(
      ({ buffers, scanned }) => buffers > mostBuffers(operation.name) || scanned.some((table) => large.has(table)),
    );
    expect(problems.map(({ buffers, scanned, text }) => `${buffers} ${scanned.join()} ${text}`)).toEqual([]);
  });
});
