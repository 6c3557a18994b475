// The client for pages: every method, without what only a recording program needs.
import { createLines } from './lines.ts';
import { createMethods } from './methods.ts';
import { createStream } from './stream.ts';
import { type ClientOptions, createSend, shared } from './transport.ts';
import type { Methods } from './types.ts';

export type {
  FaultCode,
  LinesName,
  OperationName,
  Output,
  Problem,
  Request,
  StreamName,
} from '@mem-service/contract';
export type { Camel } from './camel.ts';
export type { Conflict, WriteInput, WriteMethod, WriteOptions } from './conflict.ts';
export { isMemError, MemError } from './error.ts';
export type { MemErrorDetails } from './error-details.ts';
export { isPaged, listField, nextPage } from './paging.ts';
export type { StreamOptions } from './stream.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type { ClientMethod, Methods, StreamMethod } from './types.ts';

export function createClient(given: ClientOptions): Methods {
  const options = shared(given);
  return createMethods({ send: createSend(options), follow: createStream(options), list: createLines(options) });
}
