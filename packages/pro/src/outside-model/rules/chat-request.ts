export type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string };

/** Members of a request that some servers, or some models, do not take. */
export type ChatHabits = { limit: 'max_tokens' | 'max_completion_tokens'; temperature: boolean };

export const USUAL_HABITS: ChatHabits = { limit: 'max_tokens', temperature: true };

export type ChatRequest = { model: string; messages: readonly ChatMessage[]; max_tokens: number };

export const requestBody = ({ model, messages, max_tokens }: ChatRequest, habits: ChatHabits): object => ({
  model,
  messages,
  [habits.limit]: max_tokens,
  ...(habits.temperature ? { temperature: 0 } : {}),
});

/** What to leave out after a server refused a request with these words; undefined where that would not help. */
export function otherHabits(habits: ChatHabits, serverText: string): ChatHabits | undefined {
  if (habits.limit === 'max_tokens' && serverText.includes('max_completion_tokens'))
    return { ...habits, limit: 'max_completion_tokens' };
  if (habits.temperature && serverText.includes('temperature')) return { ...habits, temperature: false };
  return undefined;
}

/** A token has at least one byte, and each message takes a few more. */
export const mostTokensOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + 16, 16);
