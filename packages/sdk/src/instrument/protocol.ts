import type { JsonObject } from '@mem-service/contract';
import type { LlmCallResult } from '../span-types.ts';

export type { JsonObject } from '@mem-service/contract';

/** Reads one answer, whole or in pieces. */
export type ResponseReader = {
  answer(data: JsonObject): LlmCallResult;
  /** Adds a piece of a stream. */
  piece(data: JsonObject): { hasContent: boolean; isHidden?: boolean };
  /** The result of the pieces so far. */
  result(): LlmCallResult;
};

/** One method of a client, with functions that read its requests and answers. */
export type ProviderProtocol = {
  /** The first part of the span's name, before the model. */
  operation: string;
  /** The recorded request, if content is captured. */
  inputOf(body: JsonObject): unknown;
  read(options: { captureContent: boolean; isHidingUsage: boolean }): ResponseReader;
};

/** The names of the tools that were called, as an attribute. */
export function toolsCalled(names: readonly unknown[]): { tools_called?: string } {
  const known = names.filter((name) => typeof name === 'string');
  return known.length === 0 ? {} : { tools_called: known.join(', ') };
}
