// Times each optimisation against the plain code, in turns, on this machine: node --conditions=source --import tsx
// bench/inside/tricks.mjs [part of a name]. Prints the best of all rounds in microseconds per call. The table in
// docs/decisions/032-tricks-for-speed.md comes from here.
import { randomBytes } from 'node:crypto';
import { once, sql } from '../../packages/server/src/db/index.ts';
import { pathMatcher } from '../../packages/server/src/http/path-matcher.ts';
import { matchPath, patterns, routerPath } from '../../packages/server/src/http/routes.ts';
import { randomIds, toIso } from '../../packages/server/src/kernel/index.ts';
import { entryText, toDocument } from '../../packages/server/src/modules/entries/rows.ts';
import { standingJson, standingOf, UNTOUCHED } from '../../packages/server/src/modules/entries/standing.ts';
import { compare, hasKept, keep } from './compare.mjs';

const content = {
  value: JSON.stringify({ max_attempts: 5, backoff: 'exponential', note: 'about retries '.repeat(20) }),
  deleted: 0,
  confidence: 0.9,
  memory_type: 'fact',
  shared: 1,
  pattern_refs: '[]',
  artifact_refs: '[]',
  ttl_at: null,
  is_artifact: 0,
};
const origin = {
  branch: 'main',
  entity_path: 'checkout/payments',
  key: 'retry-policy',
  version: 3,
  agent_id: 'agent/deploy',
  session_id: 'sess-42',
  written_at: 1_767_225_600_000,
  commit_id: null,
};
const stamp = { hash: 'a'.repeat(64), chain: 'b'.repeat(64), seq: 4711 };

function plainDocument(content, origin, stamp) {
  const document = {
    entity_path: origin.entity_path,
    key: origin.key,
    branch: origin.branch,
    version: origin.version,
    value: JSON.parse(content.value),
    memory_type: content.memory_type,
    shared: content.shared === 1,
    provenance: {
      agent_id: origin.agent_id,
      session_id: origin.session_id,
      written_at: toIso(origin.written_at),
      pattern_refs: JSON.parse(content.pattern_refs),
    },
    ttl_at: content.ttl_at === null ? null : toIso(content.ttl_at),
    artifact_refs: JSON.parse(content.artifact_refs),
    is_artifact: content.is_artifact === 1,
    content_hash: stamp.hash,
    integrity_chain: stamp.chain,
    commit_id: origin.commit_id,
    seq: stamp.seq,
  };
  return JSON.stringify(document);
}
compare(
  'a document built by hand (toDocument)',
  () => keep(plainDocument(content, origin, stamp)),
  () => keep(toDocument(content, origin, stamp)),
);

const row = { document: toDocument(content, origin, stamp), confidence: 0.9, standing: null, recall_count: 7 };
compare(
  'an answer spliced from texts (entryText)',
  () => keep(JSON.stringify({ ...JSON.parse(row.document), confidence: 0.9, ...UNTOUCHED, recall_count: 7 })),
  () => keep(entryText(row)),
);

compare(
  'the last time as a text (toIso)',
  (i) => keep(new Date(1_767_225_600_000 + (i >> 3)).toISOString()),
  (i) => keep(toIso(1_767_225_600_000 + (i >> 3))),
);

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
function plainId(now) {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(16)) random += ALPHABET[byte % 32];
  return time + random;
}
compare(
  'random bytes for 64 ids at once (randomIds)',
  () => keep(plainId(1_767_225_600_000)),
  () => keep(randomIds.next(1_767_225_600_000)),
);

// The text is then looked up among the prepared statements, which is quick for a text that was looked up before.
const statements = new Map([
  ['SELECT a, b, c FROM entries WHERE account_id = ? AND branch = ? AND entity_path = ?', 1],
]);
const strings = ['SELECT a, b, c FROM entries WHERE account_id = ', ' AND branch = ', ' AND entity_path = ', ''];
compare(
  'the text of a statement made once (sql)',
  (i) => keep([statements.get(strings.join('?')), ['a', 'main', i]]),
  (i) => {
    const { text, values } =
      sql`SELECT a, b, c FROM entries WHERE account_id = ${'a'} AND branch = ${'main'} AND entity_path = ${i}`;
    keep([statements.get(text), values]);
  },
);

const insert = {
  table: 'entries',
  columns: Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`column_${i}`, 'text'])),
};
const textOf = ({ table, columns }) => {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(', ')})`;
  return [32, 16, 8, 4, 2, 1].map(
    (size) => `INSERT INTO ${table} (${names.join(', ')}) VALUES ${new Array(size).fill(row).join(', ')}`,
  );
};
const textOnce = once(textOf);
compare(
  'the texts of an insert made once (once)',
  () => keep(textOf(insert)),
  () => keep(textOnce(insert)),
);

const touched = { standing: JSON.stringify({ ...UNTOUCHED, outcome_count: 3, validators: ['agent/a', 'agent/b'] }) };
compare(
  'a standing parsed once (standingOf)',
  () => keep(JSON.parse(touched.standing)),
  () => keep(standingOf(touched)),
);
const stood = { ...UNTOUCHED, evidence_success: 0.1234, prior_confidence: 0.9, last_outcome: 'success' };
compare(
  'a standing as text by hand (standingJson)',
  (i) => keep(JSON.stringify(Object.assign(stood, { outcome_count: i }))),
  (i) => keep(standingJson(Object.assign(stood, { outcome_count: i }))),
);

const fourteen = () => {
  const { branch, entity_path, key, version, agent_id, session_id, written_at, commit_id } = origin;
  return { branch, entity_path, key, version, agent_id, session_id, written_at, commit_id };
};
const base = { ...fourteen(), seq: 1, deleted: 0, shared: 1, ttl_at: null, confidence: 0.5, content_hash: 'h' };
compare(
  'a row of 16 members written out, not spread first',
  (i) => keep({ ...base, document: 'd', seq: i }),
  (i) =>
    keep({
      branch: base.branch,
      entity_path: base.entity_path,
      key: base.key,
      version: base.version,
      agent_id: base.agent_id,
      session_id: base.session_id,
      written_at: base.written_at,
      commit_id: base.commit_id,
      deleted: base.deleted,
      shared: base.shared,
      ttl_at: base.ttl_at,
      confidence: base.confidence,
      content_hash: base.content_hash,
      document: 'd',
      seq: i,
    }),
);
compare(
  'a spread that comes last, not first',
  (i) => keep({ ...base, a: i, b: 2, c: 3, d: 4 }),
  (i) => keep({ a: i, b: 2, c: 3, d: 4, ...base }),
);
compare(
  'members added by Object.assign, not after a spread',
  (i) => keep({ ...base, a: i, b: 2, c: 3, d: 4 }),
  (i) => keep(Object.assign({}, base, { a: i, b: 2, c: 3, d: 4 })),
);

const entryRoutes = patterns.filter((one) => one.method === 'GET' && routerPath(one) === '/api/v1/entries/*');
const matchEntry = pathMatcher(entryRoutes);
compare(
  'an address cut from its end (pathMatcher)',
  (i) => keep(matchPath(entryRoutes, `/api/v1/entries/checkout/payments/k${i}`)),
  (i) => keep(matchEntry(`/api/v1/entries/checkout/payments/k${i}`)),
);

const ascii = (text) => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return text.normalize('NFC');
  return text;
};
compare(
  'dropped: ASCII is not normalised',
  () => keep('checkout/payments/retry-policy'.normalize('NFC')),
  () => keep(ascii('checkout/payments/retry-policy')),
);

await import('./sqlite-tricks.mjs');
process.exitCode = hasKept() ? 0 : 1;
