export { JsonText } from '@mem-service/contract';
export { createClient } from './client.ts';
export { MemError } from './error.ts';
export { isPaged, listField, nextPage } from './paging.ts';
export type { StreamOptions } from './stream.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type { Camel, Client, Method, StreamMethod } from './types.ts';
