import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends, type TestApp } from '../support/app.ts';
import { briefsIn, compiled, type Digest, digestsOf, openCompiling } from './compiled.ts';

const WRITER = { agent_id: 'agent/writer' };
const READER = { agent_id: 'agent/reader' };
const scopedTo = (path: string): Partial<Caller> => {
  const scope = [[parseGlob(path) as never]];
  return { ...READER, key: { key_id: path, name: path, type: 'agent', read: scope, write: scope } };
};
/** Everybody who may not see what is called a secret here. */
const OUTSIDERS: [who: string, as: Partial<Caller>][] = [
  ['another agent', READER],
  ['a key for one path', scopedTo('open/**')],
];

/** Everything that digests are made of, at one path: `mark` is in each name. */
async function live(app: TestApp, { path, mark, shared }: { path: string; mark: string; shared: boolean }) {
  const write = (key: string, more: object = {}) =>
    app.call('entries.write', { entity_path: path, key, value: `${mark} ${key}`, shared, ...more } as never, WRITER);
  for (const key of [`${mark}-right`, `${mark}-wrong`, `risk-${mark}`]) await write(key, { pattern_refs: [mark] });
  await write(`${mark}-steps`, { memory_type: 'procedure' });
  for (let n = 0; n < 4; n++) {
    const session = { ...WRITER, session_id: `${mark}-${n}` };
    const key = n === 3 ? `${mark}-wrong` : `${mark}-right`;
    await app.call('entries.read', { entity_path: path, key }, session);
    const outcome_type = n === 3 ? 'critical_failure' : 'success';
    await app.call('outcomes.commit', { outcome_ref: `${mark}-ref-${n}`, outcome_type } as never, session);
  }
}

describe.each(backends)('what a reader may not see, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openCompiling(backend);
    await live(app, { path: 'open/a', mark: 'plain', shared: true });
    await live(app, { path: 'open/a', mark: 'secretly', shared: false });
    await live(app, { path: 'closed/b', mark: 'secretside', shared: true });
    const edge = { source: 'open/a', source_type: 'entity', relation: 'needs', target_type: 'entity' };
    await app.call('graph.link', { ...edge, target: 'closed/secretside' } as never, WRITER);
    await compiled(app);
    await caughtUp(app);
  });
  afterAll(() => app.close());

  /** All that says something about digests to somebody who may not ask for the whole account. */
  const everything = async (as: Partial<Caller>): Promise<string> => {
    const paths = [undefined, 'open', 'open/a', 'closed', 'closed/b'];
    const briefings = paths.flatMap((entity_path) =>
      [false, true].map(async (compact) => {
        // What to do next names the path that was asked for.
        const { next_steps: _, ...answer } = await app.call('briefing.read', { entity_path, compact }, as);
        return answer;
      }),
    );
    const timelines = ['system', WRITER.agent_id].map((agent_id) =>
      app.call('agents.timeline', { agent_id, event_type: ['brief_compiled'] }, as).catch(() => null),
    );
    return JSON.stringify([
      await digestsOf(app, as),
      await briefsIn(app, as),
      await Promise.all(briefings),
      await Promise.all(timelines),
    ]);
  };

  it('is in digests, briefings and events for its author or for a key of all paths', async () => {
    const seen = await everything(WRITER);
    expect(seen).toContain('secretside');
    const maps = (await briefsIn(app, WRITER)).filter(({ details }) => details.digest_type === 'connection_map');
    expect(maps.map(({ entity_path }) => entity_path)).toContain('open/a');
  });

  it('is in no digest, briefing or event for another agent where it is not shared', async () => {
    expect(await everything(READER)).not.toContain('secretly');
  });

  it('is in no digest, briefing or event for a key of another path, not even that there is a map', async () => {
    const seen = await everything(scopedTo('open/**'));
    expect(seen).toContain('plain-right');
    expect(seen).not.toMatch(/secret|closed|connection_map/);
  });

  it.each(OUTSIDERS)(
    'has no part in a sentence for %s, and each sentence names only entries behind it',
    async (_, as) => {
      const digests = await digestsOf(app, as);
      const { entries } = await app.call('entries.list', { limit: 1000 }, as);
      const names = new Map(entries.map(({ entity_path, key, version }) => [`${entity_path}/${key}`, version]));
      const sentences = digests.flatMap(({ summary }: Digest) => summary.sentences);
      expect(sentences.length).toBeGreaterThan(5);
      for (const { text, entries: behind } of sentences) {
        expect(behind.length, text).toBeGreaterThan(0);
        for (const { entity_path, key, version } of behind)
          expect(names.get(`${entity_path}/${key}`), `${text} points at ${entity_path}/${key}`).toBe(version);
        const keys = behind.map(({ key }) => key);
        for (const { key } of entries) if (text.includes(key)) expect(keys, text).toContain(key);
      }
      for (const { summary } of digests)
        expect(summary.narrative).toBe(summary.sentences.map(({ text }) => text).join(' '));
    },
  );

  it('goes at once when it expires, is deleted or erased, before anything is compiled again', async () => {
    const path = 'open/gone';
    const ttl_at = new Date(app.clock.now() + 60_000).toISOString();
    const write = (key: string, more: object = {}) =>
      app.call('entries.write', { entity_path: path, key, value: key, ...more } as never, WRITER);
    await write('stays');
    await write('gone-by-time', { ttl_at });
    for (const key of ['gone-by-deletion', 'gone-by-erasure']) await write(key);
    await compiled(app);
    await caughtUp(app);
    expect(await everything(READER)).toMatch(/gone-by-time/);
    app.clock.advance(61_000);
    await app.call('entries.delete', { entity_path: path, key: 'gone-by-deletion' }, WRITER);
    await app.call('entries.erase', { entity_path: path, key: 'gone-by-erasure' } as never, WRITER);
    const digests = JSON.stringify(await digestsOf(app, READER));
    expect(digests).toContain('stays');
    expect(digests).not.toMatch(/gone-by/);
    const { digests: briefed, validated, procedures } = await app.call('briefing.read', { entity_path: path }, READER);
    expect(JSON.stringify([briefed, validated, procedures])).not.toMatch(/gone-by/);
    const { lines } = (await app.call('transfer.export', {} as never, WRITER)) as unknown as {
      lines: { record: string }[];
    };
    // The audit says what was erased.
    const named = lines.filter((line) => JSON.stringify(line).includes('gone-by-erasure'));
    expect(named.map(({ record }) => record)).toEqual(['audit']);
  });
});
