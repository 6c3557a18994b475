import {
  type LinesName,
  type OperationName,
  type Output,
  operations,
  type Request,
  type StreamName,
  stringify,
} from '@mem-service/contract';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type App, type AppOptions, openApp } from '../../packages/server/src/app.ts';
import { createServer, type HttpOptions } from '../../packages/server/src/http/server.ts';
import {
  type Caller,
  type Clock,
  type Kernel,
  readAccount,
  SELF_HOSTED_ACCOUNT,
} from '../../packages/server/src/kernel/index.ts';
import { indexers } from '../../packages/server/src/modules/text/indexer.ts';
import { exampleHost } from './connectors.ts';
import {
  type Backend,
  backends,
  beforeStore,
  copyPlace,
  newPlace,
  readyPlace,
  runSql,
  START,
  type StorePlace,
} from './place.ts';
import { refuseForeign, watchDatabase } from './statements.ts';

export { type Backend, backends, beforeStore, copyPlace, newPlace, readyPlace, runSql, type StorePlace };

export type FakeClock = Clock & { advance(ms: number): void };

export function fakeClock(start = START): FakeClock {
  let time = start;
  return {
    now: () => time,
    advance(ms) {
      time += ms;
    },
  };
}

export const caller = (overrides: Partial<Caller> = {}): Caller => ({
  account_id: SELF_HOSTED_ACCOUNT,
  actor: 'test',
  agent_id: 'agent/test',
  session_id: null,
  address: '127.0.0.1',
  request_id: 'test',
  ...overrides,
});

export type TestApp = App & {
  place: StorePlace;
  clock: FakeClock;
  /** Calls `invoke`, and returns the answer as the JSON that a client gets; of a stream, the events so far. */
  call<N extends OperationName>(name: N, input: Request<N>, as?: Partial<Caller>): Promise<Output<N>>;
};

export type TestOptions = Partial<AppOptions> & {
  place?: StorePlace;
  clock?: FakeClock;
  /** PostgreSQL: into how many partitions the tables are divided. */
  partitions?: number | undefined;
};

export async function openTestApp(backend: Backend, options: TestOptions = {}): Promise<TestApp> {
  const place = options.place ?? (await readyPlace(backend, options));
  const clock = options.clock ?? fakeClock();
  const app = await openApp({
    modules: proModules,
    postgresPool: 5,
    sweepSeconds: 3600,
    connectors: exampleHost(),
    ...options,
    // Its events would come between those of a test.
    settings: { cortex: 'off', ...options.settings },
    ...place.options,
    clock,
    wrapDatabase: (database) =>
      watchDatabase(options.wrapDatabase?.(database) ?? database, refuseForeign(options.modules ?? proModules)),
  });
  return {
    ...app,
    place,
    clock,
    async call(name, input, as) {
      if (operations[name].stream) return (await replay(app.kernel, { name, input, as: caller(as) })) as never;
      if (operations[name].lines) {
        const lines = [];
        for await (const line of await app.kernel.list(name as LinesName, input, caller(as))) lines.push(line);
        return { lines: lines.map((line) => JSON.parse(line)) } as never;
      }
      return JSON.parse(stringify(await app.kernel.invoke(name, input, caller(as))));
    },
    async close() {
      await app.close();
      if (!options.place) await place.remove();
    },
  };
}

async function replay(kernel: Kernel, { name, input, as }: { name: string; input: unknown; as: Caller }) {
  const subscription = await kernel.open(name as StreamName, input, as);
  const events: unknown[] = [];
  const { room_id } = input as { room_id?: string };
  const account_id = room_id === undefined ? as.account_id : `room:${room_id}`;
  const { seq = 0 } = (await readAccount(kernel.services.database.forAccount(account_id).read, account_id)) ?? {};
  subscription.start({
    take(some) {
      events.push(...some.map((event) => JSON.parse(subscription.toText(event))));
      return undefined;
    },
    end() {},
  });
  while (subscription.position.seq < seq) await new Promise(setImmediate);
  subscription.close();
  return { events };
}

export type TestServer = { url: string; close(): Promise<void> };

/** The app behind a real socket on loopback. */
export async function listen(
  app: App,
  options: Partial<Omit<HttpOptions, 'kernel'>> = {},
  port = 0,
): Promise<TestServer> {
  const server = await createServer({
    kernel: app.kernel,
    connectors: app.connectors,
    log: pino({ level: 'silent' }),
    apiKeys: [],
    corsOrigins: ['*'],
    agentId: 'mem-http-server',
    maxBodyBytes: 8 * 1024 * 1024,
    ...options,
  });
  const url = await listenAgain(() => server.listen({ host: '127.0.0.1', port }), port === 0 ? 0 : 50);
  return { url, close: () => server.close() };
}

/** A connection of another test may have got the port meanwhile. */
async function listenAgain(start: () => Promise<string>, times: number): Promise<string> {
  try {
    return await start();
  } catch (error) {
    if (times === 0 || (error as { code?: string }).code !== 'EADDRINUSE') throw error;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return listenAgain(start, times - 1);
  }
}

/** Waits until the index of words follows: what is behind is weighed a little otherwise. */
export async function indexWords({ kernel }: Pick<TestApp, 'kernel'>): Promise<void> {
  const { words } = kernel.services.database;
  if (words) await indexers.get(words)?.drain();
}

export type SharedServer = { readonly url: string; readonly app: TestApp };

/** A server on a new store for all tests of a file or a block. */
export function useServer(backend: Backend, options?: TestOptions): SharedServer {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, options);
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  return {
    get url() {
      return server.url;
    },
    get app() {
      return app;
    },
  };
}
