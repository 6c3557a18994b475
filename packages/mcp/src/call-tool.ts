import { type Problem, stringify } from '@mem-service/contract';
import { refusedWithoutHost } from './hosted-only.ts';
import { shortAnswer } from './previews.ts';
import { problemOf, refusal } from './refusals.ts';
import type { JsonObject, McpSession } from './session.ts';
import type { Tool, ToolAnswer, ToolCallContext } from './tool.ts';

/** The result of a call in the words of the protocol. */
export type ProtocolResult = { content: { type: 'text'; text: string }[]; isError?: true };

export type RequestedCall = {
  tool: Tool;
  args: JsonObject;
  session: McpSession;
  context: ToolCallContext;
  onError: (error: unknown) => void;
};

/** Runs one call. Whatever goes wrong is part of the result. */
export async function callTool({ tool, args, session, context, onError }: RequestedCall): Promise<ProtocolResult> {
  const refused = refusedBy(session);
  if (refused) return toResult(refusal(refused));
  const withoutHost = refusedWithoutHost(tool, session.service);
  if (withoutHost) return toResult(withoutHost);
  try {
    return toResult(await tool.run(args, session, context));
  } catch (error) {
    if (context.signal.aborted) return toResult({ json: { error: 'cancelled', code: 'cancelled' }, isError: true });
    onError(error);
    await context.log('the service failed: this is a bug');
    return toResult(FAILURE);
  }
}

const FAILURE: ToolAnswer = {
  json: { error: 'the service failed', code: 'internal', hint: 'this is a bug: see the log' },
  isError: true,
};

/** Why a further call of the same request is refused; undefined where it is not. */
export function refusedBy({ admit }: McpSession): Problem | undefined {
  try {
    admit?.();
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    return problem;
  }
}

/**
 * Text alone: some clients give their model the text, some the structured content and some both, so that each would have
 * to hold everything, and models would pay for it twice. The text also keeps numbers that JavaScript would change.
 */
function toResult({ json, isError, isTrimmed }: ToolAnswer): ProtocolResult {
  const text = stringify(isError || isTrimmed ? json : shortAnswer(json));
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}
