import type { JsonObject, LinesName, OperationName, StreamName } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { camel } from './camel.ts';
import { writeWithMerge } from './conflict.ts';
import type { LinesOptions, LinesText } from './lines.ts';
import { isPaged, listField, nextPage } from './paging.ts';
import { rename } from './rename.ts';
import type { StreamOptions, StreamText } from './stream.ts';
import type { CallOptions, Send } from './transport.ts';
import type { Methods } from './types.ts';

type CallOperation = (name: OperationName, input: JsonObject, options?: CallOptions) => Promise<JsonObject>;
type LineTexts = (name: LinesName, input: JsonObject, options?: LinesOptions) => AsyncGenerator<string>;
type StreamTexts = (name: StreamName, input: JsonObject, options?: StreamOptions) => AsyncGenerator<string>;

/** The ways to make a call: one answer, an endless stream of events, or a list of lines. */
export type Transports = { send: Send; follow: StreamText; list: LinesText };

/** A method for each operation of the table. */
export function createMethods({ send, follow, list }: Transports): Methods {
  const callText = (name: OperationName, input: JsonObject, call: CallOptions = {}) => send(routes[name], input, call);
  const call: CallOperation = async (name, input, options) => JSON.parse(await callText(name, input, options));
  const streamText: StreamTexts = (name, input, options = {}) => follow(routes[name], input, options);
  const linesText: LineTexts = (name, input, options = {}) => list(routes[name], input, options);
  const methodFor = (name: OperationName) => {
    if (routes[name].stream) return streamOf(name as StreamName, streamText);
    return routes[name].lines ? linesOf(name as LinesName, linesText) : methodOf(name, call);
  };
  const events = streamOf('log.stream', streamText);
  // The signal was once a member of the input.
  const stream = ({ signal, ...input }: JsonObject & Pick<StreamOptions, 'signal'> = {}, options?: StreamOptions) =>
    events(input, { signal, ...options });
  const methods = { call, callText, stream, streamText, linesText };
  for (const [group, names] of groups()) {
    const make = () => {
      const made = Object.fromEntries(names.map((name) => [camel(methodIn(name)), methodFor(name)]));
      return group === 'entries' ? withMerge(made) : made;
    };
    defineLater(methods, camel(group), make);
  }
  // The one place where methods made from the table at run time meet the types derived from it.
  return methods as unknown as Methods;
}

const methodIn = (name: OperationName): string => name.slice(name.indexOf('.') + 1);

/** The operations of each group. */
function groups(): Map<string, OperationName[]> {
  const found = new Map<string, OperationName[]>();
  for (const name of Object.keys(routes) as OperationName[]) {
    const group = name.slice(0, name.indexOf('.'));
    const others = found.get(group);
    if (others) others.push(name);
    else found.set(group, [name]);
  }
  return found;
}

/** A member that is made when it is first asked for: a page uses a few of all methods, and waits for each that is made. */
function defineLater(object: object, name: string, make: () => unknown): void {
  Object.defineProperty(object, name, {
    enumerable: true,
    configurable: true,
    get() {
      const value = make();
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  });
}

type PlainMethod = ReturnType<typeof plainMethod>;

const withMerge = (entries: Record<string, unknown>) => {
  const { write, read } = entries as Record<'write' | 'read', PlainMethod>;
  return { ...entries, write: writeWithMerge({ write, read }) };
};

/** All members of an event belong to the service, including those of only one type; so all are renamed. */
function streamOf(name: StreamName, texts: StreamTexts) {
  const { input: inputShape, output: outputShape } = routes[name];
  return async function* events(input: JsonObject = {}, options?: StreamOptions): AsyncGenerator<JsonObject> {
    for await (const text of texts(name, rename(inputShape, input, 'toWire') as JsonObject, options)) {
      const event = rename(outputShape, JSON.parse(text), 'fromWire') as JsonObject;
      yield Object.fromEntries(Object.entries(event).map(([member, value]) => [camel(member), value]));
    }
  };
}

/** Lines are those of an export file, so their members keep its names. */
function linesOf(name: LinesName, texts: LineTexts) {
  return async function* lines(input: JsonObject = {}, options?: LinesOptions): AsyncGenerator<JsonObject> {
    for await (const text of texts(name, toWire(name, input), options)) yield JSON.parse(text);
  };
}

const toWire = (name: OperationName, input: JsonObject) => rename(routes[name].input, input, 'toWire') as JsonObject;
const fromWire = (name: OperationName, output: JsonObject) =>
  rename(routes[name].output, output, 'fromWire') as JsonObject;

function plainMethod(name: OperationName, call: CallOperation) {
  return async (input: JsonObject = {}, options?: CallOptions) =>
    fromWire(name, await call(name, toWire(name, input), options));
}

function methodOf(name: OperationName, call: CallOperation) {
  const method = plainMethod(name, call);
  if (!isPaged(name)) return method;

  async function* pages(input: JsonObject = {}, options?: CallOptions): AsyncGenerator<JsonObject> {
    for (let next: JsonObject | undefined = toWire(name, input); next; ) {
      const page = await call(name, next, options);
      yield fromWire(name, page);
      next = nextPage(next, page);
    }
  }
  const list = listField(name);
  if (list === undefined) return Object.assign(method, { pages });
  async function* all(input?: JsonObject, options?: CallOptions): AsyncGenerator<unknown> {
    for await (const page of pages(input, options)) yield* page[camel(list as string)] as unknown[];
  }
  return Object.assign(method, { pages, all });
}
