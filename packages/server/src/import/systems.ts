/** The systems whose files can be imported. */
export const systems = ['mem0', 'server-memory', 'basic-memory', 'claude-mem', 'letta', 'zep'] as const;
export type System = (typeof systems)[number];
