import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault, stringify } from '@mem-service/contract';
import { createClient } from '@mem-service/sdk';
import { followKernel } from './follow.ts';
import type { LogReader, MemoryService, ToolCaller } from './session.ts';
import { type McpEnvironment, type McpSettings, SettingsError } from './settings.ts';

export type OpenService = MemoryService & {
  /** Where the memory is stored, for people. */
  place: string;
  close(): Promise<void>;
};

/** Connects to the server at MEM_HTTP_URL, or opens the store of this machine. */
export function openService(settings: McpSettings): OpenService {
  return settings.url === undefined ? openLocal(settings) : openRemote(settings, settings.url);
}

function openRemote({ apiKey }: McpSettings, url: string): OpenService {
  try {
    const client = createClient({ url, apiKey });
    return {
      mode: 'remote',
      place: url,
      call: (name, input, { agent_id, session_id }) =>
        client.callText(name, input, { agentId: agent_id, sessionId: session_id ?? undefined }),
      async follow(input, { agent_id }, reader) {
        const over = new AbortController();
        const texts = client.streamText('log.stream', input, { agentId: agent_id, signal: over.signal });
        void readAll(texts, reader);
        return () => over.abort();
      },
      close: async () => {},
    };
  } catch (error) {
    throw new SettingsError(`MEM_HTTP_URL: ${(error as Error).message}`);
  }
}

async function readAll(texts: AsyncIterable<string>, reader: LogReader): Promise<void> {
  try {
    for await (const text of texts) reader.take(JSON.parse(text));
    reader.end();
  } catch (error) {
    reader.end(error);
  }
}

/**
 * A client starts its servers in any folder. The store is the one that the command line would use, if it exists, and
 * otherwise one in the user's home.
 */
function storeEnvironment({ home, env }: McpSettings): McpEnvironment {
  if (env.MEM_DATA_DIR || existsSync('.amfs')) return env;
  return { ...env, MEM_DATA_DIR: join(home, 'store') };
}

/** Opened by the first call, so that a client that only lists tools need not wait. */
function openLocal(settings: McpSettings): OpenService {
  const store = storeEnvironment(settings);
  const place = store.MEM_POSTGRES_DSN ? 'PostgreSQL' : resolve(store.MEM_DATA_DIR || '.amfs');
  let opened: ReturnType<typeof load> | undefined;
  const open = async () => {
    opened ??= load(store);
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw new Fault('unavailable', `the memory at ${place} cannot be opened: ${(error as Error).message}`);
    }
  };
  const callerOf = (as: ToolCaller, account_id: string) => ({
    account_id,
    actor: 'mcp',
    ...as,
    address: null,
    request_id: randomUUID(),
  });
  return {
    mode: 'local',
    place,
    async call(name, input, as) {
      const { app, account_id } = await open();
      return stringify(await app.kernel.invoke(name, input, callerOf(as, account_id)));
    },
    async follow(input, as, reader) {
      const { app, account_id } = await open();
      return followKernel(app.kernel, { input, caller: callerOf(as, account_id) }, reader);
    },
    async close() {
      const { app } = (await opened?.catch(() => undefined)) ?? {};
      await app?.close();
    },
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
