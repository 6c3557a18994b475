import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { isPaged, listField, nextPage } from './paging.ts';
import { camel, rename } from './rename.ts';
import { type CallOptions, type ClientOptions, createSend } from './transport.ts';
import type { Client } from './types.ts';

type Json = Record<string, unknown>;
type Call = (name: OperationName, input: Json, options?: CallOptions) => Promise<Json>;

export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  const callText = (name: OperationName, input: Json, call: CallOptions = {}) => send(operations[name], input, call);
  const call: Call = async (name, input, options) => JSON.parse(await callText(name, input, options));
  const groups: Record<string, Json> = {};
  for (const name of operationNames) {
    const [group, method] = name.split('.') as [string, string];
    groups[group] = { ...groups[group], [method]: methodOf(name, call) };
  }
  // The one place where what is made from the table at run time meets the types that are made from it.
  return { ...groups, call, callText } as unknown as Client;
}

function methodOf(name: OperationName, call: Call) {
  const { input: inputShape, output: outputShape } = operations[name];
  const toWire = (input: Json) => rename(inputShape, input, 'toWire') as Json;
  const fromWire = (output: Json) => rename(outputShape, output, 'fromWire') as Json;
  const method = async (input: Json = {}, options?: CallOptions) => fromWire(await call(name, toWire(input), options));
  if (!isPaged(name)) return method;

  async function* pages(input: Json = {}, options?: CallOptions): AsyncGenerator<Json> {
    for (let next: Json | undefined = toWire(input); next; ) {
      const page = await call(name, next, options);
      yield fromWire(page);
      next = nextPage(next, page);
    }
  }
  const list = listField(name);
  if (list === undefined) return Object.assign(method, { pages });
  async function* all(input?: Json, options?: CallOptions): AsyncGenerator<unknown> {
    for await (const page of pages(input, options)) yield* page[camel(list as string)] as unknown[];
  }
  return Object.assign(method, { pages, all });
}
