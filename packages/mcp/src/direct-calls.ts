import type { Server } from '@modelcontextprotocol/server';
import { callTool } from './call-tool.ts';
import { exactArguments } from './exact-arguments.ts';
import type { ServerOffer } from './server.ts';
import type { JsonObject, McpSession } from './session.ts';
import type { Tool, ToolCallContext } from './tool.ts';

type RequestId = string | number;
type CallParams = { name: string; arguments?: JsonObject; _meta?: JsonObject };
type CallMessage = { id: RequestId; params: CallParams };

export type DirectCallOptions = Required<Pick<ServerOffer, 'tools' | 'onError'>> & {
  /** The server of a client that has shaken hands; undefined where there is none. */
  server(): Server | undefined;
  write(line: string): void;
};

/**
 * Answers plain calls of tools with one operation. The SDK checks each message several times against its schemas, which
 * takes as long as to read an entry (decision 049). All other messages, and those with a mistake in them, are left to it.
 */
export class DirectCalls {
  readonly #session: McpSession;
  readonly #options: DirectCallOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #running = new Map<RequestId, DirectCall>();
  #finish = () => {};

  constructor(session: McpSession, options: DirectCallOptions) {
    this.#session = session;
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  /** Returns whether the message is dealt with here. */
  take(message: unknown): boolean {
    const server = this.#options.server();
    if (server === undefined || !isObject(message)) return false;
    if (message.method === 'notifications/cancelled') return this.#cancel(message.params);
    if (!isPlainCall(message)) return false;
    const tool = this.#tools.get(message.params.name);
    // Tools of several operations take long, report their progress and look whether they are cancelled.
    if (tool?.operation === undefined) return false;
    void this.#answer(message, tool, server).catch(this.#options.onError);
    return true;
  }

  async #answer({ id, params }: CallMessage, tool: Tool, server: Server): Promise<void> {
    const session = this.#session;
    const context = new DirectCall(server, params._meta);
    this.#running.set(id, context);
    session.identity.meet(server.getClientVersion()?.name);
    const { onError } = this.#options;
    const send = (answer: object) => {
      if (!context.isCancelled) this.#options.write(`${JSON.stringify({ ...answer, jsonrpc: '2.0', id })}\n`);
    };
    try {
      send({ result: await callTool({ tool, args: params.arguments ?? {}, session, context, onError }) });
    } catch (error) {
      send({ error: { code: INTERNAL_ERROR, message: 'Internal error' } });
      throw error;
    } finally {
      if (this.#running.get(id) === context) this.#running.delete(id);
      if (this.#running.size === 0) this.#finish();
    }
  }

  #cancel(params: unknown): boolean {
    const call = isObject(params) ? this.#running.get(params.requestId as RequestId) : undefined;
    call?.cancel();
    return call !== undefined;
  }

  /** Resolves when every call has been answered. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#finish = resolve;
      if (this.#running.size === 0) resolve();
    });
  }

  /** Calls that still run are not answered any more. */
  close(): void {
    for (const call of this.#running.values()) call.cancel();
  }
}

/** As JSON-RPC numbers it. */
const INTERNAL_ERROR = -32603;

class DirectCall implements ToolCallContext {
  readonly exact: string | undefined;
  readonly #server: Server;
  #controller: AbortController | undefined;
  isCancelled = false;

  constructor(server: Server, meta: JsonObject | undefined) {
    this.exact = exactArguments(meta);
    this.#server = server;
  }

  /** Created only when it is asked for: that takes longer than the rest of the call's set-up. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#controller?.abort();
  }

  async progress(): Promise<void> {}

  log(data: string): Promise<void> {
    return this.#server.sendLoggingMessage({ level: 'error', data, logger: 'mem' });
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value);

const CALL_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAM_MEMBERS = new Set(['name', 'arguments', '_meta']);

/** Names in `_meta` that change how a call is answered begin like this. */
const OF_PROTOCOL = 'io.modelcontextprotocol/';

function isPlainCall(message: JsonObject): message is CallMessage & JsonObject {
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id) || !isObject(params)) return false;
  if (!hasOnly(message, CALL_MEMBERS) || !hasOnly(params, PARAM_MEMBERS)) return false;
  const { name, arguments: args = {}, _meta = {} } = params;
  return typeof name === 'string' && isObject(args) && isObject(_meta) && isPlainMeta(_meta);
}

function hasOnly(value: JsonObject, members: ReadonlySet<string>): boolean {
  for (const name in value) if (!members.has(name)) return false;
  return true;
}

function isPlainMeta(meta: JsonObject): boolean {
  for (const name in meta) if (name.startsWith(OF_PROTOCOL)) return false;
  return meta.progressToken === undefined || isId(meta.progressToken);
}
