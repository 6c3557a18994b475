import { JsonText } from '@mem-service/contract';
import { expect, it, onTestFinished } from 'vitest';
import { caller, openTestApp } from '../support/app.ts';
import { longestTurnOf } from '../support/turns.ts';

const members = (version: number) =>
  Array.from({ length: 40_000 }, (_, i) => `"m${(i * 7919) % 40_000}":${i + version}`);
const jsonOf = (list: readonly string[]) => {
  const text = `{${list.join()}}`;
  return new JsonText(text).knowing(JSON.parse(text));
};

it('a value of many members is compared with the one before in turns with other requests', async () => {
  const app = await openTestApp('sqlite');
  onTestFinished(() => app.close());
  const write = (value: JsonText) => app.call('entries.write', { entity_path: 'a', key: 'k', value: value as never });
  await write(jsonOf(members(0)));
  const reversed = [1, 0, 1].map((n) => jsonOf(n === 1 ? members(0).reverse() : members(0)));
  await new Promise(setImmediate);
  const longest = await longestTurnOf(async (n) => {
    expect(await write(reversed[n] as JsonText)).toMatchObject({ unchanged: true, version: 1 });
  });
  expect(longest).toBeLessThan(100);
  expect(await write(jsonOf(members(1)))).toMatchObject({ unchanged: false, version: 2 });
});

it('two versions of many members are compared in turns with other requests', async () => {
  const app = await openTestApp('sqlite');
  onTestFinished(() => app.close());
  for (const version of [0, 1])
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: jsonOf(members(version)) as never });
  let changes: readonly { path: string; new_value?: unknown }[] = [];
  const longest = await longestTurnOf(async () => {
    ({ changes } = await app.kernel.invoke('entries.diff', { entity_path: 'a', key: 'k' }, caller()));
  });
  expect(longest).toBeLessThan(100);
  expect(changes).toMatchObject([{ path: '', operation: 'replace', new_value: new JsonText(jsonOf(members(1)).text) }]);
});
