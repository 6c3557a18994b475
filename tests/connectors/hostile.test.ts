import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Transformed } from '../../packages/server/src/connectors/types.ts';
import { classWith, delivery, ECHO, event, newFolder, openHost, openTested, writeConnector } from './support.ts';

const reasonOf = (made: Transformed | undefined) => (made && 'failure' in made ? made.failure : made);
/** A machine with much to do may take long for what is done at once. */
const QUICK = { transform_ms: 1_000, call_ms: 1_000 };
const PATIENT = { transform_ms: 60_000, memory_mb: 32 };
/** Misbehaves on one event, and is good on all others. */
const onEvent = (id: string, does: string) => classWith(`if (event.id === '${id}') { ${does} }\n    ${ECHO}`);
const ids = (count: number) => Array.from({ length: count }, (_, i) => event(String(i)));

describe('a transform that', () => {
  it('throws fails with the file and line of its error', async () => {
    const code = `export class Tested {
  transform(event) {
    return event.payload.missing.member;
  }
}`;
    const { tested } = await openTested(code);
    expect(reasonOf((await tested.transform([event('1')]))[0])).toEqual({
      reason: "TypeError: Cannot read properties of undefined (reading 'member') (transform.mjs:3:34)",
      passing: true,
    });
  });

  it.each([
    ['text', `throw 'up';`, 'threw up'],
    ['nothing', `throw undefined;`, 'threw undefined'],
    ['an object without a text', `throw Object.create(null);`, 'threw what is not an error'],
    ['a promise that is rejected', `return Promise.reject(new RangeError('later'));`, 'RangeError: later'],
  ])('throws %s fails with it', async (_, does, reason) => {
    const { tested } = await openTested(classWith(does));
    expect(reasonOf((await tested.transform([event('1')]))[0])).toMatchObject({
      reason: expect.stringContaining(reason),
    });
  });

  it.each([
    ['hangs', 'for (;;) {}', 'transform took longer than 1 s'],
    ['never resolves', 'return new Promise(() => {});', 'transform took longer than 1 s'],
    ['ends its process', 'process.exit(3);', 'ended its thread, with exit code 3'],
    [
      'allocates without end',
      'for (const all = []; ; ) all.push(new Array(1e5).fill(event.id));',
      'used more than 32 MiB',
    ],
    ['fails later', `setTimeout(() => { throw new Error('late'); }); return new Promise(() => {});`, 'failed: late'],
  ])('%s fails alone: events beside it are transformed by the next thread', async (_, does, reason) => {
    const threadLimits = reason.includes('took') ? QUICK : PATIENT;
    const { tested, host } = await openTested(onEvent('3', does), { threadLimits });
    const made = await tested.transform(ids(6));
    expect(reasonOf(made[3])).toEqual({ reason: expect.stringContaining(reason), passing: true, at_once: true });
    expect(made.map((one) => 'results' in one)).toEqual([true, true, true, false, true, true]);
    expect(host.warnings).toEqual([expect.stringContaining(`connector tested: ${reason}`)]);
    expect(await tested.transform([event('again')])).toMatchObject([{ results: [{ key: 'again' }] }]);
  });

  it.each([
    ['nothing', 'return undefined;', 'must return a list'],
    ['an object', 'return {};', 'must return a list'],
    ['a cycle', 'const a = []; a.push(a); return a;', 'circular'],
    ['a function', 'return () => [];', 'must return a list'],
    ['numbers', 'return [1];', 'result 1 must be an object'],
    ['another operation', `return [{ operation: 'erase' }];`, 'result 1.operation must be write or record_context'],
    ['a member of Object', `return [{ operation: 'constructor' }];`, 'must be write or record_context'],
    ['no key', `return [{ operation: 'write', entity_path: 'a', value: 1 }];`, 'result 1.key is missing'],
    ['no value', `return [{ operation: 'write', entity_path: 'a', key: 'k' }];`, 'result 1.value is missing'],
    [
      'a path that is none',
      `return [{ operation: 'write', entity_path: 'a/../b', key: 'k', value: 1 }];`,
      '.entity_path must not',
    ],
    [
      'a key that is none',
      `return [{ operation: 'write', entity_path: 'a', key: '', value: 1 }];`,
      'result 1.key must',
    ],
    [
      'a misspelt member',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: 1, confidense: 1 }];`,
      'Did you mean confidence?',
    ],
    [
      'a confidence of 2',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: 1, confidence: 2 }];`,
      'from 0 to 1',
    ],
    [
      'a time that is none',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: 1, occurred_at: 'now' }];`,
      'must be a time',
    ],
    [
      'a merged list',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: [], merge: true }];`,
      'must be an object',
    ],
    [
      'items without merge',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: {}, items: {} }];`,
      'with merge',
    ],
    [
      'an item without a time',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: {}, merge: true, items: { l: { x: {} } } }];`,
      'has a at that must be a time',
    ],
    [
      'a context without a label',
      `return [{ operation: 'record_context', summary: 's', source: 's' }];`,
      'result 1.label is missing',
    ],
    [
      '101 results',
      `return new Array(101).fill({ operation: 'write', entity_path: 'a', key: 'k', value: 1 });`,
      '100 are allowed',
    ],
    [
      'a value that is too large',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: 'é'.repeat(600000) }];`,
      'bytes; 1048576 are allowed',
    ],
    [
      'results that are too large',
      `return [{ operation: 'write', entity_path: 'a', key: 'k', value: 'x'.repeat(3e6) }];`,
      'characters; 2097152 are allowed',
    ],
    [
      'a value that is too deep',
      `let value = 1; for (let i = 0; i < 200; i++) value = [value]; return [{ operation: 'write', entity_path: 'a', key: 'k', value }];`,
      'nested more than 100 times',
    ],
  ])('returns %s fails with the reason', async (_, does, reason) => {
    const { tested } = await openTested(classWith(does));
    expect(reasonOf((await tested.transform([event('1')]))[0])).toMatchObject({
      reason: expect.stringContaining(reason),
    });
  });

  it('sends messages of its own changes nothing for others, and nothing that is not checked', async () => {
    const code = `import { parentPort } from 'node:worker_threads';
      ${classWith(`
        for (const message of [null, 1, {}, { id: 1 }, { id: 1, outputs: 3 }, { ready: ['x'] }, { id: 99, outputs: [] }])
          parentPort.postMessage(message);
        parentPort.postMessage({ id: 1, outputs: [{ results: '[{"operation":"erase"}]' }, { results: 7 }, null] });
        ${ECHO}`)}`;
    const { tested } = await openTested(code);
    const made = await tested.transform([event('1'), event('2'), event('3')]);
    expect(made.map((one) => 'failure' in one)).toEqual([true, true, true]);
    expect(await tested.transform([event('4')])).toMatchObject([{ results: [{ key: '4' }] }]);
  });

  it('prints writes nothing to the output of the service', async () => {
    const written: unknown[] = [];
    const { write } = process.stdout;
    process.stdout.write = ((text: unknown) => written.push(text)) as never;
    try {
      const { tested } = await openTested(
        classWith(`console.log('printed'); process.stdout.write('written'); ${ECHO}`),
      );
      await tested.transform([event('1')]);
      await sleep(50);
    } finally {
      process.stdout.write = write;
    }
    expect(written.join('')).not.toMatch(/printed|written/);
  });
});

describe('a connector that cannot be loaded', () => {
  it.each([
    ['does not parse', 'export class Tested {\n  transform( {\n}', 'SyntaxError', 'transform.mjs:3'],
    ['throws at its start', `export const a = 1;\nthrow new Error('not today');`, 'not today', 'transform.mjs:2:7'],
    [
      'throws in its constructor',
      `export class Tested { constructor() { throw new Error('no'); } }`,
      'Error: no',
      'transform.mjs:1',
    ],
    ['has no such class', 'export class Other {}', 'transform.mjs exports no class Tested', ''],
    ['has no transform', 'export class Tested {}', 'has no method transform', ''],
    ['lacks a package', `import 'not-installed';`, `Cannot find package 'not-installed'`, ''],
  ])('because it %s fails its events with the reason', async (...[, code, reason, place]) => {
    const { tested } = await openTested(code);
    const [made] = await tested.transform([event('1')]);
    expect(reasonOf(made)).toEqual({ reason: expect.stringContaining(reason), passing: true });
    expect(reasonOf(made)).toMatchObject({ reason: expect.stringContaining(place) });
    await expect(tested.isSigned(delivery(1), 0)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('accepts what has the default signature, and fails its events of any type', async () => {
    const { tested } = await openTested('export class Tested {', {
      variables: { MEM_CONNECTOR_TESTED_SECRET: 'a-secret-of-tests' },
      manifest: { event_types: ['alarm.*'] },
    });
    const signature = createHmac('sha256', 'a-secret-of-tests').update('1').digest('hex');
    expect(await tested.isSigned(delivery(1, { 'x-signature': signature }), 0)).toBe(true);
    const wrong = delivery(1, { 'x-signature': signature.replace(/^./, 'x') });
    await expect(tested.isSigned(wrong, 0)).rejects.toMatchObject({ code: 'unavailable' });
    const named = await tested.identify(1, delivery(1));
    const [made] = await tested.transform([event('1', 1, named.event_type)]);
    expect(reasonOf(made)).toEqual({ reason: expect.stringContaining('SyntaxError'), passing: true });
  });

  it.each([
    ['await new Promise(() => {});', 'its module awaits what never comes'],
    ['for (;;) {}', 'its start took longer than 0.3 s'],
  ])('because it begins with %s is given up', async (code, reason) => {
    const threadLimits = { start_ms: reason.includes('0.3') ? 300 : 60_000 };
    const { tested } = await openTested(`${code} export class Tested {}`, { threadLimits });
    expect(reasonOf((await tested.transform([event('1')]))[0])).toEqual({ reason, passing: true });
  });
});

describe('a call that', () => {
  it('hangs is given up, and the delivery gets its default name', async () => {
    const { tested } = await openTested(classWith(ECHO, 'identify() { for (;;) {} }'), { threadLimits: QUICK });
    expect(await tested.identify({ id: 'x', type: 't' }, delivery(1))).toEqual({ event_type: 't', id: 'x' });
    expect(await tested.transform([event('1')])).toMatchObject([{ results: [{ key: '1' }] }]);
  });
});

describe('events that arrive together', () => {
  it('go to the thread in batches of batch_size at most', async () => {
    const counting = `import { parentPort } from 'node:worker_threads';
      let size;
      parentPort.on('message', ({ events }) => { size = events.length; });
      ${classWith(`return [{ operation: 'write', entity_path: 'a', key: 'k', value: size }];`)}`;
    const { tested } = await openTested(counting, { manifest: { config: { batch_size: 10 } } });
    const made = await tested.transform(ids(35));
    const sizes = made.map((one) => ('results' in one ? (one.results[0] as { value?: unknown }).value : undefined));
    expect([0, 10, 20, 34].map((i) => sizes[i])).toEqual([10, 10, 10, 5]);
  });

  it('and are too many are refused, and none is lost', async () => {
    const { tested } = await openTested(classWith(`return new Promise((done) => setTimeout(() => done([]), 20));`), {
      threadLimits: { queued_events: 4 },
      manifest: { config: { batch_size: 2 } },
    });
    const early = tested.transform(ids(4));
    await expect(tested.identify({}, delivery(1))).rejects.toMatchObject({ code: 'unavailable' });
    const [late] = await tested.transform([event('late')]);
    expect(reasonOf(late)).toEqual({ reason: 'too many events are waiting for this connector', passing: true });
    expect((await early).every((one) => 'results' in one)).toBe(true);
    expect(await tested.transform([event('later')])).toMatchObject([{ results: [] }]);
  });

  it('wait for others for a limited time', async () => {
    const { tested } = await openTested(onEvent('0', 'return new Promise(() => {});'), {
      threadLimits: { transform_ms: 1_500, wait_ms: 300 },
    });
    const hanging = tested.transform([event('0')]);
    const [waiting] = await tested.transform([event('1')]);
    expect(reasonOf(waiting)).toEqual({ reason: 'the connector was busy for 0.3 s', passing: true, at_once: true });
    expect(reasonOf((await hanging)[0])).toMatchObject({ passing: true });
  });
});

describe('a connector that hangs', () => {
  it('holds up no other one', async () => {
    const folder = newFolder();
    writeConnector(join(folder, 'hanging'), classWith('for (;;) {}'));
    writeConnector(join(folder, 'working'), classWith(ECHO));
    const host = await openHost(folder, { threadLimits: { transform_ms: 5_000 } });
    let isDone = false;
    const hanging = host
      .get('hanging')
      .transform([event('1')])
      .then((made) => {
        isDone = true;
        return made;
      });
    for (let i = 0; i < 20; i++)
      expect(await host.get('working').transform([event('1')])).toMatchObject([{ results: [{ key: '1' }] }]);
    expect(isDone).toBe(false);
    await host.close();
    expect(reasonOf((await hanging)[0])).toMatchObject({ reason: 'the service is being stopped' });
  });
});
