import { type OperationName, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { forAgents, newInput, outcomeOf, writing } from '../contract/table.ts';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const MARK = 'heldmark';
const AGENT = 'agent/holder';
const SESSION = 'sess-held';

const holding = (key_id: string, more: Partial<Principal> = {}, holder = key_id): Partial<Caller> => ({
  agent_id: AGENT,
  session_id: SESSION,
  actor: `key/${key_id}`,
  holder: `key/${holder}`,
  key: { key_id, name: key_id, type: 'admin', ...more },
});

const scope = [[parseGlob('elsewhere/**') as never]];
const OPENER = holding('opener');
const OTHERS: [who: string, as: Partial<Caller>][] = [
  ['another key', holding('other')],
  ['a key of another scope', holding('scoped', { read: scope, write: scope })],
  ['a key that shares its sessions', holding('sharing', { shares_sessions: true })],
  ['the first key of the configuration', { ...holding('1'), holder: '', key: undefined }],
];

/** Erasures of the agent reach its sessions, whichever key opened them. */
const trying = forAgents.filter((name) => name !== 'agents.erase');
const recording = writing.filter((name) => name.startsWith('sessions.') && name !== 'sessions.ingest_otlp');

describe.each(backends)('an open session on %s', (backend) => {
  let app: TestApp;
  let before: string;
  const at = { entity_path: `${MARK}/read`, key: 'k' };

  /** Everything that the store has of the session. */
  const stored = async () => {
    const tables = ['sessions', 'session_reads', 'session_items'];
    const rows = await Promise.all(tables.map((table) => rowsOf(app, `SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`)));
    return JSON.stringify(rows.flat().filter(({ session }) => String(session).endsWith('opener')));
  };
  const explained = (as: Partial<Caller>) => app.call('sessions.explain', {}, as);

  beforeAll(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...at, value: 1 }, { agent_id: 'agent/author' });
    await app.call('entries.read', at, OPENER);
    for (const name of recording) await app.call(name, newInput(name, MARK) as never, OPENER);
    await app.call('sessions.record_context', { label: `${MARK} label`, summary: `${MARK} summary` }, OPENER);
    await app.call('sessions.set_attributes', { attributes: { ticket: MARK } }, OPENER);
    await app.call('sessions.explain', {}, OPENER);
    before = await stored();
    expect(before).toContain(`${MARK} summary`);
  });
  afterAll(() => app.close());

  it.each(OTHERS)('is not shown to %s, nor changed or sealed by it', async (_, as) => {
    for (const name of trying) {
      const named = { agent_id: AGENT, session_id: SESSION };
      for (const input of [newInput(name, 'elsewhere'), { ...newInput(name, 'elsewhere'), ...named }]) {
        const seen = JSON.stringify(await outcomeOf(app, name, { input, as }));
        expect(seen, name).not.toContain(`${MARK} `);
        expect(seen, name).not.toContain(`"${MARK}"`);
      }
      expect(await stored(), name).toBe(before);
    }
    const { causal_entries, external_contexts, attributes } = await explained(as);
    expect(JSON.stringify([causal_entries, external_contexts, attributes])).not.toContain(MARK);
  });

  it.each(OTHERS)('has no events in the log, the stream or a timeline for %s', async (_, as) => {
    const looks: [OperationName, object][] = [
      ['log.list', { limit: 1000 }],
      ['log.stream', { after: 0 }],
      ['agents.timeline', { agent_id: AGENT, limit: 1000 }],
      ['agents.activity', { agent_id: AGENT, limit: 1000 }],
    ];
    for (const [name, input] of looks) {
      expect(JSON.stringify(await app.call(name, input as never, as)), name).not.toContain(`${MARK} label`);
      expect(JSON.stringify(await app.call(name, input as never, OPENER)), name).toContain(`${MARK} label`);
    }
  });

  it('stays open to the key that replaces its own', async () => {
    const successor = holding('successor', {}, 'opener');
    expect(JSON.stringify(await explained(successor))).toContain(`${MARK} summary`);
  });

  it('is sealed by its own key, with all that was recorded, and its trace is found by its name', async () => {
    await app.call('outcomes.commit', { outcome_ref: `${MARK}-done`, outcome_type: 'success' }, OPENER);
    expect(await stored()).toBe('[]');
    const { traces } = await app.call('traces.list', { session_id: SESSION, limit: 100 }, holding('other'));
    const [sealed] = traces.filter(({ outcome_ref }) => outcome_ref === `${MARK}-done`);
    expect(sealed).toMatchObject({ session_id: SESSION, agent_id: AGENT });
    const { outcomes } = await app.call('outcomes.list', { session_id: SESSION, limit: 100 }, holding('other'));
    expect(outcomes).toContainEqual(expect.objectContaining({ outcome_ref: `${MARK}-done`, session_id: SESSION }));
    const found = await app.call('sessions.explain', { outcome_ref: `${MARK}-done`, session_id: SESSION }, OPENER);
    expect(found).toMatchObject({ status: 'sealed', session_id: SESSION });
    expect(JSON.stringify(found)).toContain(`${MARK} summary`);
  });

  it('is one for all keys that share theirs', async () => {
    const [one, two] = ['one', 'two'].map((id) => holding(id, { shares_sessions: true }));
    await app.call('sessions.record_context', { label: 'shared', summary: 'by one' }, one);
    expect(JSON.stringify(await explained(two as never))).toContain('by one');
    for (const as of [OPENER, { agent_id: AGENT, session_id: SESSION }])
      expect(JSON.stringify(await explained(as))).not.toContain('by one');
  });

  it('is one for callers without a key and the first key of the configuration', async () => {
    const [, first] = OTHERS.at(-1) as (typeof OTHERS)[number];
    await app.call(
      'sessions.record_context',
      { label: 'plain', summary: 'by nobody' },
      { ...first, holder: undefined },
    );
    expect(JSON.stringify(await explained(first))).toContain('by nobody');
    const looks = [OPENER, first].map((as) => app.call('agents.timeline', { agent_id: AGENT, limit: 1000 }, as));
    expect((await Promise.all(looks)).map((seen) => JSON.stringify(seen).includes('plain'))).toEqual([false, true]);
  });
});
