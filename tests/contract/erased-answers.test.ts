import type { OperationName } from '@mem-service/contract';
import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows, refusal, rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { layMembers } from './negotiating.ts';
import { layInvitations } from './rooms.ts';
import { createExamples, definition, type JsonObject, type KnownIds, learn, newInput, writing } from './table.ts';

const MARK = 'doomedmark';
const AGENT = 'agent/doomed-author';

/** Erasures come last: they take away what the others speak of. */
const inOrder = [...writing].sort((a, b) => Number(!!definition(a).erases) - Number(!!definition(b).erases));
const keeping = inOrder.filter((name) => !definition(name).erases && !definition(name).admin);

/**
 * After these there is no room, or no invitation, for the account any more: a retry is answered as if there never was one.
 * The same goes for what was shared with a room once it is erased.
 */
const ENDS = /^rooms\.(remove_account|close|add_topic)$|^room_invitations\./;

type Retry = { name: OperationName; input: JsonObject; answer: unknown };

describe.each(backends)('answers to retries, after an erasure on %s', (backend) => {
  let app: TestApp;
  let known: KnownIds;
  const done: Retry[] = [];
  const as = { agent_id: AGENT, session_id: 'sess-doomed' };
  const call = ({ name, input }: Pick<Retry, 'name' | 'input'>) =>
    app.call(name, input as never, { ...as, idempotency_key: `retry/${name}` });
  const changes = async () => [await countRows(app, 'events'), await countRows(app, 'audit')];

  /** Each request again: it gets its answer or hears that it is erased, and nothing is done. */
  async function retryAll(): Promise<{ same: string[]; erased: string[] }> {
    const found = { same: [] as string[], erased: [] as string[] };
    const before = await changes();
    for (const one of done) {
      const again = await call(one).catch((error: unknown) => refusal(Promise.reject(error)));
      if (ENDS.test(one.name) && /^(room_)?not_found$/.test((again as { code?: string }).code ?? '')) continue;
      const isSame = JSON.stringify(again) === JSON.stringify(one.answer);
      if (isSame) found.same.push(one.name);
      else found.erased.push(one.name);
      if (!isSame) expect(again, one.name).toMatchObject({ code: 'answer_erased', status: 410 });
    }
    expect(await changes()).toEqual(before);
    return found;
  }

  const answers = () => rowsOf(app, `SELECT idempotency_key, answer FROM stored_answers WHERE answer <> ''`);
  const naming = async (text: string) =>
    (await answers()).filter(({ answer }) => String(answer).includes(text)).map((row) => row.idempotency_key);

  beforeAll(async () => {
    app = await openTestApp(backend);
    known = await createExamples(app, { mark: MARK, as });
    await layInvitations(app, { as }, known);
    for (const name of keeping) {
      if (name === 'negotiations.create') await layMembers(app, { as }, known);
      const input = newInput(name, MARK, known);
      const answer = await call({ name, input });
      learn(known, answer as object, name);
      // An answer that holds a secret is kept without it.
      if (!definition(name).once) done.push({ name, input, answer });
    }
  });
  afterAll(() => app.close());

  it('of nothing are all as they were', async () => {
    await app.call('entries.erase', { entity_path: 'there/is/nothing' }, as);
    expect((await retryAll()).erased).toEqual([]);
  });

  it('of other entries, by a key that reaches only those, are all as they were', async () => {
    const scope = [[parseGlob('elsewhere/**') as never]];
    const key = { key_id: 'k2', name: 'elsewhere', type: 'agent' as const, read: scope, write: scope };
    await app.call('entries.write', { entity_path: 'elsewhere/a', key: 'k', value: 1 }, { key });
    const { erased } = await app.call('entries.erase', { entity_path: 'elsewhere/**' }, { key });
    expect(erased).toMatchObject({ entries: 1, stored_answers: 0 });
    expect((await retryAll()).erased).toEqual([]);
  });

  it('are gone where they name an erased entry, and only there; a retry does nothing', async () => {
    expect(await naming(`${MARK}/`)).not.toEqual([]);
    const { erased } = await app.call('entries.erase', { entity_path: `${MARK}/**` }, as);
    // What a session records, what an edge joins and where a run looks may look like a path without being an entry. What was
    // shared with a room is a copy there.
    const others = /sessions\.|agents\.|graph\.|consolidation\.run|rooms\.add_topic/;
    const left = (await naming(`${MARK}/`)).filter((key) => !others.test(String(key)));
    expect(left).toEqual([]);
    const found = await retryAll();
    expect(found.erased).toHaveLength(erased.stored_answers);
    expect(found.erased).toEqual(
      expect.arrayContaining([
        'entries.write',
        'entries.delete',
        'commits.create',
        'outcomes.commit',
        'entries.import',
      ]),
    );
    expect(found.same).toEqual(expect.arrayContaining(['sessions.record_context', 'agents.set_profile']));
  });

  it('are gone where they name an erased entry in one word, or in what a search had shown', async () => {
    const at = { entity_path: 'ends/a%b', key: 'of/an edge' };
    const link = { source: 'ends/a%b/of%2fan edge', source_type: 'entry', relation: 'about', target: 'x' } as const;
    await app.call('entries.write', { ...at, value: 'unmistakable' }, as);
    await app.call('graph.link', { ...link, target_type: 'entity' }, { ...as, idempotency_key: 'edge' });
    const searching = { ...as, session_id: 'only searched' };
    await app.call('entries.search', { query: 'unmistakable' }, searching);
    const outcome = { outcome_ref: 'shown', outcome_type: 'success' } as const;
    await app.call('outcomes.commit', outcome, { ...searching, idempotency_key: 'advice' });
    expect(await naming('ends/a%b')).toEqual(expect.arrayContaining(['edge', 'advice']));
    await app.call('entries.erase', at, as);
    expect(await naming('ends/a%b')).toEqual([]);
    const again = app.call('outcomes.commit', outcome, { ...searching, idempotency_key: 'advice' });
    expect(await refusal(again)).toMatchObject({ code: 'answer_erased' });
  });

  it('are gone where they name an erased agent, and only there', async () => {
    await app.call('entries.write', { entity_path: 'others', key: 'k', value: 1 }, { idempotency_key: 'of another' });
    expect(await naming(`"${AGENT}"`)).not.toEqual([]);
    await app.call('agents.erase', { agent_id: AGENT, with_others: true }, {});
    expect(await naming(`"${AGENT}"`)).toEqual([]);
    expect(await naming('"others"')).toEqual(['of another']);
    await retryAll();
  });

  it('are found by an index, however many the account has', async () => {
    const explain = backend === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = JSON.stringify(
      await rowsOf(
        app,
        `${explain} SELECT idempotency_key FROM answer_names WHERE account_id = 'a' AND name_hash IN ('b', 'c')`,
      ),
    );
    expect(plan).toMatch(backend === 'sqlite' ? /SEARCH answer_names USING/ : /Index/);
  });

  it('are forgotten with their names after a day', async () => {
    app.clock.advance(24 * 60 * 60 * 1000 + 1);
    await app.jobs.sweep();
    expect(await rowsOf(app, 'SELECT name_hash FROM answer_names')).toEqual([]);
  });
});
