import type { LlmCall, LlmCallResult, SpanAttributes } from '../span-types.ts';
import type { ErrorGuard } from './guard.ts';
import * as json from './json.ts';
import type { CallObserver } from './observer.ts';
import type { InstrumentOptions, SessionSource } from './options.ts';
import { patch, type StartCall } from './patch.ts';
import type { JsonObject, ProviderProtocol, ResponseReader } from './protocol.ts';

export type InstrumentedMethod = {
  /** The path from the client to the method. */
  path: readonly string[];
  protocol: ProviderProtocol;
  /** Returns a changed request whose extra usage is hidden from the caller, or undefined to change nothing. */
  prepare?: ((body: JsonObject) => JsonObject | undefined) | undefined;
};

export type Instrumented = {
  client: object;
  source: SessionSource;
  provider: string;
  options: InstrumentOptions;
};

/** Patches each of these methods that the client has. Returns a function that undoes all patches. */
export function instrument(
  targets: readonly InstrumentedMethod[],
  { client, source, provider, options }: Instrumented,
): () => void {
  const undo = targets.flatMap((target) => {
    const name = target.path.at(-1) as string;
    const owner = target.path.slice(0, -1).reduce<unknown>((at, member) => json.objectOf(at)[member], client);
    if (typeof json.objectOf(owner)[name] !== 'function') return [];
    const begin = startCallFor(target, { client, source, provider: options.provider ?? provider, options });
    return [patch(owner as object, name, { begin, report: reporter(source) })];
  });
  if (undo.length === 0)
    throw new TypeError(`this is no client of ${provider}: it has none of ${targets.map(methodName).join(', ')}`);
  return () => {
    for (const one of undo.reverse()) one();
  };
}

const methodName = ({ path }: InstrumentedMethod) => path.join('.');
const sessionOf = (source: SessionSource) => (typeof source === 'function' ? source() : source);

function reporter(source: SessionSource): (error: unknown) => void {
  return (error) => {
    try {
      sessionOf(source)?.onError(error);
    } catch {
      // Finding the session failed, so there is no session to report to.
    }
  };
}

function startCallFor(
  { protocol, prepare }: InstrumentedMethod,
  { source, provider, options }: Instrumented,
): StartCall {
  const captureContent = options.captureContent === true;
  return (args, guard) => {
    const session = sessionOf(source);
    if (session?.status !== 'open') return undefined;
    const body = json.objectOf(args[0]);
    const changed = prepare?.(body);
    const model = json.textOf(body.model) ?? '';
    const call = session.startLlmCall({
      model,
      provider,
      parent: options.parent,
      name: `${protocol.operation} ${model}`.trim(),
      temperature: json.numberOf(body.temperature),
      input: captureContent ? protocol.inputOf(body) : undefined,
      attributes: { operation: protocol.operation, ...(body.stream === true ? { stream: true } : {}) },
    });
    const reading = protocol.read({ captureContent, isHidingUsage: changed !== undefined });
    const signal = json.objectOf(args[1]).signal as AbortSignal | undefined;
    const observer = observe({ call, reading, guard, wasAborted: () => signal?.aborted === true });
    return { observer, args: changed === undefined ? args : [changed, ...args.slice(1)] };
  };
}

type ObservedCall = { call: LlmCall; reading: ResponseReader; guard: ErrorGuard; wasAborted(): boolean };

function observe({ call, reading, guard, wasAborted }: ObservedCall): CallObserver {
  const finish = (read: () => LlmCallResult, more: LlmCallResult = {}) =>
    void guard(() => {
      const result = guard(read) ?? {};
      call.end({ ...result, ...more, attributes: { ...result.attributes, ...more.attributes } });
    });
  const stopped = { finishReason: 'cancelled', attributes: { stopped_early: true } };
  return {
    answer: (data) => finish(() => reading.answer(json.objectOf(data)), { attributes: requestOf(data) }),
    piece: (data) =>
      guard(() => {
        const { hasContent, isHidden } = reading.piece(json.objectOf(data));
        if (hasContent) call.firstToken();
        return isHidden;
      }) === true,
    end: (how) => finish(() => reading.result(), how === 'complete' ? {} : stopped),
    failed: (error) =>
      finish(() => reading.result(), { error, attributes: { ...failureOf(error), ...(wasAborted() ? ABORTED : {}) } }),
    raw: (response) => finish(() => ({}), { attributes: { raw_response: true, ...statusOf(response) } }),
  };
}

const ABORTED = { aborted: true };

/** The provider's id of the call. */
function requestOf(data: unknown): SpanAttributes {
  const id = json.textOf(json.objectOf(data)._request_id);
  return id === undefined ? {} : { request_id: id };
}

function statusOf(answered: unknown): SpanAttributes {
  const status = json.numberOf(json.objectOf(answered).status);
  return status === undefined ? {} : { http_status: status };
}

function failureOf(error: unknown): SpanAttributes {
  const { type, code } = json.objectOf(error);
  const kind = json.textOf(type) ?? json.textOf(code);
  return { ...statusOf(error), ...(kind === undefined ? {} : { error_type: kind.slice(0, 256) }) };
}
