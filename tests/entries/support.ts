import { Fault, JsonText, type OperationName, type Problem, type Request, stringify } from '@mem-service/contract';
import type { SqlValue } from '../../packages/server/src/db/index.ts';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';

export const exact = (text: string) => new JsonText(text);

export const iso = (ms: number) => new Date(ms).toISOString();

/** The error that a caller gets when it is refused. */
export async function refusal(answer: Promise<unknown>): Promise<Problem> {
  const error = await answer.then(
    (output) => new Error(`was not refused: ${stringify(output)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof Fault) return error.toProblem();
  throw error;
}

/** The answer as the bytes that a client would get. */
export async function textOf<N extends OperationName>(
  app: TestApp,
  name: N,
  input: Request<N> & { as?: Partial<Caller> },
): Promise<string> {
  const { as, ...request } = input;
  return stringify(await app.kernel.invoke(name, request, caller(as)));
}

type Paged = { next_cursor: string | null; has_more: boolean };

/** All pages of a list, each asked for with the cursor of the one before. */
export async function follow<P extends Paged>(ask: (cursor: string | undefined) => Promise<P>): Promise<P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const page: P = await ask(cursor);
    if (page.has_more !== (page.next_cursor !== null)) throw new Error('has_more and next_cursor disagree');
    if (pages.push(page) > 500) throw new Error('the list does not end');
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** Straight to the tables, past everything that the service promises. */
export function changeRows(app: TestApp, text: string, ...values: SqlValue[]): Promise<number> {
  return app.kernel.services.database.transaction((tx) => tx.run({ text, values }));
}

export function rowsOf<T = Record<string, SqlValue>>(app: TestApp, text: string, ...values: SqlValue[]): Promise<T[]> {
  return app.kernel.services.database.transaction((tx) => tx.all<T>({ text, values }));
}

export async function countRows(app: TestApp, table: 'events' | 'audit' | 'versions' | 'entries'): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(app, `SELECT count(*) AS n FROM ${table}`);
  return Number(row?.n);
}

export const addresses = (entries: readonly { entity_path: string; key: string }[]) =>
  entries.map(({ entity_path, key }) => `${entity_path}/${key}`);
