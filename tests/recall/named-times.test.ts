import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const DAY = 86_400_000;

const outages: [day: string, cause: string][] = [
  ['2026-03-14', 'the connection pool of the checkout was exhausted'],
  ['2026-05-02', 'a certificate of the gateway had run out'],
  ['2026-07-21', 'a migration locked the table of orders'],
  ['2026-09-09', 'the disk of the queue was full'],
];
const meetings: [day: string, meeting: string][] = [
  ['Monday', 'the planning of the sprint'],
  ['Tuesday', 'the review of designs'],
  ['Wednesday', 'the call with the customers'],
  ['Thursday', 'the round of the architects'],
  ['Friday', 'the demonstration to everyone'],
];
const releases: [month: string, release: string][] = [
  ['January', 'the new invoices'],
  ['April', 'the mobile application'],
  ['October', 'the search by voice'],
];

describe.each(backends)('a question with a named time, on %s', (backend) => {
  let app: TestApp;
  const ask = (query: string, more: object = {}) => app.call('entries.retrieve', { query, ...more }, A);
  const write = (entity_path: string, key: string, value: string) =>
    app.call('entries.write', { entity_path, key, value }, A);
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [day, cause] of outages) await write('outages', day, `Outage of ${day}: ${cause}.`);
    // On days in a row, so that one about another day was written on the day that is asked for.
    for (const [at, [day, meeting]] of meetings.entries()) {
      await write('meetings', `m${at}`, `On ${day} at ten there is ${meeting}.`);
      app.clock.advance(DAY);
    }
    await write('deploys', 'rule', 'Nothing is shipped on a Friday afternoon: nobody is there to mend it.');
    app.clock.advance(2 * DAY);
    for (const [at, [month, release]] of releases.entries())
      await write('releases', `r${at}`, `In ${month} we release ${release}.`);
  });
  afterAll(() => app.close());

  it.each(outages)('finds what is about the day %s, whenever it was written', async (day) => {
    const { entries, time } = await ask(`what caused the outage on ${day}?`);
    expect(entries[0]).toMatchObject({ entity_path: 'outages', key: day });
    expect(time?.since).toBe(`${day}T00:00:00.000Z`);
  });

  it.each(meetings)('finds what is about each %s, whenever it was written', async (day, meeting) => {
    const { entries } = await ask(`which meeting do we have on ${day}?`);
    expect(entries[0]?.passage).toContain(meeting);
  });

  it.each(releases)('finds what is about %s, whenever it was written', async (month, release) => {
    expect((await ask(`what do we release in ${month}?`)).entries[0]?.passage).toContain(release);
  });

  it('is as sure of an answer with the name of a day as of one about any such day', async () => {
    const [one, any] = [await ask('can I ship on friday afternoon?'), await ask('can I ship on a friday afternoon?')];
    for (const { entries } of [one, any]) expect(entries[0]).toMatchObject({ entity_path: 'deploys', key: 'rule' });
    expect(one.answerability).toEqual(any.answerability);
  });

  it('prefers what was written then where entries do not name a time, and leaves none of them out', async () => {
    const named = new Date(app.clock.now()).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    await write('lunch', 'first', 'There was soup for lunch.');
    app.clock.advance(2 * DAY);
    await write('lunch', 'second', 'There was soup for lunch.');
    app.clock.advance(DAY);
    const { entries } = await ask(`what was there for lunch on ${named}?`, { entity_path: 'lunch' });
    expect(entries.map(({ key }) => key)).toEqual(['first', 'second']);
  });

  it('that is nothing but the time finds what was written then and what is about it', async () => {
    const day = new Date(app.clock.now()).toISOString().slice(0, 10);
    await write('lunch', 'third', 'There were noodles.');
    await write('plans', 'party', 'Everyone is invited.');
    app.clock.advance(40 * DAY);
    await write('plans', 'later', `The party of ${day} was loud.`);
    const { entries, answerability } = await ask(`what happened on ${day}?`);
    expect(entries.map(({ key }) => key)).toEqual(expect.arrayContaining(['later', 'party', 'third']));
    expect(answerability.chance).toBeNull();
  });
});
