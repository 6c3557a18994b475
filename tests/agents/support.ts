import { type Caller, unchanged, type Work } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';

export const X = { agent_id: 'agent/x' };
export const Y = { agent_id: 'agent/y' };

type EmittedEvent = Partial<Parameters<Work['emit']>[0]> & { event_type: string; agent_id: string };

/** Puts an event into the log, as a module of the service would. */
export function emit(app: TestApp, event: EmittedEvent, as: Partial<Caller> = {}): Promise<number> {
  const whole = { branch: 'main', entity_path: null, key: null, version: null, visible_to: '', details: {}, ...event };
  return app.kernel.work(caller(as), 'test', async (work) => unchanged(work.emit(whole)));
}

type WrittenFields = { entity_path: string; key: string; value?: unknown };

export const write = (app: TestApp, { entity_path, key, value = key }: WrittenFields, as: Partial<Caller>) =>
  app.call('entries.write', { entity_path, key, value }, as);
