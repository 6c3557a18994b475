import { describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { dialect as postgres } from '../../packages/server/src/db/postgres-dialect.ts';
import type { Consumer } from '../../packages/server/src/kernel/index.ts';
import { type Backend, openTestApp } from '../support/app.ts';
import { tenantProblem, watchDatabase } from '../support/statements.ts';
import { createExamples, type KnownIds, newInput, outcomeOf, reading, writing } from './table.ts';
import { forEachVariation } from './variations.ts';

const MARK = 'statements';
const as = { agent_id: `agent/${MARK}`, session_id: 'sess-1' };

const wants = { event_types: ['delete', 'erase'], starts_at: 'now' as const, batch_size: 1 };
const handling: Consumer = { name: 'test.handles', ...wants, handle: ({ work }) => work(async () => {}) };
const failing: Consumer = {
  name: 'test.fails',
  ...wants,
  max_attempts: 2,
  handle: async () => {
    throw new Error('cannot');
  },
};

/** Every statement that the operations of the table and maintenance run. */
async function statementsOn(backend: Backend): Promise<Set<string>> {
  const seen = new Set<string>();
  let isReady = false;
  const app = await openTestApp(backend, {
    modules: [...proModules, { name: 'consuming', migrations: [], handlers: {}, consumers: [handling, failing] }],
    wrapDatabase: (database) => watchDatabase(database, ({ text }) => isReady && seen.add(text)),
  });
  isReady = true;
  try {
    let known: KnownIds = {};
    for (const mark of ['others', MARK]) known = await createExamples(app, { mark, as });
    for (const name of [...writing, ...reading]) {
      await forEachVariation({ app, name, known, mark: MARK, as }, async (input, i) => {
        const outcome = await outcomeOf(app, name, { input, as: { ...as, idempotency_key: `${name}-${i}` } });
        if (outcome.next_cursor) await outcomeOf(app, name, { input: { ...input, cursor: outcome.next_cursor }, as });
      });
    }
    // Whether a delivery fails depends on its number: two that do, and two that do not.
    for (let i = 0; i < 4; i++)
      await outcomeOf(app, 'webhooks.receive', { input: newInput('webhooks.receive', MARK, known), as });
    await app.call('entries.write', { entity_path: 'short', key: 'lived', value: 1, ttl_seconds: 1 }, as);
    await app.jobs.sweep();
    app.clock.advance(10_000);
    await app.jobs.sweep();
  } finally {
    await app.close();
  }
  return seen;
}

/**
 * What each engine does in its own words, and only that; on SQLite also entries that the word index does not
 * have yet, and whose index it is, on PostgreSQL the locks of several accounts. Claims are renewed where a consumer
 * takes long, and given back where it comes too late. One entry is looked up by its name in the way that PostgreSQL plans well.
 */
const OWN_WORDS =
  /\b(?:entry|trace|indexed_trace)_words\b|\bsearch_words @@|^VACUUM |^PRAGMA |total_changes\(\)|pg_advisory|gin_clean_pending_list|^UPDATE maintenance_tasks SET next_run_at = \? WHERE task = \? AND \(next_run_at >|\bservers\b|\bwords\.|^SELECT seq, entry_id, version, deleted, octet_length\(document\)|\bnumbers\.value\b|^SELECT beyond FROM \(|^SELECT .* AS entries WHERE seq IN \(SELECT CAST\(value AS BIGINT\)|FROM accounts WHERE account_id IN \(SELECT value|^SELECT created_at FROM accounts|^UPDATE consumer_cursors SET claimed_(?:until|by = '')|\bentity_path = (?:\?|pairs\.a|head\.entity_path) AND (?:\w+\.)?key = (?:\?|pairs\.b|head\.key)/;

const member = (path: readonly string[], as: 'text' | 'flag', document = 'past.document') =>
  [
    `json_extract(${document}, '$.${path.join('.')}')`,
    postgres.jsonMember(document, path, as).replace(/\s+/g, ' '),
  ] as const;

const inData = (name: string) => member([name], 'text', 'data');

const standingNumber = (name: string) =>
  [`json_extract(standing, '$.${name}')`, `CAST(CAST(standing AS jsonb) ->> '${name}' AS double precision)`] as const;

const ENTRY_OF_VERSION = 'entries.account_id = ? AND entries.entry_id = versions.entry_id';

/** The pieces that a dialect writes in its own way, and what they are on both. */
const DIALECT: readonly (readonly [onSqlite: string, onPostgres: string])[] = [
  ['', ' FOR UPDATE SKIP LOCKED'],
  ['', ' FOR UPDATE'],
  ['', ' FOR SHARE'],
  ['instr(', 'strpos('],
  ['(SELECT value FROM json_each(?)) AS texts', 'unnest(CAST(? AS text[])) AS texts(value)'],
  ['(SELECT value FROM json_each(?)) AS numbers', 'unnest(CAST(? AS bigint[])) AS numbers(value)'],
  [
    '(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?)) AS pairs',
    'unnest(CAST(? AS text[]), CAST(? AS text[])) AS pairs(a, b)',
  ],
  ["group_concat(code, '')", "string_agg(code, '')"],
  ["group_concat(entry_id, ',')", "string_agg(CAST(entry_id AS text), ',')"],
  ["group_concat(seq, ',')", "string_agg(CAST(seq AS text), ',')"],
  ['json_each(pattern_refs)', 'jsonb_array_elements_text(CAST(pattern_refs AS jsonb)) AS refs(value)'],
  ...['read_at', 'version', 'span_id', 'call_id'].map(inData),
  standingNumber('outcome_count'),
  standingNumber('success_count'),
  standingNumber('failure_count'),
  standingNumber('evidence_success'),
  standingNumber('evidence_failure'),
  standingNumber('discredited_at'),
  member(['memory_type'], 'text'),
  member(['is_artifact'], 'flag'),
  member(['provenance', 'pattern_refs'], 'text'),
  member(['provenance', 'session_id'], 'text', 'document'),
  ...['entries', 'head'].map((head) => {
    const on = `standings.account_id = ? AND standings.entry_id = ${head}.entry_id`;
    return [` LEFT JOIN standings ON ${on}`, postgres.leftJoin('standings', on)] as const;
  }),
  [` LEFT JOIN entries ON ${ENTRY_OF_VERSION}`, postgres.leftJoin('entries', ENTRY_OF_VERSION)],
  [')', ' OFFSET 0)'],
  [')', ', search_words, word_count)'],
  [')', ', search_words)'],
  ['', ', search_words = excluded.search_words, word_count = excluded.word_count'],
];

/** A list in parentheses is as long as what it was made of, which is not the same in two stores. */
const LONG_LIST = /IN \(\?(?:, \?){9,}\)/g;

const inCommon = (text: string): string =>
  DIALECT.reduce((result, [onSqlite, onPostgres]) => result.replaceAll(onPostgres, onSqlite), text).replace(
    LONG_LIST,
    'IN (?, …)',
  );

const common = (seen: Set<string>) =>
  [...new Set([...seen].filter((text) => !OWN_WORDS.test(text)).map(inCommon))].sort();

describe('the statements of the service', () => {
  it('are the same on both engines, but for full text and upkeep', async () => {
    const onSqlite = common(await statementsOn('sqlite'));
    const onPostgres = common(await statementsOn('postgres'));
    expect(onSqlite.length).toBeGreaterThan(30);
    expect({
      onSqliteOnly: onSqlite.filter((text) => !onPostgres.includes(text)),
      onPostgresOnly: onPostgres.filter((text) => !onSqlite.includes(text)),
    }).toEqual({ onSqliteOnly: [], onPostgresOnly: [] });
  }, 300_000);

  it('name the account whenever they touch a table that holds several', () => {
    expect(tenantProblem('SELECT value FROM entries WHERE key = ?')).toBeDefined();
    expect(tenantProblem('SELECT account_id, value FROM entries WHERE key = ?')).toBeDefined();
    expect(tenantProblem('INSERT INTO counts (branch, n) VALUES (?, ?)')).toBeDefined();
    expect(
      tenantProblem('DELETE FROM commits WHERE account_id = ? AND seq IN (SELECT seq FROM versions WHERE key = ?)'),
    ).toBeDefined();
    expect(tenantProblem('SELECT value FROM entries WHERE account_id = ? AND key = ?')).toBeUndefined();
  });
});
