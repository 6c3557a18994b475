import type { Output } from '@mem-service/contract';
import { type Caller, splitEntryName, unchanged, type Work } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';

export type Graph = Output<'graph.neighbors'>;

/** `agent/a -wrote-> svc/k`, in the order of the answer. */
export const arrows = ({ edges }: Pick<Graph, 'edges'>): string[] =>
  edges.map(({ source, relation, target }) => `${source} -${relation}-> ${target}`);

export const one = <T>(list: readonly T[]): T => {
  if (list.length !== 1) throw new Error(`${list.length} where one was expected`);
  return list[0] as T;
};

type EntryWriteOptions = Partial<Caller> & { shared?: boolean; pattern_refs?: string[] };

/** Entries by their names, by an agent. */
export function writeEntries(
  app: TestApp,
  names: readonly string[],
  { shared, pattern_refs, ...as }: EntryWriteOptions,
) {
  const write = (name: string) => ({ ...placeOf(name), value: name, shared, pattern_refs });
  return Promise.all(names.map((name) => app.call('entries.write', write(name), as)));
}

export const placeOf = (name: string) => splitEntryName(name) as { entity_path: string; key: string };

/** An entry as other modules pass it to the graph. */
export async function entryOf(app: TestApp, name: string, visible_to = '') {
  const { entity_path, key } = placeOf(name);
  const text = 'SELECT entry_id FROM entries WHERE account_id = ? AND entity_path = ? AND key = ?';
  const values = [caller().account_id, entity_path, key];
  const row = await app.kernel.services.database.transaction((tx) => tx.get<{ entry_id: number }>({ text, values }));
  if (!row) throw new Error(`there is no entry ${name}`);
  return { branch: 'main', entry_id: row.entry_id, visible_to };
}

/** Runs as a module does, within a transaction of the account. */
export async function link(app: TestApp, run: (work: Work) => void): Promise<void> {
  await app.kernel.work(caller(), 'test', async (work) => {
    run(work);
    return unchanged(null);
  });
}

type OutcomeOptions = Partial<Caller> & {
  outcome_ref: string;
  outcome_type?: 'success' | 'failure';
  causes: readonly string[];
};

let sessions = 0;

/** An outcome of a new session, with the named entries as causes. */
export function commitOutcome(app: TestApp, { outcome_ref, outcome_type = 'success', causes, ...as }: OutcomeOptions) {
  const input = { outcome_ref, outcome_type, causal_entry_keys: [...causes], session_id: `s${++sessions}` };
  return app.call('outcomes.commit', input, as);
}
