import { type LinesName, type OperationName, operationNames, operations, type StreamName } from '@mem-service/contract';
import { createLines, type LinesOptions } from './lines.ts';
import { isPaged, listField, nextPage } from './paging.ts';
import { camel, rename } from './rename.ts';
import { createStream, type StreamOptions } from './stream.ts';
import { type CallOptions, type ClientOptions, createSend } from './transport.ts';
import type { Client } from './types.ts';

type Json = Record<string, unknown>;
type Call = (name: OperationName, input: Json, options?: CallOptions) => Promise<Json>;
type LineTexts = (name: LinesName, input: Json, options?: LinesOptions) => AsyncGenerator<string>;
type Texts = (name: StreamName, input: Json, options?: StreamOptions) => AsyncGenerator<string>;

export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  const callText = (name: OperationName, input: Json, call: CallOptions = {}) => send(operations[name], input, call);
  const call: Call = async (name, input, options) => JSON.parse(await callText(name, input, options));
  const follow = createStream(options);
  const streamText: Texts = (name, input, options = {}) => follow(operations[name], input, options);
  const list = createLines(options);
  const linesText: LineTexts = (name, input, options = {}) => list(operations[name], input, options);
  const groups: Record<string, Json> = {};
  for (const name of operationNames) {
    const [group, method] = name.split('.') as [string, string];
    const made = operations[name].stream
      ? streamOf(name as StreamName, streamText)
      : operations[name].lines
        ? linesOf(name as LinesName, linesText)
        : methodOf(name, call);
    groups[group] = { ...groups[group], [camel(method)]: made };
  }
  const events = streamOf('log.stream', streamText);
  const stream = ({ signal, ...input }: Json & Pick<StreamOptions, 'signal'> = {}) => events(input, { signal });
  // The one place where what is made from the table at run time meets the types that are made from it.
  return { ...groups, call, callText, stream, streamText, linesText } as unknown as Client;
}

/** All members of an event are the service's own, also those that are only there with its type. */
function streamOf(name: StreamName, texts: Texts) {
  const { input: inputShape, output: outputShape } = operations[name];
  return async function* events(input: Json = {}, options?: StreamOptions): AsyncGenerator<Json> {
    for await (const text of texts(name, rename(inputShape, input, 'toWire') as Json, options)) {
      const event = rename(outputShape, JSON.parse(text), 'fromWire') as Json;
      yield Object.fromEntries(Object.entries(event).map(([member, value]) => [camel(member), value]));
    }
  };
}

/** Lines are those of a file: their members keep the names that they have there. */
function linesOf(name: LinesName, texts: LineTexts) {
  return async function* lines(input: Json = {}, options?: LinesOptions): AsyncGenerator<Json> {
    for await (const text of texts(name, rename(operations[name].input, input, 'toWire') as Json, options))
      yield JSON.parse(text);
  };
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
