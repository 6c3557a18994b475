import type { CallObserver } from './observer.ts';

type Iterate = () => AsyncIterator<unknown>;
/** A stream of these clients creates its iterators with `iterator`, also for `tee` and `toReadableStream`. */
export type StreamLike = AsyncIterable<unknown> & { iterator?: Iterate; controller?: AbortController };

export const isStream = (data: unknown): data is StreamLike =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

/** Observes the stream while the caller reads it. The stream stays the same object. */
export function observeStream(stream: StreamLike, observer: CallObserver): void {
  if (typeof stream.iterator === 'function') {
    const iterate = stream.iterator.bind(stream);
    stream.iterator = () => observed(iterate(), { observer, stream });
    return;
  }
  const iterate = stream[Symbol.asyncIterator].bind(stream);
  stream[Symbol.asyncIterator] = () => observed(iterate(), { observer, stream });
}

type ObservedStream = { observer: CallObserver; stream: StreamLike };

function observed(inner: AsyncIterator<unknown>, { observer, stream }: ObservedStream): AsyncIterableIterator<unknown> {
  const wasAborted = () => stream.controller?.signal.aborted === true;
  async function next(): Promise<IteratorResult<unknown>> {
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = await inner.next();
      } catch (error) {
        observer.failed(error);
        throw error;
      }
      if (step.done) observer.end(wasAborted() ? 'aborted' : 'complete');
      else if (observer.piece(step.value)) continue;
      return step;
    }
  }
  return {
    next,
    async return(value?: unknown) {
      observer.end(wasAborted() ? 'aborted' : 'left');
      return (await inner.return?.(value)) ?? { done: true, value };
    },
    async throw(error?: unknown) {
      observer.failed(error);
      if (inner.throw) return inner.throw(error);
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
