import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../packages/server/src/connectors/event-queue.ts';
import { THREAD_LIMITS } from '../../packages/server/src/connectors/thread-types.ts';
import type { Transformed } from '../../packages/server/src/connectors/types.ts';
import { classWith, ECHO, event, openTested } from './support.ts';

const HANGING = classWith(`if (event.payload.hangs) for (;;) {}\n    ${ECHO}`);
const hanging = (count: number) => Array.from({ length: count }, (_, i) => event(`bad-${i}`, { hangs: true }));
const reasonOf = (made: Transformed | undefined) => (made && 'failure' in made ? made.failure.reason : 'none');

describe('a queue', () => {
  it('takes the events of each account in turn, and those that are put back first', () => {
    const queue = new EventQueue();
    for (const text of ['a1', 'a2', 'a3', 'a4']) void queue.add(text, 'a');
    for (const text of ['b1', 'b2']) void queue.add(text, 'b');
    const textsOf = (events: readonly { text: string }[]) => events.map(({ text }) => text).join(' ');
    const taken = queue.take(4, 100);
    expect(textsOf(taken)).toBe('a1 b1 a2 b2');
    queue.putBack(taken.slice(1), 'a');
    expect({ length: queue.length, chars: queue.chars }).toEqual({ length: 5, chars: 10 });
    expect(textsOf(queue.take(9, 100))).toBe('b1 a2 b2 a3 a4');
    expect({ length: queue.length, chars: queue.chars }).toEqual({ length: 0, chars: 0 });
  });
});

describe('a tenant whose events hang', () => {
  it('fails no event of another, and soon waits itself', async () => {
    const { tested } = await openTested(HANGING, { threadLimits: { transform_ms: 500, wait_ms: 20_000 } });
    await tested.transform([event('first')], { account_id: 'good' });
    const started = performance.now();
    const bad = tested.transform(hanging(12), { account_id: 'bad' });
    const good: Transformed[] = [];
    for (let i = 0; i < 6; i++) good.push(...(await tested.transform([event(`g${i}`)], { account_id: 'good' })));
    expect(good.every((one) => 'results' in one)).toBe(true);
    const reasons = (await bad).map(reasonOf);
    expect(reasons.filter((reason) => reason.includes('took longer'))).toHaveLength(2);
    expect(reasons.filter((reason) => reason.includes('takes this one later'))).toHaveLength(10);
    // Twelve hanging events would take six seconds and more.
    expect(performance.now() - started).toBeLessThan(5_000);
    const [late] = await tested.transform([event('later')], { account_id: 'bad' });
    expect(late).toMatchObject({ failure: { passing: true } });
    expect(await tested.transform([event('later')], { account_id: 'bad', again: true })).toMatchObject([
      { results: [{ key: 'later' }] },
    ]);
  });

  it('holds up nobody while its events are tried again', async () => {
    const { tested } = await openTested(HANGING, { threadLimits: { transform_ms: 3_000 } });
    let isDone = false;
    const again = tested.transform(hanging(1), { account_id: 'bad', again: true }).finally(() => {
      isDone = true;
    });
    expect(await tested.transform([event('1')], { account_id: 'good' })).toMatchObject([{ results: [{ key: '1' }] }]);
    expect(isDone).toBe(false);
    expect(reasonOf((await again)[0])).toContain('took longer');
  });
});

describe('a sender', () => {
  it('waits two seconds at most, and what took longer is due at once', async () => {
    expect(THREAD_LIMITS).toMatchObject({ transform_ms: 1_000, wait_ms: 2_000 });
    const { transform_ms, wait_ms } = THREAD_LIMITS;
    const { tested } = await openTested(HANGING, { threadLimits: { transform_ms, wait_ms } });
    const started = performance.now();
    const [made] = await tested.transform(hanging(1));
    expect(performance.now() - started).toBeLessThan(2_500);
    expect(made).toMatchObject({ failure: { passing: true, at_once: true } });
  });
});
