import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonObject } from '@mem-service/contract';
import { expect, it, onTestFinished } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';
import { newHome } from './support.ts';

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } };

/** `mem mcp` after the handshake, spoken to line by line. */
async function startByHand() {
  const child = spawn(process.execPath, [await memProgram(), 'mcp'], {
    env: newHome(),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers: JsonObject[] = [];
  const waiting = new Map<unknown, (answer: JsonObject) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as JsonObject;
    answers.push(answer);
    waiting.get(answer.id)?.(answer);
  });
  const send = (...messages: JsonObject[]) =>
    child.stdin.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  const ask = (message: JsonObject, ...more: JsonObject[]) =>
    new Promise<JsonObject>((resolve) => {
      waiting.set(message.id, resolve);
      send(message, ...more);
    });
  await ask({ id: 'hello', method: 'initialize', params: HELLO });
  send({ method: 'notifications/initialized' });
  return { child, answers, send, ask };
}

const callOf = (id: unknown, params: JsonObject): JsonObject => ({ id, method: 'tools/call', params });
const write = { name: 'mem_write', arguments: { entity_path: 'a', key: 'k', value: 'kept' } };
const read = { name: 'mem_read', arguments: { entity_path: 'a', key: 'k' } };

it('a plain call is answered as one that the SDK has to look at', async () => {
  const { child, answers, ask, send } = await startByHand();
  expect(await ask(callOf(1, write))).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  const plain = await ask(callOf('two', { ...read, _meta: { 'client/own': 1 } }));
  expect(await ask(callOf('three', { ...read, other: 1 }))).toEqual({ ...plain, id: 'three' });
  expect(plain).toMatchObject({ result: { content: [{ text: expect.stringContaining('"agent_id":"by-hand/') }] } });
  expect(await ask(callOf(4, { ...read, arguments: { entity_path: 'a' } }))).toMatchObject({
    result: { isError: true },
  });

  const mistakes = [{ name: 'no_such_tool' }, { name: 5 }, { ...read, arguments: ['a', 'k'] }];
  for (const [i, params] of mistakes.entries())
    expect(await ask(callOf(10 + i, params))).toMatchObject({ id: 10 + i, error: { code: -32602 } });

  // Nobody waits for the answer of a cancelled call.
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 20, reason: 'changed my mind' } };
  send(callOf(20, read), cancelled);
  await ask(callOf(21, read));
  await ask({ id: 22, method: 'ping' });
  expect(answers.map(({ id }) => id)).not.toContain(20);

  // A client that has closed its input still waits for answers.
  send(...[30, 31, 32].map((id) => callOf(id, { ...write, arguments: { ...write.arguments, key: `k${id}` } })));
  child.stdin.end();
  await once(child, 'close');
  expect(answers.map(({ id }) => id)).toEqual(expect.arrayContaining([30, 31, 32]));
});
