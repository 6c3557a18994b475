export { JsonText } from '@mem-service/contract/client';
export type { Camel } from './camel.ts';
export { type Client, createClient } from './client.ts';
export type { Conflict, WriteInput, WriteMethod, WriteOptions } from './conflict.ts';
export { isMemError, MemError } from './error.ts';
export type { MemErrorDetails } from './error-details.ts';
export { isPaged, listField, nextPage } from './paging.ts';
export { activeSession, type Session, type SessionOptions } from './session.ts';
export type {
  LlmCall,
  LlmCallOptions,
  LlmCallResult,
  Span,
  SpanAttributes,
  SpanKind,
  SpanOptions,
  SpanResult,
  Spans,
} from './span-types.ts';
export type { StreamOptions } from './stream.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type { ClientMethod, Methods, StreamMethod } from './types.ts';
