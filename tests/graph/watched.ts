import type { Request } from '@mem-service/contract';
import { afterAll, beforeAll } from 'vitest';
import type { Sql } from '../../packages/server/src/db/index.ts';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { type Backend, openTestApp, readyPlace, runSql, type StorePlace, type TestApp } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import type { Graph } from './support.ts';

export type WatchedWalk = {
  ask: Request<'graph.neighbors'>;
  as?: Partial<Caller>;
  /** Which statements are explained. */
  isWatched: (statement: Sql) => boolean;
  /** How PostgreSQL explains a statement. */
  explain?: string;
};

/** A store that is filled once for all tests of a suite. Gives a function that walks, and explains how it was done. */
export function useFilledGraph(backend: Backend, fill: (app: TestApp) => Promise<void>) {
  let place: StorePlace;
  beforeAll(async () => {
    place = await readyPlace(backend);
    const app = await openTestApp(backend, { place });
    await fill(app);
    await app.close();
    const { postgresDsn } = place.options;
    if (postgresDsn !== undefined) await runSql(postgresDsn, 'ANALYZE');
  });
  afterAll(() => place.remove());

  return async ({ ask, as, isWatched, explain = 'EXPLAIN' }: WatchedWalk) => {
    const seen: Sql[] = [];
    let isReady = false;
    const app = await openTestApp(backend, {
      place,
      wrapDatabase: (database) =>
        watchDatabase(database, (statement) => isReady && isWatched(statement) && seen.push(statement)),
    });
    isReady = true;
    const answer: Graph = await app.call('graph.neighbors', ask, as);
    isReady = false;
    const how = backend === 'sqlite' ? 'EXPLAIN QUERY PLAN' : explain;
    const { read } = app.kernel.services.database;
    const plans = await Promise.all(
      seen.map(({ text, values }) => read.all<Record<string, never>>({ text: `${how} ${text}`, values })),
    );
    await app.close();
    return { answer, plans };
  };
}
