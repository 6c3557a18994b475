import type { JsonObject } from '@mem-service/contract';
import type { LlmCallResult } from '../span-types.ts';

export type { JsonObject } from '@mem-service/contract';

/** What is read from one answer, whole or in pieces. */
export type ResponseReader = {
  answer(data: JsonObject): LlmCallResult;
  /** Takes in a piece of a stream. */
  piece(data: JsonObject): { hasContent: boolean; isHidden?: boolean };
  /** What the pieces tell by now. */
  result(): LlmCallResult;
};

/** One method of a client, and how to read what goes in and comes out. */
export type ProviderProtocol = {
  /** As in the name of the span, before the model. */
  operation: string;
  /** What is asked, where content is wanted. */
  inputOf(body: JsonObject): unknown;
  read(options: { captureContent: boolean; isHidingUsage: boolean }): ResponseReader;
};

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
export const jsonObjectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(jsonObjectOf) : []);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The names of the tools that were called, as an attribute. */
export function toolsCalled(names: readonly unknown[]): { tools_called?: string } {
  const known = names.filter((name) => typeof name === 'string');
  return known.length === 0 ? {} : { tools_called: known.join(', ') };
}
