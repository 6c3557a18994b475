import type { OperationName, Output, Request } from '@mem-service/contract';
import type { CallOptions } from './transport.ts';

type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** The same shape with its declared members in camelCase. Records and values of any shape stay as they are. */
export type Camel<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? Camel<Item>[]
    : T extends object
      ? { [K in keyof T as K extends string ? (string extends K ? K : CamelName<K>) : K]: Camel<T[K]> }
      : T;

type Arguments<N extends OperationName> =
  Record<never, never> extends Request<N>
    ? [input?: Camel<Request<N>>, options?: CallOptions]
    : [input: Camel<Request<N>>, options?: CallOptions];

type ListName<O> = { [K in keyof O]: O[K] extends readonly unknown[] ? K : never }[keyof O];
type IsUnion<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never;
type Item<O> = O[ListName<O>] extends readonly (infer I)[] ? Camel<I> : never;

type Pages<N extends OperationName> =
  Output<N> extends { has_more: boolean }
    ? { /** Page after page, to the end. */ pages(...args: Arguments<N>): AsyncGenerator<Camel<Output<N>>> } & All<N>
    : unknown;

type All<N extends OperationName> =
  IsUnion<ListName<Output<N>>> extends false
    ? { /** Item after item, over all pages. */ all(...args: Arguments<N>): AsyncGenerator<Item<Output<N>>> }
    : unknown;

export type Method<N extends OperationName> = ((...args: Arguments<N>) => Promise<Camel<Output<N>>>) & Pages<N>;

type Group<N extends OperationName> = N extends `${infer G}.${string}` ? G : never;
type Methods<G extends string> = {
  [N in OperationName as N extends `${G}.${infer M}` ? M : never]: Method<N>;
};

/** A method for each operation of the table, `client.entries.write` for `entries.write`. */
export type Client = { [G in Group<OperationName>]: Methods<G> } & {
  /** Any operation by its name, in the names of the wire (snake_case). */
  call<N extends OperationName>(name: N, input: Request<N>, options?: CallOptions): Promise<Output<N>>;
  /** The same, with the answer as the exact JSON text that arrived. */
  callText(name: OperationName, input: Record<string, unknown>, options?: CallOptions): Promise<string>;
};
