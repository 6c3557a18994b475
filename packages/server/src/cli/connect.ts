import { randomUUID } from 'node:crypto';
import {
  invalidInput,
  type LinesName,
  type OperationName,
  type StreamName,
  shapes,
  stringify,
} from '@mem-service/contract';
import { createClient, type MemError } from '@mem-service/sdk';
import { type Config, ConfigError } from '../config.ts';
import { type Caller, SELF_HOSTED_ACCOUNT } from '../kernel/caller.ts';
import type { Kernel } from '../kernel/index.ts';
import { nameOfChoice } from './branch/chosen.ts';
import { type ClientConfig, requireStore } from './memory.ts';
import type { CliParts } from './parts.ts';
import { openForReading } from './read-copy.ts';

/** A connection to the service. Answers are exact JSON text. */
export type ServiceConnection = {
  /** The store of this machine, which is open for one command alone. */
  isLocal: boolean;
  call(name: OperationName, input: Record<string, unknown>): Promise<string>;
  /** Prints events until the signal is aborted. */
  follow(name: StreamName, input: Record<string, unknown>, reading: StreamOutput): Promise<void>;
  /** Yields the lines of an answer, unparsed. */
  lines(name: LinesName, input: Record<string, unknown>): AsyncIterable<string>;
  close(): Promise<void>;
};

export type StreamOutput = {
  print: (text: string) => void;
  /** Is called each time the stream is open. */
  onOpen: () => void;
  /** Is given the reason when the stream has to be opened again. */
  onRetry: (reason: string) => void;
  signal: AbortSignal;
};

export type CallerNames = { agent: string | undefined; session: string | undefined };

const DEFAULT_AGENT = 'cli';

export const agentOr = (name: string | undefined, { client }: Pick<ClientConfig, 'client'>): string =>
  name ?? client.agentId ?? DEFAULT_AGENT;

export type ConnectionOptions = CallerNames & {
  /** Whether a store is created where there is none. Otherwise that is an error. */
  creates: boolean;
};

/** Connects to the server at MEM_HTTP_URL, or opens the store of this machine. */
export async function connect(
  parts: CliParts,
  config: ClientConfig,
  { creates, ...identity }: ConnectionOptions,
): Promise<ServiceConnection> {
  const agent = checkedLabel('--agent', agentOr(identity.agent, config));
  const session = identity.session === undefined ? undefined : checkedLabel('--session', identity.session);
  const { url } = config.client;
  const branch = config.branch && checkedLabel(nameOfChoice(config.branch), config.branch.name);
  if (url !== undefined) return connectRemote(config.client, url, { agent, session, branch });
  if (!creates) requireStore(config.memory);
  const { kernel, close } = creates ? await parts.openApp(config) : await openForReading(parts, config);
  const caller = {
    account_id: SELF_HOSTED_ACCOUNT,
    actor: 'cli',
    agent_id: agent,
    session_id: session ?? null,
    branch,
    address: null,
    request_id: randomUUID(),
    // A user who can open the store is its operator.
    control: true as const,
  };
  return {
    isLocal: true,
    call: async (name, input) => stringify(await kernel.invoke(name, input, caller)),
    follow: (name, input, reading) => followLocal(kernel, { name, input, caller }, reading),
    async *lines(name, input) {
      yield* await kernel.list(name, input, caller);
    },
    close,
  };
}

type StreamRequest = { name: StreamName; input: Record<string, unknown>; caller: Caller };

async function followLocal(
  kernel: Kernel,
  { name, input, caller }: StreamRequest,
  { print, onOpen, signal }: StreamOutput,
) {
  const subscription = await kernel.open(name, input, caller);
  onOpen();
  await new Promise<void>((end, fail) => {
    signal.addEventListener('abort', () => end(), { once: true });
    if (signal.aborted) return end();
    subscription.start({
      take(events) {
        for (const event of events) print(subscription.toText(event));
        return undefined;
      },
      end: (fault) => (fault ? fail(fault) : end()),
    });
  });
  subscription.close();
}

function connectRemote(
  { apiKey, internalKey }: Config['client'],
  url: string,
  { agent, session, branch }: CallerNames & { branch: string | undefined },
): ServiceConnection {
  try {
    const client = createClient({ url, apiKey, internalKey, agentId: agent, sessionId: session, branch });
    return {
      isLocal: false,
      call: client.callText,
      async follow(name, input, { print, onOpen, onRetry, signal }) {
        const options = { signal, onOpen, onRetry: (error: MemError) => onRetry(error.message) };
        for await (const text of client.streamText(name, input, options)) print(text);
      },
      lines: client.linesText,
      close: async () => {},
    };
  } catch (error) {
    throw new ConfigError(`MEM_HTTP_URL: ${(error as Error).message}`);
  }
}

/** Checks a name of an agent, a session or a branch, as the server checks its headers. */
function checkedLabel(path: string, text: string): string {
  const parsed = shapes.agentId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalidInput([{ path, message: parsed.error.issues[0]?.message ?? 'is not valid' }]);
}
