import type { CallObserver } from './observer.ts';
import { isStream, observeStream } from './stream.ts';

/** The result type of these clients: a promise that reads the body only on demand. */
type ApiPromise = Promise<unknown> & {
  _thenUnwrap(transform: (data: unknown, props: unknown) => unknown): ApiPromise;
  asResponse(): Promise<unknown>;
  withResponse(): Promise<unknown>;
};

const METHODS = ['_thenUnwrap', 'asResponse', 'withResponse', 'then'] as const;

const isApiPromise = (made: unknown): made is ApiPromise =>
  METHODS.every((name) => typeof (made as Record<string, unknown> | undefined)?.[name] === 'function');

const isThenable = (made: unknown): made is PromiseLike<unknown> =>
  typeof (made as Partial<PromiseLike<unknown>> | undefined)?.then === 'function';

/** Returns the same promise with the observer attached. */
export function observePromise(made: unknown, observer: CallObserver): unknown {
  const look = (data: unknown) => {
    if (isStream(data)) observeStream(data, observer);
    else observer.answer(data);
    return data;
  };
  if (isApiPromise(made)) return observeApiPromise(made._thenUnwrap(look), observer);
  return isThenable(made) ? made.then(look, failing(observer)) : look(made);
}

/** Reports an error to the observer, then passes it on. */
function failing(observer: CallObserver, handler: (error: unknown) => unknown = rethrow): (error: unknown) => unknown {
  return (error) => {
    observer.failed(error);
    return handler(error);
  };
}

function rethrow(error: unknown): never {
  throw error;
}

/**
 * Observes through the caller's own handlers and adds none: a body that the caller does not ask for is not read, and an
 * error that the caller does not handle stays unhandled.
 */
function observeApiPromise(promise: ApiPromise, observer: CallObserver): ApiPromise {
  const own = methodsOf(promise);
  let isRead = false;
  return Object.assign(promise, {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise already, and this is how it is read.
    then(fulfilled: never, rejected?: (error: unknown) => unknown) {
      isRead = true;
      return own.read(fulfilled, failing(observer, rejected ?? undefined) as never);
    },
    catch: (rejected: never) => promise.then(undefined, rejected),
    finally: (answered: never) => Promise.resolve(promise).finally(answered),
    withResponse() {
      isRead = true;
      return own.withResponse().catch(failing(observer));
    },
    async asResponse() {
      const response = await own.asResponse().catch(failing(observer));
      if (!isRead) observer.raw(response);
      return response;
    },
    _thenUnwrap: (transform: never) => observeApiPromise(own._thenUnwrap(transform), observer),
  });
}

function methodsOf(promise: ApiPromise) {
  return {
    read: promise.then.bind(promise),
    asResponse: promise.asResponse.bind(promise),
    withResponse: promise.withResponse.bind(promise),
    _thenUnwrap: promise._thenUnwrap.bind(promise),
  };
}
