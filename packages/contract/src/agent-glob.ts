/**
 * Names of agents that a key may act as: a name; a beginning and `*`, for what follows it up to a slash; a beginning and
 * `**`, for whatever follows it; or `*`, for all.
 */
export const isAgentGlob = (text: string): boolean => /^[^*]*\*{0,2}$/.test(text);

/** The one agent that a pattern names; undefined where it may be several. */
export const agentNamedBy = (pattern: string): string | undefined => (pattern.endsWith('*') ? undefined : pattern);

export function matchesAgent(pattern: string, agentId: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.endsWith('*')) return pattern === agentId;
  const isDeep = pattern.endsWith('**');
  const start = pattern.slice(0, isDeep ? -2 : -1);
  if (agentId.length <= start.length || !agentId.startsWith(start)) return false;
  return isDeep || !agentId.includes('/', start.length);
}
