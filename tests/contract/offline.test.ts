import { Socket } from 'node:net';
import { type OperationName, operationNames } from '@mem-service/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends, openTestApp } from '../support/app.ts';
import { createExamples, definition, type JsonObject, markedInput, outcomeOf } from './table.ts';

const MARK = 'offline';
const as = { agent_id: 'agent/offline', session_id: 'sess-offline' };
const offered = operationNames.filter((name) => definition(name).effect !== 'control');
const isRead = (name: OperationName) => definition(name).effect !== 'write';
const isEvaluation = (name: OperationName) => /^\/api\/v1\/(eval|pro)\//.test(definition(name).http.path);

/** Where a socket was to connect to: the path of a socket in a folder, or a host. */
function destinationOf([first, second]: readonly unknown[]): string {
  if (Array.isArray(first)) return destinationOf(first);
  if (typeof first === 'object' && first !== null) {
    const { path, host = 'localhost' } = first as { path?: string; host?: string };
    return path ?? host;
  }
  return typeof first === 'string' && !/^\d+$/.test(first) ? first : typeof second === 'string' ? second : 'localhost';
}

const isOfMachine = (destination: string) => /^(\/|localhost$|127\.|::1$)/.test(destination);

describe.each(backends)('a service in which nothing is configured, on %s', (backend) => {
  it('connects to nothing but its database, whatever is asked of it', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const fetched = vi.spyOn(globalThis, 'fetch');
    const connected = vi.spyOn(Socket.prototype, 'connect');
    onTestFinished(() => void vi.restoreAllMocks());
    await app.call('judges.seed', {}, as);
    const polite = { kind: 'llm' as const, prompt: 'The answer is polite.' };
    await app.call('judges.create', { judge_id: 'polite', definition: polite }, as);
    const known = await createExamples(app, { mark: MARK, as });
    await caughtUp(app);
    const answered = new Set<string>();
    // What is read is there before something takes it away.
    for (const name of [...offered.filter(isRead), ...offered.filter((one) => !isRead(one))]) {
      const outcome: JsonObject = await outcomeOf(app, name, { input: markedInput(name, MARK, known), as });
      if (!('refused' in outcome)) answered.add(name);
    }
    await caughtUp(app);
    const evaluating = offered.filter(isEvaluation);
    expect(evaluating.length).toBeGreaterThan(60);
    expect(evaluating.filter((name) => answered.has(name)).length).toBeGreaterThan(evaluating.length / 2);
    expect(answered).toContain('investigations.run');
    expect(fetched).not.toHaveBeenCalled();
    const destinations = connected.mock.calls.map((args) => destinationOf(args));
    expect(destinations.filter((one) => backend === 'sqlite' || !isOfMachine(one))).toEqual([]);
  });
});
