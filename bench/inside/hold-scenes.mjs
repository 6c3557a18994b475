import { operations } from '../../packages/contract/src/index.ts';
import { isBody, limitOf, requestFor, VALUE_BYTES } from './hold-cases.mjs';
import { forms } from './hold-forms.mjs';
import { otlpSpans } from './hold-packed.mjs';

const SEED = 'holds/seed';
const AGENT = 'agent/holds';
const SESSION = 'holds-session';
const asAgent = { 'x-mem-agent-id': AGENT };
const inSession = { ...asAgent, 'x-mem-session-id': SESSION };
const ask = (name, input, headers = asAgent) => ({ ...requestFor(name, input), headers });

/** Each of the largest values in two versions that differ in every part. */
const LARGE = {
  rows: (version) => Array.from({ length: 12_000 }, (_, n) => ({ k1: n + version, k2: n % 97, t: `x${n}` })),
  names: (version) =>
    Object.fromEntries(Array.from({ length: 48_000 }, (_, i) => [`m${(i * 7919) % 48_000}`, i + version])),
  items: (version) => Array.from({ length: 240_000 }, (_, i) => (i + version) % 10),
  objects: (version) => Array.from({ length: 40_000 }, (_, i) => ({ a: i + version })),
  text: (version) => forms.prose.text(VALUE_BYTES - version),
  scripts: (version) => forms.scripts.text(VALUE_BYTES - version),
};

/** A path as long as a path may be. */
const longPath = (i) => `holds/many/${i}/${'p'.repeat(480)}`;
const BATCHES = 20;
const BATCH = 1000;

function* seedRequests() {
  for (const [key, value] of Object.entries(LARGE))
    for (const version of [0, 1]) yield ask('entries.write', { entity_path: SEED, key, value: value(version) });
  for (let i = 0; i < 30; i++)
    yield ask('entries.write', { entity_path: SEED, key: `large-${i}`, value: forms.prose.text(VALUE_BYTES - i) });
  for (let batch = 0; batch < BATCHES; batch++) {
    const writes = Array.from({ length: BATCH }, (_, i) => ({
      entity_path: longPath(batch * BATCH + i),
      key: `${'k'.repeat(240)}${i}`,
      value: { note: 'retry payments checkout', n: i },
      pattern_refs: [`${'r'.repeat(200)}${batch * BATCH + i}`],
    }));
    yield ask('commits.create', { writes, message: 'm'.repeat(1000) });
  }
  for (let batch = 0; batch < BATCHES; batch++) {
    const writes = Array.from({ length: BATCH }, (_, i) => ({
      entity_path: `erased/${batch}`,
      key: `k${i}`,
      value: 'retry payments',
    }));
    yield { ...ask('commits.create', { writes }), headers: { 'x-mem-agent-id': `agent/erased-${batch % 2}` } };
  }
  yield* alikeRequests();
  const hub = `${SEED}/${'h'.repeat(400)}`;
  for (let i = 0; i < 1000; i++)
    yield ask('graph.link', {
      ...{ source: hub, source_type: 'entity', relation: 'depends_on' },
      ...{ target: `${'t'.repeat(880)}${i}`, target_type: 'outcome' },
    });
  for (let i = 0; i < 300; i++) yield ask('tags.create', { name: `tag-${i}`, description: 'd'.repeat(2000) });
}

/** Entries that say nearly the same, as long as texts are that are compared, and copies of the longest values that are. */
function* alikeRequests() {
  const near = forms.prose.text(560);
  const copied = forms.scripts.text(7_500);
  for (const agent of ['agent/one', 'agent/other']) {
    const writes = (make) => Array.from({ length: 200 }, (_, i) => make(i));
    const headers = { 'x-mem-agent-id': agent };
    const at = (entity_path, key) => ({ entity_path: `holds/alike/${entity_path}`, key: `${agent.slice(6)}-${key}` });
    const nearly = (i) => ({
      ...at('near', `said-${i}`),
      value: `${near} Said ${i % 7} times${i % 2 ? ', not less' : ''}.`,
    });
    const same = (i) => ({ ...at(`same/${i % 20}`, `copy-${i}`), value: `${i % 20} ${copied}` });
    yield { ...ask('commits.create', { writes: writes(nearly) }), headers };
    yield { ...ask('commits.create', { writes: writes(same) }), headers };
  }
}

/** What a session reads and records before its outcome: as many of everything as it may. */
function* sessionRequests(session) {
  const headers = { ...asAgent, 'x-mem-session-id': session };
  for (let i = 0; i < 2000; i++)
    yield { ...ask('entries.read', { entity_path: longPath(i), key: `${'k'.repeat(240)}${i % BATCH}` }), headers };
  for (let i = 0; i < 30; i++) yield { ...ask('entries.search', { query: 'retry payments', limit: 1000 }), headers };
  for (let i = 0; i < 9; i++)
    yield {
      ...ask('sessions.ingest_otlp', otlpSpans(1000, { session, first: i * 1000, text: 'x'.repeat(2000) })),
      headers,
    };
}

/** Reads over the seed, where the example finds little or nothing. */
const READS = {
  'entries.read': Object.keys(LARGE).map((key) => ({ entity_path: SEED, key })),
  'entries.history': Object.keys(LARGE).map((key) => ({ entity_path: SEED, key, limit: 1000 })),
  'entries.diff': Object.keys(LARGE).map((key) => ({ entity_path: SEED, key, old_version: 1, new_version: 2 })),
  'entries.confidence': [{ entity_path: SEED, key: 'names' }],
  'entries.list': [{ limit: 1000 }, { limit: 1000, fields: 'meta' }, { entity_path: `${SEED}/**`, limit: 1000 }],
  'entries.restore': Object.keys(LARGE).map((key) => ({ entity_path: SEED, key, version: 1 })),
  'entries.search': [
    { query: 'retry payments checkout OR überlastung "was changed"', limit: 1000 },
    { query: 'retry payments', limit: 1000, sort_by: 'recency' },
    { query: 'retry payments checkout', limit: 1000, entity_path: `${SEED}/**` },
    { query: Array.from({ length: 500 }, (_, i) => `w${i}*`).join(' '), limit: 1000 },
    { limit: 1000 },
  ],
  'entries.aggregate': [
    { entity_path: `${SEED}/**`, op: 'sum', field: 'k1', group_by: 'k2', row_path: '' },
    { entity_path: 'holds/**', op: 'count', group_by: 'n' },
    { entity_path: 'holds/**', op: 'sum', field: 'n', group_by: 'note' },
  ],
  'entries.verify': [{ limit: 100_000 }],
  'commits.list': [{ limit: 1000 }],
  'traces.list': [{ limit: 1000, query: 'retry payments' }, { limit: 1000 }],
  'traces.verify': [{ limit: 10_000 }],
  'outcomes.list': [{ limit: 1000 }],
  'agents.timeline': [{ agent_id: AGENT, limit: 1000 }],
  'agents.activity': [{ agent_id: AGENT, limit: 1000 }],
  'agents.memory_graph': [{ agent_id: AGENT }],
  'agents.cross_agent_reads': [{ agent_id: AGENT }],
  'agents.profile': [{ agent_id: AGENT }],
  'agents.discover': [{ entity_path: SEED, limit: 100 }],
  'agents.recall': [{ agent_id: AGENT, entity_path: SEED, key: 'names' }],
  'agents.read_from': [{ agent_id: 'agent/other', source_agent_id: AGENT, entity_path: SEED, key: 'names' }],
  'graph.neighbors': [
    { entity: `${SEED}/${'h'.repeat(400)}`, type: 'entity', depth: 5, limit: 1000 },
    { entity: AGENT, type: 'agent', depth: 5, limit: 1000 },
  ],
  'log.list': [{ after: 0, limit: 1000 }],
  'audit.verify': [{ limit: 100_000 }],
  'entries.retrieve': [
    { query: 'what was changed in the retry policy of checkout payments after the overload?', limit: 100 },
    { query: forms.prose.text(1_900), limit: 100, max_tokens: 100_000 },
    { query: 'how often are payments retried?', limit: 100, entity_path: `${SEED}/**` },
    { query: 'what did we say last week?', limit: 100, entity_path: 'holds/alike/**', neighbors: 5 },
  ],
  'briefing.read': [
    { limit: 100 },
    { entity_path: SEED, limit: 100 },
    { entity_path: 'holds', limit: 100, max_tokens: 1_000_000 },
    { entity_path: 'holds/alike/**', compact: true },
  ],
  'digests.list': [{ limit: 100 }, { limit: 100, entity_path: 'holds/**' }, { limit: 100, digest_type: 'agent_brief' }],
  'cortex.activity': [{ limit: 200 }],
  'cortex.recompile': [{ limit: 100 }, { scope: SEED }, { scope: AGENT }],
  'consolidation.candidates': ['near', 'same/**', '**'].map((below) => ({
    ...{ entity_path: `holds/alike/${below}`, limit: 100 },
  })),
  'consolidation.run': [
    { entity_path: 'holds/alike/**', preview: true },
    { entity_path: 'holds/alike/near' },
    { entity_path: 'holds/alike/same/**' },
    {},
  ],
  'consolidation.proposals': [{ limit: 100, status: 'all' }],
};

/** Requests that need what others left: the largest entries, many rows, and long sessions. */
export function* scenes({ only = '' }) {
  const wanted = (name) => name.includes(only);
  yield { seed: seedRequests };
  for (const [name, inputs] of Object.entries(READS).filter(([name]) => wanted(name)))
    for (const [i, input] of inputs.entries())
      yield { name, what: `over the largest, ${input.key ?? i + 1}`, request: () => ask(name, input) };
  for (const name of Object.keys(operations))
    if (wanted(name) && operations[name].effect === 'read' && !isBody(name) && !operations[name].stream && !READS[name])
      yield {
        name,
        what: 'over many rows',
        request: () => ask(name, { ...operations[name].example(0), ...limitOf(name) }),
      };
  if (wanted('log.stream'))
    yield {
      name: 'log.stream',
      what: 'from the beginning',
      request: () => ({ ...ask('log.stream', { after: 0 }), seconds: 4 }),
    };
  yield* sameAgain(wanted);
  yield* sessionScenes(wanted);
  yield* erasureScenes(wanted);
}

/** Values that are equal to those that are there, but written differently, have to be compared. */
function* sameAgain(wanted) {
  if (!wanted('entries.write')) return;
  const turned = { ...LARGE, names: (version) => Object.fromEntries(Object.entries(LARGE.names(version)).reverse()) };
  for (const key of ['names', 'items', 'objects'])
    yield {
      name: 'entries.write',
      what: `the same again, ${key}`,
      request: () => ({
        ...ask('entries.write', {}),
        body: `{"entity_path":"${SEED}","key":"${key}","value":${JSON.stringify(turned[key](1)).replaceAll(',', ', ')}}`,
      }),
    };
}

function* sessionScenes(wanted) {
  const names = ['sessions.explain', 'outcomes.commit', 'entries.write', 'traces.read'];
  if (!names.some(wanted)) return;
  yield { seed: () => sessionRequests(SESSION) };
  yield { name: 'sessions.explain', what: 'of a long session', request: () => ask('sessions.explain', {}, inSession) };
  const used = Array.from({ length: 1000 }, (_, i) => ({ entity_path: longPath(i), key: `${'k'.repeat(240)}${i}` }));
  const names1000 = used.map(({ entity_path, key }) => `${entity_path}/${key}`);
  yield {
    name: 'outcomes.commit',
    what: 'of 1,000 causes',
    request: () =>
      ask('outcomes.commit', { outcome_ref: 'holds-causes', outcome_type: 'success', causal_entry_keys: names1000 }),
  };
  yield {
    name: 'entries.write',
    what: 'in a long session',
    request: () => ask('entries.write', { entity_path: 'holds/long', key: 'k', value: 1 }, inSession),
  };
  yield {
    name: 'outcomes.commit',
    what: 'of a long session',
    once: true,
    request: () => ask('outcomes.commit', { outcome_ref: 'holds-long', outcome_type: 'failure' }, inSession),
  };
  yield {
    name: 'sessions.explain',
    what: 'of a long trace',
    request: () => ask('sessions.explain', { outcome_ref: 'holds-long' }),
  };
  yield {
    name: 'traces.read',
    what: 'of a long session',
    request: async (send) => ask('traces.read', { trace_id: await newestTrace(send) }),
  };
}

async function newestTrace(send) {
  const { text } = await send({ ...ask('outcomes.list', { outcome_ref: 'holds-long' }), keep: true });
  return JSON.parse(text).outcomes[0].trace_id;
}

function* erasureScenes(wanted) {
  if (wanted('entries.erase')) {
    yield {
      name: 'entries.erase',
      what: 'of 20,000 entries, dry run',
      request: () => ask('entries.erase', { entity_path: 'erased/**', dry_run: true }),
    };
    yield {
      name: 'entries.erase',
      what: 'of 1,000 entries',
      once: true,
      request: () => ask('entries.erase', { entity_path: 'erased/0' }),
    };
  }
  if (wanted('agents.erase')) {
    yield {
      name: 'agents.erase',
      what: 'of 10,000 entries, dry run',
      request: () => ask('agents.erase', { agent_id: 'agent/erased-1', dry_run: true }),
    };
    yield {
      name: 'agents.erase',
      what: 'of 10,000 entries',
      once: true,
      request: () => ask('agents.erase', { agent_id: 'agent/erased-1' }),
    };
    yield {
      name: 'agents.erase',
      what: 'of everything',
      once: true,
      last: true,
      request: () => ask('agents.erase', { agent_id: AGENT, with_others: true }),
    };
  }
  if (wanted('entries.erase'))
    yield {
      name: 'entries.erase',
      what: 'of the rest',
      once: true,
      request: () => ask('entries.erase', { entity_path: 'erased/**' }),
    };
}
