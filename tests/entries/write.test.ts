import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, exact, iso, refusal, textOf } from './support.ts';

describe.each(backends)('writing an entry on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('what is left out takes its default', async () => {
    const written = await app.call('entries.write', { entity_path: 'w/defaults', key: 'k', value: 'v' });
    expect(written).toMatchObject({
      version: 1,
      branch: 'main',
      confidence: 0.7,
      memory_type: 'fact',
      shared: true,
      ttl_at: null,
      artifact_refs: [],
      is_artifact: false,
      commit_id: null,
      unchanged: false,
      outcome_count: 0,
      recall_count: 0,
      tier: 3,
      evidence_status: 'untested',
      provenance: {
        agent_id: 'agent/test',
        session_id: null,
        written_at: iso(app.clock.now()),
        pattern_refs: [],
      },
    });
  });

  it('every field is read back as it was written', async () => {
    const fields = {
      value: { attempts: 5, note: 'naïve — ✓ 𝔘', nested: [null, true, { a: [] }] },
      confidence: 0.25,
      memory_type: 'procedure' as const,
      shared: false,
      artifact_refs: [{ uri: 's3://bucket/a', media_type: 'text/plain', label: 'a', size_bytes: 7 }, { uri: 'x:y' }],
    };
    const pattern_refs = ['p/one', 'with "quotes"', '100%_\\'];
    const ttl_at = iso(app.clock.now() + 60_000);
    const at = { entity_path: 'w/all', key: 'k' };
    const written = await app.call('entries.write', { ...at, ...fields, pattern_refs, ttl_at });
    const read = await app.call('entries.read', at);
    for (const entry of [written, read]) {
      expect(entry).toMatchObject({ ...at, ...fields, ttl_at, version: 1 });
      expect(entry.provenance.pattern_refs).toEqual(pattern_refs);
    }
  });

  it('ttl_seconds counts from the write', async () => {
    const written = await app.call('entries.write', { entity_path: 'w', key: 'ttl', value: 1, ttl_seconds: 90.5 });
    expect(written.ttl_at).toBe(iso(app.clock.now() + 90_500));
  });

  it('the shortest ttl_seconds still gives an entry that is there when it is answered', async () => {
    const at = { entity_path: 'w', key: 'blink' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 1e-9 });
    expect(await app.call('entries.read', at)).toMatchObject({ value: 1 });
  });

  it('agent and session in the body win over those of the caller', async () => {
    const as = { agent_id: 'agent/caller', session_id: 'sess-caller' };
    const own = await app.call('entries.write', { entity_path: 'w', key: 'mine', value: 1 }, as);
    expect(own.provenance).toMatchObject(as);
    const named = { agent_id: 'agent/body', session_id: 'sess-body' };
    const other = await app.call('entries.write', { entity_path: 'w', key: 'theirs', value: 1, ...named }, as);
    expect(other.provenance).toMatchObject(named);
  });

  it('numbers keep their digits and their form', async () => {
    const text = '{"big":12345678901234567890,"form":1.0,"huge":1e400,"minus":-0, "spaced" : [ 1 ]}';
    await app.call('entries.write', { entity_path: 'w', key: 'digits', value: exact(text) });
    expect(await textOf(app, 'entries.read', { entity_path: 'w', key: 'digits' })).toContain(`"value":${text},`);
  });

  it('any JSON value is a value, null among them', async () => {
    for (const value of [null, false, 0, '', [], {}, 'text', [[[]]], { __proto__x: 1 }]) {
      const at = { entity_path: 'w/any', key: JSON.stringify(value) };
      await app.call('entries.write', { ...at, value });
      expect((await app.call('entries.read', at)).value).toEqual(value);
    }
  });

  it('characters that databases trip over come back', async () => {
    const value = { nul: 'a\u0000b', lone: '\ud800', quote: `'"\\`, text: '\u2028\ufeff' };
    const at = { entity_path: 'w', key: 'odd' };
    await app.call('entries.write', { ...at, value });
    expect((await app.call('entries.read', at)).value).toEqual(value);
  });

  it('paths and keys are the same however their accents are composed', async () => {
    await app.call('entries.write', { entity_path: 'w/cafe\u0301', key: 'e\u0301', value: 1 });
    const read = await app.call('entries.read', { entity_path: 'w/caf\u00e9', key: '\u00e9' });
    expect(read).toMatchObject({ entity_path: 'w/caf\u00e9', key: '\u00e9', version: 1 });
  });

  it('a value that is missing, has no JSON form or is nested too deeply is refused', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 129; level++) deep = [deep];
    let endless: unknown = 1;
    for (let level = 0; level < 100_000; level++) endless = [endless];
    for (const value of [undefined, () => 1, 1n, deep, endless, exact('['.repeat(129) + ']'.repeat(129))]) {
      const refused = await refusal(app.call('entries.write', { entity_path: 'w', key: 'none', value }));
      expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path: 'value' }] });
    }
  });

  it.each([
    ['confidence', { confidence: 1.01 }],
    ['confidence', { confidence: Number.NaN }],
    ['memory_type', { memory_type: 'rumour' as 'fact' }],
    ['entity_path', { entity_path: 'a/../b' }],
    ['key', { key: '' }],
    ['ttl_seconds', { ttl_seconds: 5, ttl_at: '2027-01-01T00:00:00Z' }],
    ['ttl_seconds', { ttl_seconds: 0 }],
    ['pattern_refs.0', { pattern_refs: [''] }],
    ['colour', { colour: 'red' }],
  ])('a bad %s is refused by name', async (path, input) => {
    const before = await countRows(app, 'events');
    const refused = await refusal(app.call('entries.write', { entity_path: 'w', key: 'bad', value: 1, ...input }));
    expect(refused).toMatchObject({ code: 'invalid_input', status: 422, errors: [{ path }] });
    expect(await countRows(app, 'events')).toBe(before);
  });

  it('a branch that does not exist is refused', async () => {
    const write = { entity_path: 'w', key: 'k', value: 1, branch: 'dev' };
    expect(await refusal(app.call('entries.write', write))).toMatchObject({ code: 'branch_not_found', branch: 'dev' });
  });

  it('each version has its place in the log, with what was written', async () => {
    const { seq } = await app.call('entries.write', { entity_path: 'w/log', key: 'k', value: 1, confidence: 0.5 });
    const { events } = await app.call('log.list', { after: seq - 1 });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      seq,
      event_type: 'write',
      agent_id: 'agent/test',
      entity_path: 'w/log',
      key: 'k',
      version: 1,
      details: { entity_path: 'w/log', key: 'k', version: 1, confidence: 0.5, memory_type: 'fact', shared: true },
    });
  });

  it('quality hints come with every write and refuse none', async () => {
    const poor = await app.call('entries.write', { entity_path: 'w', key: 'poor', value: 'x', memory_type: 'belief' });
    expect(poor.quality.action).toBe('stored_with_suggestions');
    expect(poor.quality.issues.map((issue) => issue.type)).toContain('too_short');
    const value = { finding: 'The gateway drops connections after 30 s of silence', measured: '2026-01-01' };
    const rich = await app.call('entries.write', { entity_path: 'w', key: 'rich', value });
    expect(rich.quality).toEqual({ score: 1, action: 'stored_ok', issues: [] });
  });

  it('a source file is marked as an artifact, by its key or by its text', async () => {
    const named = await app.call('entries.write', { entity_path: 'w', key: 'src/main.py', value: 'x' });
    const coded = await app.call('entries.write', {
      entity_path: 'w',
      key: 'snippet',
      value: 'import { a } from "b";\nexport const c = a();\n',
    });
    const note = await app.call('entries.write', { entity_path: 'w', key: 'note', value: 'We import from Brazil.' });
    expect([named.is_artifact, coded.is_artifact, note.is_artifact]).toEqual([true, true, false]);
  });
});
