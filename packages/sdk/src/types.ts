import type { LinesName, OperationName, Output, Request, StreamName } from '@mem-service/contract';
import type { Camel, CamelName } from './camel.ts';
import type { WriteMethod } from './conflict.ts';
import type { LinesOptions } from './lines.ts';
import type { StreamOptions } from './stream.ts';
import type { CallOptions } from './transport.ts';

type MethodArguments<N extends OperationName> =
  Record<never, never> extends Request<N>
    ? [input?: Camel<Request<N>>, options?: CallOptions]
    : [input: Camel<Request<N>>, options?: CallOptions];

type ListName<O> = { [K in keyof O]: O[K] extends readonly unknown[] ? K : never }[keyof O];
type IsUnion<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never;
type ListedItem<O> = O[ListName<O>] extends readonly (infer I)[] ? Camel<I> : never;

type PagedMethods<N extends OperationName> =
  Output<N> extends { has_more: boolean }
    ? {
        /** Yields every page. */ pages(...args: MethodArguments<N>): AsyncGenerator<Camel<Output<N>>>;
      } & AllMethod<N>
    : unknown;

type AllMethod<N extends OperationName> =
  IsUnion<ListName<Output<N>>> extends false
    ? {
        /** Yields every item of all pages. */ all(...args: MethodArguments<N>): AsyncGenerator<ListedItem<Output<N>>>;
      }
    : unknown;

/** Yields events as they happen, reconnecting as needed, without gaps or duplicates. */
export type StreamMethod<N extends StreamName> = (
  input?: Camel<Request<N>>,
  options?: StreamOptions,
) => AsyncGenerator<Camel<Output<N>>, void, undefined>;

/** Yields the content of each line, with the names of the export file. */
export type LinesMethod<N extends LinesName> = (
  input?: Camel<Request<N>>,
  options?: LinesOptions,
) => AsyncGenerator<Output<N>, void, undefined>;

export type ClientMethod<N extends OperationName> = ((...args: MethodArguments<N>) => Promise<Camel<Output<N>>>) &
  PagedMethods<N>;

type OperationGroup<N extends OperationName> = N extends `${infer G}.${string}` ? G : never;
type MethodsOf<G extends string> = {
  [N in OperationName as N extends `${G}.${infer M}` ? CamelName<M> : never]: N extends StreamName
    ? StreamMethod<N>
    : N extends LinesName
      ? LinesMethod<N>
      : N extends 'entries.write'
        ? WriteMethod
        : ClientMethod<N>;
};

/** A method for each operation of the table: `client.agents.setProfile` for `agents.set_profile`. */
export type Methods = { [G in OperationGroup<OperationName> as CamelName<G>]: MethodsOf<G> } & {
  /** The events of the account as they happen; short for `log.stream`. Ends when the signal is aborted. */
  stream(
    input?: Camel<Request<'log.stream'>> & {
      /** @deprecated Pass it in `options`, as with every other method. */ signal?: AbortSignal | undefined;
    },
    options?: StreamOptions,
  ): AsyncGenerator<Camel<Output<'log.stream'>>, void, undefined>;
  /** Events of a stream, each as its exact JSON text. */
  streamText(name: StreamName, input: Record<string, unknown>, options?: StreamOptions): AsyncGenerator<string>;
  /** Lines of an answer, each as its exact JSON text. */
  linesText(name: LinesName, input: Record<string, unknown>, options?: LinesOptions): AsyncGenerator<string>;
  /** Calls any operation by name, with wire names (snake_case). */
  call<N extends OperationName>(name: N, input: Request<N>, options?: CallOptions): Promise<Output<N>>;
  /** The same, but returns the exact JSON text of the answer. */
  callText(name: OperationName, input: Record<string, unknown>, options?: CallOptions): Promise<string>;
};
