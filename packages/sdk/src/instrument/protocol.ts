import type { LlmCallResult } from '../span-types.ts';

export type Json = Record<string, unknown>;

/** What is read from one answer, whole or in pieces. */
export type Reading = {
  answer(data: Json): LlmCallResult;
  /** Takes in a piece of a stream. */
  piece(data: Json): { hasContent: boolean; isHidden?: boolean };
  /** What the pieces tell by now. */
  result(): LlmCallResult;
};

/** One method of a client, and how to read what goes in and comes out. */
export type Protocol = {
  /** As in the name of the span, before the model. */
  operation: string;
  /** What is asked, where content is wanted. */
  inputOf(body: Json): unknown;
  read(options: { captureContent: boolean; isHidingUsage: boolean }): Reading;
};

export const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;
export const jsonOf = (value: unknown): Json => (isJson(value) ? value : {});
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(jsonOf) : []);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The names of the tools that were called, as an attribute. */
export function toolsCalled(names: readonly unknown[]): { tools_called?: string } {
  const known = names.filter((name) => typeof name === 'string');
  return known.length === 0 ? {} : { tools_called: known.join(', ') };
}
