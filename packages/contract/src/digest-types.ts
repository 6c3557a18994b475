/** What a digest is about. */
export const digestTypes = ['entity', 'agent_brief', 'source', 'connection_map', 'trace_pattern'] as const;
