import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault, type OperationName, operations, stringify } from '@mem-service/contract';
import { followKernel } from './follow.ts';
import { describeLocation, hasStore, type MemoryLocation } from './location.ts';
import type { OpenService } from './service.ts';
import type { LogReader, ToolCaller } from './session.ts';
import type { McpEnvironment, McpSettings } from './settings.ts';

type OpenedStore = Awaited<ReturnType<typeof load>>;

/** How often a reader that waits for the first write looks for the store. */
const LOOK_EVERY_MS = 1000;

const changesMemory = (name: OperationName): boolean => !['read', 'none'].includes(operations[name].effect);

/**
 * The store of this machine, opened by the first call, so that a client that only lists tools need not wait. Reading
 * creates no store: until there is one, an empty store in a temporary folder answers.
 */
class LocalStore {
  readonly #env: McpEnvironment;
  readonly #location: MemoryLocation;
  #store: Promise<OpenedStore> | undefined;
  #empty: Promise<OpenedStore> | undefined;
  #emptyFolder: string | undefined;

  constructor({ env, location }: McpSettings) {
    // The variable that decides a folder may be another one, or none.
    this.#env = location.kind === 'folder' ? { ...env, MEM_DATA_DIR: location.at } : env;
    this.#location = location;
  }

  exists(): boolean {
    return this.#store !== undefined || hasStore(this.#location);
  }

  async open(): Promise<OpenedStore> {
    this.#refuse();
    this.#store ??= load(this.#env);
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      const place = describeLocation(this.#location);
      throw new Fault('unavailable', `the memory at ${place} cannot be opened: ${(error as Error).message}`);
    }
  }

  async openFor(name: OperationName): Promise<OpenedStore> {
    this.#refuse();
    return changesMemory(name) || this.exists() ? this.open() : this.#openEmpty();
  }

  /** A refused store is not read as an empty one. */
  #refuse(): void {
    const { refusal } = this.#location;
    if (refusal !== undefined) throw new Fault('forbidden', `the memory cannot be used: ${refusal}`);
  }

  #openEmpty(): Promise<OpenedStore> {
    this.#emptyFolder ??= mkdtempSync(join(tmpdir(), 'mem-empty-'));
    this.#empty ??= load({ ...this.#env, MEM_DATA_DIR: this.#emptyFolder });
    return this.#empty;
  }

  async close(): Promise<void> {
    for (const opened of [this.#store, this.#empty]) {
      const { app } = (await opened?.catch(() => undefined)) ?? {};
      await app?.close();
    }
    if (this.#emptyFolder !== undefined) rmSync(this.#emptyFolder, { recursive: true, force: true });
  }
}

export function openLocal(settings: McpSettings): OpenService {
  const store = new LocalStore(settings);
  const callerOf = (as: ToolCaller, account_id: string) => ({
    account_id,
    actor: 'mcp',
    ...as,
    branch: settings.branch,
    address: null,
    request_id: randomUUID(),
  });
  return {
    mode: 'local',
    location: settings.location,
    async call(name, input, as) {
      const { app, account_id } = await store.openFor(name);
      return stringify(await app.kernel.invoke(name, input, callerOf(as, account_id)));
    },
    async *lines(name, input, as) {
      const { app, account_id } = await store.openFor(name);
      yield* await app.kernel.list(name, input, callerOf(as, account_id));
    },
    async follow(input, as, reader) {
      const begin = async () => {
        const { app, account_id } = await store.open();
        return followKernel(app.kernel, { input, caller: callerOf(as, account_id) }, reader);
      };
      return store.exists() ? begin() : followLater(store, begin, reader);
    },
    close: () => store.close(),
  };
}

/** Begins to follow the log as soon as there is a store; another process may create it. */
function followLater(store: LocalStore, begin: () => Promise<() => void>, reader: LogReader): () => void {
  let isOver = false;
  let leave = () => {};
  const timer = setInterval(() => {
    if (!store.exists()) return;
    clearInterval(timer);
    begin().then(
      (stop) => {
        leave = stop;
        if (isOver) stop();
      },
      (error: unknown) => reader.end(error),
    );
  }, LOOK_EVERY_MS).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    leave();
  };
}

async function load(env: McpEnvironment) {
  const { openInstalledApp, readConfig, SELF_HOSTED_ACCOUNT } = await loadServer();
  return { app: await openInstalledApp(readConfig(env)), account_id: SELF_HOSTED_ACCOUNT };
}

/** Only a local store needs the server package; with a remote server it need not be installed. */
async function loadServer() {
  try {
    return await import('@mem-service/server');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'@mem-service/server'`)) throw error;
    throw new Error(
      'mem-mcp by itself opens no store of this machine: set MEM_HTTP_URL, or use mem mcp of the package @mem-service/cli',
    );
  }
}
