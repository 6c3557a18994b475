import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from './support.ts';

const AT = '2026-01-31T12:00:00Z';
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  const sent = [
    ...['events', 'send', '--source', 'ci', '--entity-path', 'shop', '--key', 'build'],
    ...['--event-type', 'build.failed', '--id', 'e1', '--occurred-at', AT, '--value', '{"state":"red"}'],
  ];
  expect(await desk.inProcess(sent)).toMatchObject({ code: 0 });
  expect(await desk.inProcess(['write', 'shop', 'plain', '1'])).toMatchObject({ code: 0 });
});
afterAll(() => desk.remove());

it('an entry that came by an event is read with its type and time, in one line', async () => {
  const { out } = await desk.inProcess(['read', 'shop', 'build']);
  expect(out).toMatch(/^event +build\.failed, 2026-01-31 12:00:00Z$/m);
  expect((await desk.inProcess(['read', 'shop', 'plain'])).out).not.toMatch(/^event/m);
});

it('its history has them in the line of the version', async () => {
  const { out } = await desk.inProcess(['history', 'shop', 'build']);
  expect(out).toMatch(/^VER .* EVENT\n *1 .*build\.failed, 2026-01-31 12:00:00Z\n$/);
  expect((await desk.inProcess(['history', 'shop', 'plain'])).out).not.toContain('EVENT');
});
